/** `platformctl rollback --by`: moves back all tags that one identity has moved. */
import { exitCodes, toFailure, usageFailure } from "../failure.ts";
import { everyTag } from "../history/found_image.ts";
import { type PlannedRollback, planRollback } from "../history/rollback_plan.ts";
import { parseTime } from "../history/times.ts";
import { confirm, requireTerminal } from "../question.ts";
import type { JsonObject } from "../resources/flags.ts";
import { findUid, requireResourceNamed } from "../resources/names.ts";
import { overriding } from "../resources/override.ts";
import { openPlatform, type PlatformClient } from "../resources/platform.ts";
import { explainFailure } from "../resources/refusals.ts";
import { requireGroup } from "../resources/where.ts";
import { here } from "../surroundings.ts";
import { countText, type JsonOption, printAnswer } from "./answer.ts";

export const rollbackRpc = "platform.registry.v2.TagsService/RollbackTag";

const movesRpc = "platform.registry.history.v2.TagHistoryService/ListTagMoves";
const tagsRpc = "platform.registry.v2.TagsService/ListTags";

/** The most moves that one command goes through. */
const maxMoves = 10_000;

export type ManyOptions = JsonOption & {
  by: string;
  since: string;
  group?: string;
  dryRun?: boolean;
  yes?: boolean;
  override?: string;
};

/** A tag of the plan: the request that moves it, or why it stays. */
interface Step {
  image: string;
  from: string;
  to: string;
  request?: JsonObject;
  reason?: string;
}

/** Shows where each tag would go, asks, and then moves one after the other. A tag that moves meanwhile stays. */
export async function rollbackMany(options: ManyOptions): Promise<void> {
  if (!options.dryRun && !options.yes) requireTerminal();
  const since = parseTime(options.since, new Date()).toISOString();
  const platform = await openPlatform();
  await explainFailure({ verb: "call", platform }, async () => {
    const group = await requireGroup(platform, options.group);
    const uidp = { descendantsOf: group };
    const mover = await findUid(platform, requireResourceNamed("identity"), options.by, {
      below: group,
    });
    const moves = await movesOf(platform, { uidp, since, identityUid: mover });
    const steps: Step[] = [];
    for (const planned of planRollback(moves)) steps.push(await stepOf(platform, planned, options));
    const isDry = options.dryRun === true;
    const movable = steps.filter(({ request }) => request);
    if (!isDry && movable.length > 0) await ask(steps, movable.length, options.yes === true);
    const done = isDry ? steps : await carryOut(platform, steps);
    printAnswer(options, { dryRun: isDry, tags: done.map(shown) }, textOf(done, isDry));
    if (done.some(({ reason }) => reason)) here().exitCode = exitCodes.refused;
  });
}

async function movesOf(platform: PlatformClient, request: JsonObject): Promise<JsonObject[]> {
  const moves: JsonObject[] = [];
  for await (const page of platform.pages(movesRpc, request)) {
    moves.push(...page);
    if (moves.length > maxMoves)
      throw usageFailure(`More than ${maxMoves} moves match. Choose a later --since or a --group.`);
  }
  return moves;
}

/** The errors that are about one tag. After any other one, such as a lost response, no further tag is tried. */
const refusals = ["FAILED_PRECONDITION", "NOT_FOUND", "PERMISSION_DENIED"];

/** Why the platform refuses to move a tag. Throws all other errors again. */
function refusalOf(thrown: unknown): string {
  const { code, message } = toFailure(thrown);
  if (!refusals.includes(code)) throw thrown;
  return message;
}

/** Reads the tag as it is, and lets the platform check the move. */
async function stepOf(
  platform: PlatformClient,
  planned: PlannedRollback,
  { override }: ManyOptions,
): Promise<Step> {
  const { repoUid, image, tag, from, to } = planned;
  const step = { image, from, to };
  if (to === "") return { ...step, reason: "it has no earlier digest" };
  const filter = { uidp: { childrenOf: repoUid }, name: tag, ...everyTag };
  const [row] = await platform.rows(tagsRpc, filter, 1);
  if (row === undefined) return { ...step, reason: "it is deleted" };
  if (row.digest !== from) return { ...step, reason: "someone else has moved it since" };
  const request = { uid: row.uid, digest: to, currentDigest: from, ...overriding(override) };
  const reason = await refusalOfMove(platform, { ...request, validateOnly: true });
  return reason === undefined ? { ...step, request } : { ...step, reason };
}

/** Sends the request of a tag. Returns why the platform refuses it, if it does. */
async function refusalOfMove(
  platform: PlatformClient,
  request: JsonObject,
): Promise<string | undefined> {
  try {
    await platform.call(rollbackRpc, request);
    return undefined;
  } catch (thrown) {
    return refusalOf(thrown);
  }
}

async function ask(steps: Step[], count: number, isYes: boolean): Promise<void> {
  if (isYes) return;
  here().stderr.write(`${textOf(steps, true)}\n`);
  await confirm(`Move ${countText(count, "tag")} back? [y/N] `, "No tag was moved.");
}

async function carryOut(platform: PlatformClient, steps: Step[]): Promise<Step[]> {
  const done: Step[] = [];
  for (const step of steps) {
    try {
      const reason = step.request && (await refusalOfMove(platform, step.request));
      done.push(reason === undefined ? step : { ...step, reason });
    } catch (thrown) {
      if (done.length > 0) here().stderr.write(`${textOf(done, false)}\n`);
      throw thrown;
    }
  }
  return done;
}

const shown = ({ image, from, to, reason }: Step) =>
  reason === undefined ? { image, from, to } : { image, from, to, reason };

function textOf(steps: Step[], isDry: boolean): string {
  if (steps.length === 0) return "The identity has moved no tag in that time.";
  const verb = isDry ? "would move" : "moved";
  return steps
    .map(({ image, from, to, reason }) =>
      reason === undefined
        ? `${image} ${verb} from ${from} to ${to}.`
        : `${image} stays: ${reason}`,
    )
    .join("\n");
}
