/**
 * `platformctl delete group NAME --recursive`: prints a plan, asks for the name as confirmation, and reports progress.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Cancelled, Failure, refusedFailure, toFailure, usageFailure } from "../../failure.ts";
import { purgeRpc } from "../../purge_steps.ts";
import { askQuestion } from "../../question.ts";
import { type DeletionOutcome, deleteGroupRecursively } from "../../recursive_delete.ts";
import { requireMethod } from "../../resources/catalog.ts";
import { printDocument } from "../../resources/documents.ts";
import type { JsonObject } from "../../resources/flags.ts";
import type { SearchPlace } from "../../resources/names.ts";
import { findResource, requireResourceNamed } from "../../resources/names.ts";
import { titleOf } from "../../resources/output.ts";
import type { PlatformClient } from "../../resources/platform.ts";
import { here } from "../../surroundings.ts";
import { countText, type JsonOption, printAnswer } from "../answer.ts";

export type RecursiveOptions = JsonOption & { confirm?: string; dryRun?: boolean };

/** The kinds of children that the plan counts. It leaves out resources that are deleted with these. */
const counts = [
  ...["repo", "tag", "tagRule", "trustPolicy", "identity", "role", "identityProvider"],
  ...["groupInvite", "accountAssociation", "subscription"],
];

/** The most groups whose advisories a plan counts, because each group needs a call. */
const mostCounted = 100;

/** The most groups that a plan names. */
const mostNamed = 20;

/**
 * Deletes a group and everything in it. Throws a Failure if it is not confirmed, or if something could not be deleted.
 */
export async function removeRecursively(
  platform: PlatformClient,
  names: string[],
  scope: SearchPlace,
  options: RecursiveOptions,
): Promise<void> {
  const [name = "", ...others] = names;
  if (others.length > 0)
    throw usageFailure("With --recursive, you can delete only one group at a time.");
  const resource = requireResourceNamed("group");
  const row = await findResource(platform, resource, name, scope);
  const title = titleOf(resource, row);
  const plan = await planOf(platform, row, title);
  if (options.dryRun) {
    const { text } = plan;
    printAnswer(options, { wouldDelete: [...plan.names.keys()] }, `${text}Nothing was deleted.`);
    return;
  }
  here().stderr.write(plan.text);
  await confirm(String(row.name), options);
  const outcome = await run(platform, row, plan.names);
  report(title, outcome, options);
}

/** Returns the plan as text, and the names of the groups by uid. */
async function planOf(platform: PlatformClient, row: JsonObject, title: string) {
  const below = { uidp: { descendantsOf: String(row.uid) } };
  const list = requireMethod(requireResourceNamed("group"), "list");
  const groups = await platform.rows(list.rpc, below, Number.POSITIVE_INFINITY);
  const names = pathsOf([row, ...groups]);
  const lines = [
    ...(await Promise.all(counts.map((name) => totalBelow(platform, name, below)))),
    ...(await purgeable(platform, [...names.keys()])),
  ].flat();
  // Groups below come before the groups above them.
  const order = [...names].toSorted(([a], [b]) => b.length - a.length || (a < b ? -1 : 1));
  const named = order.slice(0, mostNamed).map(([, path]) => `  ${path}`);
  const rest = order.length - named.length;
  const text = [
    `This permanently deletes ${title} with everything in it and in the groups below:`,
    ...(lines.length > 0 ? lines : ["  only the groups themselves"]),
    `${countText(order.length, "group")}, in this order:`,
    ...(rest > 0 ? [...named.slice(0, -1), `  … ${rest} more`, `  ${order.at(-1)?.[1]}`] : named),
    "Role bindings and the content of repositories are also deleted. The tag history stays.",
  ];
  return { names, text: `${text.join("\n")}\n` };
}

const line = (count: number, singular: string, many: string) =>
  count > 0 ? [`  ${count.toLocaleString("en")} ${count === 1 ? singular : many}`] : [];

/** Leaves out of the count what the caller may not list. Whether the caller may delete it shows later. */
async function unlessDenied<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (thrown) {
    if (thrown instanceof Failure && thrown.code === "PERMISSION_DENIED") return undefined;
    throw thrown;
  }
}

async function totalBelow(
  platform: PlatformClient,
  name: string,
  below: JsonObject,
): Promise<string[]> {
  const { methods, word, words } = requireResourceNamed(name);
  const list = await unlessDenied(platform.list(methods.list?.rpc ?? "", below, 1));
  const count = list?.total ?? list?.rows.length ?? 0;
  return line(count, word.replaceAll("-", " "), words.replaceAll("-", " "));
}

/** Counts advisories and the data imported with them, in at most the first hundred groups. */
async function purgeable(platform: PlatformClient, groups: string[]): Promise<string[][]> {
  const sums = { advisories: 0, documents: 0, artifacts: 0, vulnerabilityMetadata: 0 };
  for (const parent of groups.slice(0, mostCounted)) {
    const there = await unlessDenied(platform.call(purgeRpc, { parent }));
    for (const name of Object.keys(sums) as (keyof typeof sums)[]) {
      sums[name] += Number(there?.[name] ?? 0);
    }
  }
  const more =
    groups.length > mostCounted
      ? ["  the advisories of the other groups, which were not counted"]
      : [];
  return [
    line(sums.advisories, "advisory", "advisories"),
    line(sums.documents, "advisory document", "advisory documents"),
    line(sums.artifacts, "artifact", "artifacts"),
    line(sums.vulnerabilityMetadata, "vulnerability metadata", "vulnerability metadata"),
    more,
  ];
}

/** Returns the paths of names of the groups by uid, starting at the first group. */
function pathsOf(groups: JsonObject[]): Map<string, string> {
  const paths = new Map<string, string>();
  const inOrder = groups.toSorted((a, b) => String(a.uid).length - String(b.uid).length);
  for (const { uid, name } of inOrder) {
    const above = paths.get(String(uid).slice(0, -17));
    paths.set(String(uid), above === undefined ? String(name) : `${above}/${name}`);
  }
  return paths;
}

async function confirm(name: string, options: RecursiveOptions): Promise<void> {
  const answer =
    options.confirm ?? (await askQuestion(`Type the name of the group (${name}) to confirm: `));
  // A name may begin or end with a space, and the user may type extra ones.
  const isTyped = options.confirm === undefined && answer.trim() === name.trim();
  if (answer === name || (isTyped && answer.trim() !== "")) return;
  throw refusedFailure(
    "NOT_CONFIRMED",
    `The name of the group is ${JSON.stringify(name)}, and you gave ${JSON.stringify(answer)}. Nothing was deleted.`,
  );
}

/**
 * In milliseconds. Signals within this time count as one Ctrl-C, because npm and the launcher (../launch.js) pass on
 * the signal that the terminal sends.
 */
const sameInterrupt = 500;

/**
 * Deletes the group and reports progress. The first Ctrl-C stops after the calls that are already running. The second
 * one stops at once.
 */
async function run(
  platform: PlatformClient,
  { uid }: JsonObject,
  names: Map<string, string>,
): Promise<DeletionOutcome> {
  const { exitCode: stoppedCode } = new Cancelled("SIGINT");
  let stoppedAt: number | undefined;
  const stop = () => {
    if (stoppedAt === undefined) here().stderr.write("Stopping…\n");
    else if (Date.now() - stoppedAt > sameInterrupt) process.exit(stoppedCode);
    stoppedAt ??= Date.now();
  };
  here().on("SIGINT", stop);
  const steps = stepsOf(names);
  try {
    return await deleteGroupRecursively(
      { platform, isStopped: () => stoppedAt !== undefined, onDeleted: steps.add },
      String(uid),
    );
  } catch (thrown) {
    const { exitCode, code, message, details } = toFailure(thrown, platform.url);
    const again = "Not everything was deleted. To continue, run the same command again.";
    const isStopped = code === "INTERRUPTED";
    throw new Failure(isStopped ? stoppedCode : exitCode, code, `${message}\n${again}`, details);
  } finally {
    steps.end();
    // The same Ctrl-C may arrive again. Without a handler, it would end the program before its last message.
    if (stoppedAt !== undefined) await sleep(Math.max(0, stoppedAt + sameInterrupt - Date.now()));
    here().off("SIGINT", stop);
  }
}

/** Prints lines for the deleted resources: one for each kind in each group, and one for each 200 of a kind. */
function stepsOf(names: Map<string, string>) {
  let open = { kind: "", group: "", count: 0 };
  const end = () => {
    const { kind, group, count } = open;
    const path = names.get(group) ?? group;
    if (kind === "groups") here().stderr.write(`Deleted ${path}\n`);
    else if (count > 0) here().stderr.write(`${path}: ${kind} ${count.toLocaleString("en")}\n`);
    open = { kind: "", group: "", count: 0 };
  };
  const add = (kind: string, count: number, group: string) => {
    if (kind !== open.kind || group !== open.group) end();
    open = { kind, group, count: open.count + count };
    if (open.count >= 200 || kind === "groups") end();
  };
  return { add, end };
}

function report(
  title: string,
  { deleted, kept }: DeletionOutcome,
  options: RecursiveOptions,
): void {
  if (options.json) printDocument(options, { deleted, kept });
  if (kept.length === 0) {
    if (!options.json) here().stdout.write(`Deleted ${title} and everything in it\n`);
    return;
  }
  const lines = kept.map(
    ({ kind, uid, code, message }) => `  ${kind} ${uid}: ${message} (${code})`,
  );
  throw refusedFailure(
    "NOT_DELETED",
    [`These resources could not be deleted:`, ...lines].join("\n"),
  );
}
