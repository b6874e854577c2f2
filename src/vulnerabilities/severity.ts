/** Rates vulnerabilities by their CVSS vectors, or by the words of a record. */
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { FindingSeverity as Severity } from "../../schema/gen/platform/registry/findings/v2/findings_pb.js";
import { Severity_Type } from "../../schema/gen/platform/vulnerabilities/v2/advisories_pb.js";
import type { StoredSeverity } from "../../schema/tables/vulnerabilities/advisories.ts";
import { score4 } from "./cvss4.ts";

type Weights = Record<string, Record<string, number>>;

/** The weights of CVSS 3.0 and 3.1 (specification, section 7.4). */
const weights3: Weights = {
  AV: { N: 0.85, A: 0.62, L: 0.55, P: 0.2 },
  AC: { L: 0.77, H: 0.44 },
  UI: { N: 0.85, R: 0.62 },
  C: { H: 0.56, L: 0.22, N: 0 },
  I: { H: 0.56, L: 0.22, N: 0 },
  A: { H: 0.56, L: 0.22, N: 0 },
};

/** The weights of the privileges that an attack needs depend on its scope: unchanged or changed. */
const privileges: Weights = {
  U: { N: 0.85, L: 0.62, H: 0.27 },
  C: { N: 0.85, L: 0.68, H: 0.5 },
};

/** The weights of CVSS 2 (guide, section 3.2.1). */
const weights2: Weights = {
  AV: { L: 0.395, A: 0.646, N: 1 },
  AC: { H: 0.35, M: 0.61, L: 0.71 },
  Au: { M: 0.45, S: 0.56, N: 0.704 },
  C: { N: 0, P: 0.275, C: 0.66 },
  I: { N: 0, P: 0.275, C: 0.66 },
  A: { N: 0, P: 0.275, C: 0.66 },
};

const metricsOf = (vector: string) =>
  new Map(vector.split("/").map((metric) => metric.split(":") as [string, string]));

const reader = (weights: Weights, metrics: Map<string, string>) => (name: string) =>
  weights[name]?.[metrics.get(name) ?? ""] ?? Number.NaN;

/** The smallest number with one decimal that is not below the value. The integers avoid errors of floating point. */
function roundedUp(value: number): number {
  const scaled = Math.round(value * 100_000);
  return scaled % 10_000 === 0 ? scaled / 100_000 : (Math.floor(scaled / 10_000) + 1) / 10;
}

/** The base score of a vector of CVSS 3 (specification, section 7.1). NaN for an incomplete vector. */
function score3(vector: string): number {
  const metrics = metricsOf(vector);
  const weightOf = reader(weights3, metrics);
  const isChanged = metrics.get("S") === "C";
  const privilege = privileges[metrics.get("S") ?? ""]?.[metrics.get("PR") ?? ""] ?? Number.NaN;
  const exploitability = 8.22 * weightOf("AV") * weightOf("AC") * privilege * weightOf("UI");
  const base = 1 - (1 - weightOf("C")) * (1 - weightOf("I")) * (1 - weightOf("A"));
  const impact = isChanged ? 7.52 * (base - 0.029) - 3.25 * (base - 0.02) ** 15 : 6.42 * base;
  if (impact <= 0) return 0;
  return roundedUp(Math.min((impact + exploitability) * (isChanged ? 1.08 : 1), 10));
}

/** The base score of a vector of CVSS 2 (guide, section 3.2.1). NaN for an incomplete vector. */
function score2(vector: string): number {
  const weightOf = reader(weights2, metricsOf(vector));
  const impact = 10.41 * (1 - (1 - weightOf("C")) * (1 - weightOf("I")) * (1 - weightOf("A")));
  const exploitability = 20 * weightOf("AV") * weightOf("AC") * weightOf("Au");
  const factor = impact === 0 ? 0 : 1.176;
  return Math.round((0.6 * impact + 0.4 * exploitability - 1.5) * factor * 10) / 10;
}

/** The rating of a score. CVSS 2 has no rating above high. Undefined for NaN. */
function ratingOf(score: number, isVersion2: boolean): Severity | undefined {
  if (Number.isNaN(score)) return undefined;
  if (score >= 9 && !isVersion2) return Severity.CRITICAL;
  if (score >= 7) return Severity.HIGH;
  if (score >= 4) return Severity.MEDIUM;
  return score > 0 ? Severity.LOW : Severity.NEGLIGIBLE;
}

const words = new Map([
  ["negligible", Severity.NEGLIGIBLE],
  ["unimportant", Severity.NEGLIGIBLE],
  ["low", Severity.LOW],
  ["medium", Severity.MEDIUM],
  ["moderate", Severity.MEDIUM],
  ["high", Severity.HIGH],
  ["important", Severity.HIGH],
  ["critical", Severity.CRITICAL],
]);

const wordRating = (value: JsonValue | undefined) =>
  typeof value === "string" ? words.get(value.toLowerCase()) : undefined;

/** The severity of a vulnerability: by CVSS 4, or else by CVSS 3, or else by a word, or else by CVSS 2. */
export function severityOf(severities: StoredSeverity[], word?: Severity): Severity {
  const ratingBy = (type: Severity_Type, score: (vector: string) => number) => {
    const ratings = severities.flatMap((one) =>
      one.type === type ? (ratingOf(score(one.score), type === Severity_Type.CVSS_V2) ?? []) : [],
    );
    return ratings.length === 0 ? undefined : Math.max(...ratings);
  };
  return (
    ratingBy(Severity_Type.CVSS_V4, score4) ??
    ratingBy(Severity_Type.CVSS_V3, score3) ??
    word ??
    ratingBy(Severity_Type.CVSS_V2, score2) ??
    Severity.UNKNOWN
  );
}

/** The rating of an OSV record in a word: that of its database, or one of its severities, as Ubuntu gives it. */
export function wordOf({ database_specific: own, severity }: JsonObject): Severity | undefined {
  const isObject = (value: JsonValue | undefined): value is JsonObject =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  const said = isObject(own) ? wordRating(own.severity) : undefined;
  const listed = Array.isArray(severity) ? severity.filter(isObject) : [];
  return said ?? listed.map(({ score }) => wordRating(score)).find((one) => one !== undefined);
}
