/** Reads expiry plans, and says in words what they contain and how far they have come. */
import { bytesText } from "../byte_counts.ts";
import { Failure } from "../failure.ts";
import { shortDigest } from "../history/timeline.ts";
import { relativeTime } from "../history/times.ts";
import { valuesOf } from "../resources/catalog.ts";
import { withoutControls } from "../resources/cells.ts";
import { computedColumn as column, columnAt, type TableColumn } from "../resources/columns.ts";
import type { JsonObject } from "../resources/flags.ts";
import { parentOf, readNames, requireResourceNamed } from "../resources/names.ts";
import { maxPageSize, type PlatformClient, responsesOf } from "../resources/platform.ts";
import { tableText, tsvText } from "../resources/table.ts";
import { here } from "../surroundings.ts";
import { countText } from "./answer.ts";

/** The methods of expiry plans, by the names of their RPCs. */
export const planRpc = (method: string) => `platform.registry.v2.ExpiryPlansService/${method}`;

/** The states of a plan that is not finished. A repository has at most one such plan. */
export const openStates = [...["AWAITING_APPROVAL", "READY", "RUNNING", "UNDOING"]].map(
  (name) => `EXPIRY_PLAN_STATE_${name}`,
);

/** A part of the tags and images of a plan. `more` says whether there are others. */
export type PlanItems = { items: JsonObject[]; more: boolean };

/** Reads at most `limit` tags and images of a plan, with any outcome or with this one. Throws a Failure. */
export async function readItems(
  platform: PlatformClient,
  planUid: string,
  limit: number,
  outcome?: string,
): Promise<PlanItems> {
  const items: JsonObject[] = [];
  const pageSize = Math.min(limit, maxPageSize);
  const request = { planUid, pageSize, ...(outcome === undefined ? {} : { outcome }) };
  for await (const page of responsesOf(platform, planRpc("ListExpiryPlanItems"), request)) {
    items.push(...((page.items as JsonObject[] | undefined) ?? []));
    if (items.length > limit || (items.length === limit && page.nextPageToken))
      return { items: items.slice(0, limit), more: true };
  }
  return { items, more: false };
}

/** Returns the name of the repository of a plan, or its uid if you cannot see it. */
export async function repoNameOf(platform: PlatformClient, { uid }: JsonObject): Promise<string> {
  const repo = parentOf(String(uid)) ?? "";
  return (await readNames(platform, [repo])).get(repo) ?? repo;
}

/** Returns the value of the API for a word such as `left`, if the enum of expiry plans with this name has it. */
export const enumValueOf = (type: "ExpiryPlanState" | "ExpiryOutcome", word: string) =>
  valuesOf(`platform.registry.v2.${type}`).find((value) => value.word === word)?.name;

/** Returns a value of an enum as a person reads it, such as `awaiting approval`. */
const wordOf = (type: "ExpiryPlanState" | "ExpiryOutcome", name: unknown) =>
  valuesOf(`platform.registry.v2.${type}`)
    .find((value) => value.name === name)
    ?.word.replaceAll("-", " ") ?? String(name ?? "");

/** Returns the state of a plan in words. */
export const stateOf = ({ state }: JsonObject): string => wordOf("ExpiryPlanState", state);

/** Returns who made a plan: a name, a uid, or `the schedule`. */
export const makerOf = ({ daily, creator, creatorUid }: JsonObject): string =>
  String(creator || creatorUid || (daily ? "the schedule" : ""));

const numberIn = (row: JsonObject, name: string) => Number(row[name] ?? 0);

/** Returns a text such as `12 tags and 1 image`. */
const contentsOf = (plan: JsonObject): string =>
  `${countText(numberIn(plan, "tagCount"), "tag")} and ${countText(numberIn(plan, "manifestCount"), "image")}`;

/** Whether the plan has no tag and no image. */
export const isEmpty = (plan: JsonObject): boolean =>
  numberIn(plan, "tagCount") + numberIn(plan, "manifestCount") === 0;

/** Returns what a plan would delete and free, in a sentence. */
export function expiryText(plan: JsonObject): string {
  if (isEmpty(plan)) return "No tag and no image expires.";
  const more = plan.truncated ? " More of them expire than fit into a plan." : "";
  return `In the plan: ${contentsOf(plan)}, with ${bytesText(numberIn(plan, "bytes"))} that nothing else needs.${more}`;
}

/** Returns what has become of the tags and images of a plan, in a line. Undefined if nothing has yet. */
export function progressText(plan: JsonObject): string | undefined {
  const counts = [
    ["deleted", numberIn(plan, "deletedCount")],
    ["left alone", numberIn(plan, "leftCount")],
    ["restored", numberIn(plan, "restoredCount")],
  ] as const;
  const known = counts.filter(([, count]) => count > 0);
  if (known.length === 0) return undefined;
  const total = numberIn(plan, "tagCount") + numberIn(plan, "manifestCount");
  const parts = known.map(([word, count]) => `${count.toLocaleString("en")} ${word}`);
  return `Of ${total.toLocaleString("en")}: ${parts.join(", ")}.`;
}

const isUndoable = ({ state, deletedCount, undoExpireTime }: JsonObject) =>
  ["EXPIRY_PLAN_STATE_DONE", "EXPIRY_PLAN_STATE_CANCELED"].includes(String(state)) &&
  Number(deletedCount ?? 0) > 0 &&
  undoExpireTime !== undefined &&
  Date.parse(String(undoExpireTime)) > Date.now();

/** Returns a line with the command that comes next for a plan. Undefined if there is none. */
export function nextStepOf(plan: JsonObject): string | undefined {
  const run = (command: string) => `platformctl rules ${command} ${plan.uid}`;
  if (isUndoable(plan)) return `Until ${plan.undoExpireTime} you can undo it: ${run("undo")}`;
  switch (plan.state) {
    case "EXPIRY_PLAN_STATE_AWAITING_APPROVAL":
      return plan.daily
        ? `To approve it, run: ${run("approve")}`
        : `Another person than ${makerOf(plan)} must approve it: ${run("approve")}`;
    case "EXPIRY_PLAN_STATE_READY":
      return `To carry it out, run: ${run("carry-out")}`;
    case "EXPIRY_PLAN_STATE_RUNNING":
      return `To continue, run: ${run("carry-out")}`;
    case "EXPIRY_PLAN_STATE_UNDOING":
      return `To continue, run: ${run("undo")}`;
    default:
      return undefined;
  }
}

/** Returns the lines that describe a plan: its contents, who made it, and how far it has come. */
export function planLines(plan: JsonObject, repo: string): string[] {
  const { description, createTime, approver, approverUid } = plan;
  const now = new Date();
  const approved = approver || approverUid ? `, approved by ${approver || approverUid}` : "";
  const progress = progressText(plan);
  return [
    `Plan of ${repo}: ${stateOf(plan)}`,
    expiryText(plan),
    `Made by ${makerOf(plan)} ${relativeTime(new Date(String(createTime)), now)}${approved}.`,
    ...(description ? [`Description: ${description}`] : []),
    ...(progress === undefined ? [] : [progress]),
  ].map(withoutControls);
}

/** Returns tags and images as a table on a terminal, and as tab-separated lines elsewhere. */
export function itemsText(items: JsonObject[]): string {
  const { stdout } = here();
  const now = new Date();
  const isShort = stdout.isTTY === true;
  const text = isShort
    ? tableText(items, itemColumns(isShort), stdout, now)
    : tsvText(items, itemColumns(isShort), now);
  return text.trimEnd();
}

function itemColumns(isShort: boolean): TableColumn[] {
  const message = "platform.registry.v2.ExpiryPlanItem";
  const item = { ...requireResourceNamed("expiryPlan"), message };
  return [
    column("expires", 0, ({ tag, digest }) => String(tag || shownDigest(digest, isShort))),
    column("rule", 3, ({ tagRule, tagRuleUid }) => String(tagRule || tagRuleUid || "")),
    column("reason", 8, ({ reason }) => String(reason ?? "")),
    columnAt(item, "lastPullTime", 6),
    column("bytes", 5, (row) => bytesOf(row, isShort)),
    column("outcome", 2, ({ outcome }) =>
      outcome === "EXPIRY_OUTCOME_PLANNED" ? "" : wordOf("ExpiryOutcome", outcome),
    ),
    column("note", 1, ({ note }) => String(note ?? "")),
  ];
}

const shownDigest = (digest: unknown, isShort: boolean) =>
  isShort ? shortDigest(String(digest)) : String(digest);

const bytesOf = (row: JsonObject, isShort: boolean) => {
  const bytes = numberIn(row, "bytes");
  return isShort && bytes > 0 ? bytesText(bytes) : isShort ? "" : String(bytes);
};

/** Returns a failure whose message names the command that helps, in a line of its own. */
export const withCommand = (
  { exitCode, code, message, details }: Failure,
  line: string | undefined,
): Failure =>
  new Failure(exitCode, code, line === undefined ? message : `${message}\n${line}`, details);

/** Returns the parts of an answer, those with a text, with an empty line between two of them. */
export const paragraphs = (...parts: (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== "").join("\n\n");
