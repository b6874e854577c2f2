/** `platformctl rules approve`, `carry-out`, `cancel` and `undo`: what people do with an expiry plan. */
import { setTimeout } from "node:timers/promises";
import type { Command } from "commander";
import { exitCodes, toFailure } from "../failure.ts";
import { lineOn } from "../import/progress.ts";
import { withoutControls } from "../resources/cells.ts";
import type { JsonObject } from "../resources/flags.ts";
import { requireResourceNamed } from "../resources/names.ts";
import { openPlatform, type PlatformClient } from "../resources/platform.ts";
import { explainFailure } from "../resources/refusals.ts";
import { here } from "../surroundings.ts";
import { addJsonOption, type JsonOption, printAnswer } from "./answer.ts";
import {
  enumValueOf,
  isEmpty,
  nextStepOf,
  type PlanItems,
  paragraphs,
  planRpc,
  progressText,
  readItems,
  stateOf,
  withCommand,
} from "./expiry_plan.ts";
import { parsePlan, planHelp } from "./rules_plan.ts";

/** The most tags and images that the commands list at the end. */
const maxListed = 100;

/** In milliseconds: the pause before a call is repeated that has done nothing, because another one is at work. */
const idlePauseMs = 1_000;

/** The first deletion waits for pulls that are not written yet. */
const waitingText =
  "Waiting until all pulls of the repository are known, two to three minutes after the plan was made…";

/** Something that takes several calls: the state while it lasts, the one at its end, and the outcome to list then. */
type Work = { method: string; during: string; end: string; outcome: string; title: string };

const carryingOut: Work = {
  method: "CarryOutExpiryPlan",
  during: "running",
  end: "done",
  outcome: "left",
  title: "Left alone, because something has changed since the plan was made:",
};

const undoing: Work = {
  method: "UndoExpiryPlan",
  during: "undoing",
  end: "undone",
  outcome: "not-restored",
  title: "Not restored:",
};

const carryOutDescription = `Delete the tags and images of an expiry plan. The platform decides again about
each of them, and leaves alone what has changed since the plan was made. The
command lists these at the end, and its exit code is 0. The first deletion waits
until all pulls before the plan are known, two to three minutes after it was made.

If you stop the command, what it has deleted stays deleted. To continue, run it
again, or leave the rest to the schedule of the platform.`;

const undoDescription = `Restore the tags and images that an expiry plan has deleted. A tag whose name is
used again stays as it is. The command lists what could not be restored.

If you stop the command, run it again to continue.`;

/** Adds `rules approve`, `carry-out`, `cancel` and `undo`. */
export function addRulesCarryOut(rules: Command): void {
  addStep(rules, "approve", "Approve an expiry plan that another person made.").action(
    (uid: string, options: JsonOption) => step("ApproveExpiryPlan", uid, options),
  );
  addStep(rules, "carry-out", "Delete what an expiry plan has.", carryOutDescription).action(
    (uid: string, options: JsonOption) => finish(carryingOut, uid, options),
  );
  addStep(
    rules,
    "cancel",
    "Cancel an expiry plan. What it has deleted can still be undone.",
  ).action((uid: string, options: JsonOption) => step("CancelExpiryPlan", uid, options));
  addStep(rules, "undo", "Restore what an expiry plan has deleted.", undoDescription).action(
    (uid: string, options: JsonOption) => finish(undoing, uid, options),
  );
}

const addStep = (rules: Command, name: string, summary: string, description = summary): Command =>
  addJsonOption(
    rules
      .command(name)
      .summary(summary)
      .description(description)
      .argument("<plan>", planHelp, parsePlan),
    `platformctl rules ${name} UID`,
  );

/** Makes a single call about a plan, and prints how far the plan has come. */
async function step(method: string, uid: string, options: JsonOption): Promise<void> {
  const platform = await openPlatform();
  const plan = await explained(platform, uid, () => platform.call(planRpc(method), { uid }));
  printAnswer(options, { plan }, paragraphs(...resultLines(plan), nextStepOf(plan)));
}

/** Repeats a call until the plan has reached the end, and lists what the call could not do. */
async function finish(work: Work, uid: string, options: JsonOption): Promise<void> {
  const platform = await openPlatform();
  const { plan, items, more } = await explained(platform, uid, async () => {
    const plan = await repeat(platform, work, uid);
    const outcome = enumValueOf("ExpiryOutcome", work.outcome);
    return { plan, ...(await readItems(platform, uid, maxListed, outcome)) };
  });
  printAnswer(
    options,
    { plan, items, more },
    paragraphs(...resultLines(plan), listText(work, uid, { items, more }), nextStepOf(plan)),
  );
  // Someone has canceled it in between, or undoes it.
  if (plan.state !== enumValueOf("ExpiryPlanState", work.end)) here().exitCode = exitCodes.refused;
}

async function repeat(platform: PlatformClient, work: Work, uid: string): Promise<JsonObject> {
  const { stderr } = here();
  const line = lineOn(stderr);
  const isDuring = ({ state }: JsonObject) => state === enumValueOf("ExpiryPlanState", work.during);
  const show = (text: string) => {
    if (stderr.isTTY) line.write(text);
  };
  try {
    show(`The plan is ${work.during}…`);
    let plan = await begin(platform, work, uid);
    while (isDuring(plan)) {
      show(progressText(plan) ?? waitingText);
      const next = await platform.call(planRpc(work.method), { uid });
      if (isDuring(next) && progressText(next) === progressText(plan))
        await setTimeout(idlePauseMs);
      plan = next;
    }
    return plan;
  } finally {
    line.clear();
  }
}

/** Makes the first call. A plan that is at the end already is the answer, so a command can be repeated. */
async function begin(platform: PlatformClient, work: Work, uid: string): Promise<JsonObject> {
  try {
    return await platform.call(planRpc(work.method), { uid });
  } catch (thrown) {
    const failure = toFailure(thrown, platform.url);
    if (failure.code !== "FAILED_PRECONDITION") throw failure;
    const plan = await platform.call(planRpc("GetExpiryPlan"), { uid });
    if (plan.state === enumValueOf("ExpiryPlanState", work.end)) return plan;
    throw failure;
  }
}

const resultLines = (plan: JsonObject) => [
  [
    `The plan is ${stateOf(plan)}.`,
    isEmpty(plan) ? "No tag and no image expires." : progressText(plan),
  ]
    .filter(Boolean)
    .join(" "),
];

function listText({ title, outcome }: Work, uid: string, { items, more }: PlanItems): string {
  if (items.length === 0) return "";
  const lines = items.map(({ tag, digest, note }) => withoutControls(`${tag || digest}  ${note}`));
  const rest = more
    ? [`There are more. To see them, run: platformctl rules show ${uid} --outcome ${outcome}`]
    : [];
  return [title, ...lines, ...rest].join("\n");
}

/** Does some work, and adds the command that comes next for the plan to an error about its state. */
async function explained<T>(
  platform: PlatformClient,
  uid: string,
  work: () => Promise<T>,
): Promise<T> {
  const resource = requireResourceNamed("expiryPlan");
  return explainFailure({ verb: "call", resource, platform }, async () => {
    try {
      return await work();
    } catch (thrown) {
      const failure = toFailure(thrown, platform.url);
      if (failure.code !== "FAILED_PRECONDITION") throw failure;
      const plan = await platform.call(planRpc("GetExpiryPlan"), { uid });
      throw withCommand(failure, nextStepOf(plan));
    }
  });
}
