/** The severity of a vulnerability and the status of an advisory or a subscription, as tables show them. */
import { createRequire } from "node:module";
import { firstSentence } from "./catalog.ts";
import type { JsonObject } from "./flags.ts";

type Severity = { type?: string; score?: string };

/** The lowest score of each rating of CVSS 3 and 4, the worst first (FIRST, CVSS 4.0, section 6). */
const ratings: [number, string][] = [
  [9, "critical"],
  [7, "high"],
  [4, "medium"],
  [0.1, "low"],
  [0, "none"],
];

/**
 * Returns a text such as `7.5 high`, from the newest version of CVSS in the row's `severities`, or an empty text if
 * there is none. A score that is neither a vector nor a number is returned unchanged.
 */
export function severityOf({ severities }: JsonObject): string {
  if (!Array.isArray(severities)) return "";
  const [newest] = (severities as Severity[]).toSorted((a, b) =>
    (b.type ?? "").localeCompare(a.type ?? ""),
  );
  const { type = "", score = "" } = newest ?? {};
  const number = /^\d+(\.\d+)?$/.test(score) ? Number(score) : numberOf(score);
  if (number === undefined) return score;
  const word = ratings.find(([least]) => number >= least)?.[1] ?? "";
  // Version 2 does not have this rating (NVD).
  const rated = type === "TYPE_CVSS_V2" && word === "critical" ? "high" : word;
  return `${number.toFixed(1)} ${rated}`;
}

/**
 * The beginnings of vectors of CVSS 2, 3.0, 3.1 and 4.0. Without this check, the library would accept other names as
 * versions.
 */
const vectorPrefix = /^(CVSS:(3\.[01]|4\.0)\/|AV:)/;

const load = createRequire(import.meta.url);

/** Returns the score of a vector, or undefined if the vector is incomplete. */
function numberOf(vector: string): number | undefined {
  if (!vectorPrefix.test(vector)) return undefined;
  // Loaded here because only rows with vectors need it. Otherwise every command that prints rows would wait for it.
  const cvss: typeof import("ae-cvss-calculator") = load("ae-cvss-calculator");
  const scores = cvss.fromVector(vector)?.calculateScores();
  return scores?.base === undefined ? undefined : scores.overall;
}

/** The status that each step of an advisory means. The location of the component is not a status. */
const steps: Record<string, string> = {
  detection: "detected",
  truePositiveDetermination: "affected",
  falsePositiveDetermination: "not affected",
  fixed: "fixed",
  patched: "patched",
  fixNotPlanned: "no fix planned",
  analysisNotPlanned: "no analysis planned",
  pendingUpstreamFix: "pending upstream",
};

/**
 * Returns the status of an advisory: `withdrawn`, otherwise that of its newest approved step, or `in review` without
 * one.
 */
export function statusOf({ deleteTime, events }: JsonObject): string {
  if (deleteTime !== undefined) return "withdrawn";
  const all = Array.isArray(events) ? (events as JsonObject[]) : [];
  const stepped = all.filter((event) => stepOf(event) !== undefined);
  const approved = stepped.filter(({ reviewState }) => reviewState === "REVIEW_STATE_APPROVED");
  const newest = approved.at(-1);
  if (!newest) return stepped.length > 0 ? "in review" : "";
  return steps[stepOf(newest) ?? ""] ?? "";
}

const stepOf = (event: JsonObject) => Object.keys(steps).find((name) => name in event);

/** Returns one line about a vulnerability. Many sources have no summary, only details. */
export const summaryOf = ({ summary, details }: JsonObject): string =>
  String(summary || firstSentence(String(details ?? "")));

/** Returns the ids of the vulnerabilities that were resolved. */
export const resolvedOf = ({ resolvedVulns }: JsonObject): string =>
  Array.isArray(resolvedVulns)
    ? (resolvedVulns as JsonObject[]).map(({ id }) => id).join(", ")
    : "";

/** Returns the number of advisories in a document. */
export const countOf = ({ advisories }: JsonObject): string =>
  String(Array.isArray(advisories) ? advisories.length : 0);

/** Returns the status of the last attempt of a delivery, or why there was none. */
export function outcomeOf({ attempts }: JsonObject): string {
  const last = (attempts as JsonObject[] | undefined)?.at(-1);
  return last ? String(last.status || last.error) : "not sent yet";
}

/** The most identities that a cell names. */
const maxNamed = 2;

/** Returns who pulls an end-of-life tag, such as `ci-bot, deploy, 3 more`. */
export function consumersOf({ consumers, consumerCount }: JsonObject): string {
  const count = Number(consumerCount ?? 0);
  const named = (Array.isArray(consumers) ? (consumers as JsonObject[]) : []).slice(0, maxNamed);
  // The platform counts up to 11.
  const many = (rest: number) => (count > 10 ? `over ${rest - 1}` : String(rest));
  if (named.length === 0)
    return count === 0 ? "no one" : `${many(count)} ${count === 1 ? "identity" : "identities"}`;
  const names = named.map((identity) =>
    String(identity.identityName || identity.identityUid || "anyone without a role"),
  );
  const rest = count - named.length;
  return [...names, ...(rest > 0 ? [`${many(rest)} more`] : [])].join(", ");
}

/** Returns whether a subscription gets events, as the console says it. */
export function subscriptionStatusOf({ disabled, failingSince, confirmTime }: JsonObject): string {
  if (disabled === true) return "disabled";
  if (failingSince !== undefined) return "failing";
  return confirmTime === undefined ? "unconfirmed" : "active";
}

const warnings: Record<string, string> = {
  TAG_MOVE_WARNING_RELEASE_MOVED: "a release moved",
  TAG_MOVE_WARNING_OLDER_DIGEST: "older digest",
  TAG_MOVE_WARNING_MANY_TAGS: "many tags at once",
};

/** Returns the warnings about a move of a tag in words. */
export const warningsOf = ({ warnings: names }: JsonObject): string =>
  (Array.isArray(names) ? names : [])
    .map((name) => warnings[String(name)] ?? String(name))
    .join(", ");
