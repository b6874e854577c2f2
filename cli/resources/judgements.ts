/** What tables say of vulnerabilities: how bad one is, and how an advisory stands. */
import { createRequire } from "node:module";
import { firstSentence } from "./catalog.ts";
import type { JsonObject } from "./flags.ts";

type Severity = { type?: string; score?: string };

/** The least score of each word of CVSS 3 and 4, the worst first (FIRST, CVSS 4.0, section 6). */
const ratings: [number, string][] = [
  [9, "critical"],
  [7, "high"],
  [4, "medium"],
  [0.1, "low"],
  [0, "none"],
];

/**
 * `7.5 high`, by the newest version of CVSS that the row's `severities` have; empty without any. A
 * score that is neither a vector nor a number stands as it is.
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
  // Version 2 has no such word (NVD).
  const rated = type === "TYPE_CVSS_V2" && word === "critical" ? "high" : word;
  return `${number.toFixed(1)} ${rated}`;
}

/** How vectors of CVSS 2, 3.0, 3.1 and 4.0 begin. The library takes names of other things for versions. */
const vectorPrefix = /^(CVSS:(3\.[01]|4\.0)\/|AV:)/;

const load = createRequire(import.meta.url);

/** The score of a vector; undefined for one that is not whole. */
function numberOf(vector: string): number | undefined {
  if (!vectorPrefix.test(vector)) return undefined;
  // Loaded here: only rows with vectors need it, and every command that prints rows would wait for it.
  const cvss: typeof import("ae-cvss-calculator") = load("ae-cvss-calculator");
  const scores = cvss.fromVector(vector)?.calculateScores();
  return scores?.base === undefined ? undefined : scores.overall;
}

/** What each step of an advisory means for it. Where its component lies means nothing. */
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

/** How an advisory stands: `withdrawn`, or by its newest approved step; `in review` without one. */
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

/** One line on a vulnerability. Many sources have no summary, but a text. */
export const summaryOf = ({ summary, details }: JsonObject): string =>
  String(summary || firstSentence(String(details ?? "")));

/** Ids of the vulnerabilities that went away. */
export const resolvedOf = ({ resolvedVulns }: JsonObject): string =>
  Array.isArray(resolvedVulns)
    ? (resolvedVulns as JsonObject[]).map(({ id }) => id).join(", ")
    : "";

/** How many advisories a document has. */
export const countOf = ({ advisories }: JsonObject): string =>
  String(Array.isArray(advisories) ? advisories.length : 0);
