/**
 * Reads reports of the scanner Grype in the JSON of its `-o json` (https://github.com/anchore/grype:
 * grype/presenter/models). Members that no response contains are ignored, so newer versions can add members.
 */
import {
  Vulnerability_Fix_State as FixState,
  Vulnerability_Severity as Severity,
} from "../../../schema/gen/platform/registry/vulnerabilities_pb.js";
import { invalidArgument } from "../../aip/errors.ts";
import { readJson } from "../../aip/text.ts";

/** A package of the image, and a vulnerability in it. */
export interface GrypeFinding {
  id: string;
  /** Number of Vulnerability.Severity of version 1. */
  severity: number;
  /** The scanner's name for the database of the record: `debian:distro:debian:12`. */
  namespace: string;
  /** The address of the record. */
  dataSource: string;
  description: string;
  urls: string[];
  cvss: { score: string; version: string }[];
  advisories: { id: string; link: string }[];
  /** Records about the same vulnerability in other databases. */
  related: { id: string; source: string; description: string }[];
  /** Undefined if the report names no fix. `state` is a number of Vulnerability.Fix.State. */
  fix?: { versions: string[]; state: number };
  package: {
    id: string;
    name: string;
    version: string;
    purl: string;
    licenses: string[];
    cpes: string[];
    locations: string[];
  };
}

/**
 * The stored part of a report. Times are in milliseconds since 1970, and undefined if the report does not
 * contain them.
 */
export interface GrypeReport {
  scannerVersion: string;
  dbBuildTime: number | undefined;
  scanTime: number | undefined;
  /** The manifest digests of the image in the report. Empty if it contains none. */
  digests: string[];
  /** The bytes of the layers, uncompressed. 0 if the report does not contain them. */
  imageSize: number;
  findings: GrypeFinding[];
}

/** The most matches of a report, and the most characters in the id of a vulnerability. */
const maxMatches = 20_000;
const maxIdLength = 128;

const severities = new Map([
  ["negligible", Severity.NEGLIGIBLE],
  ["low", Severity.LOW],
  ["medium", Severity.MEDIUM],
  ["high", Severity.HIGH],
  ["critical", Severity.CRITICAL],
]);

const states = new Map([
  ["fixed", FixState.FIXED],
  ["not-fixed", FixState.NOT_FIXED],
  ["wont-fix", FixState.WONT_FIX],
]);

const invalidContent = (asText: string) => invalidArgument("content", `content: ${asText}`);

const invalidContentAt = (path: string, what: string) =>
  invalidContent(`${path === "" ? "the report" : path} ${what}`);

type Json = Record<string, unknown>;

const isJsonObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const asObject = (value: unknown): Json => (isJsonObject(value) ? value : {});
const asObjects = (value: unknown): Json[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];
const asText = (value: unknown): string => (typeof value === "string" ? value : "");
const asTexts = (value: unknown): string[] => [
  ...new Set((Array.isArray(value) ? value : []).map(asText).filter((text) => text !== "")),
];

/** Reads a report. Throws INVALID_ARGUMENT for `content` and the place in it. */
export function readGrypeReport(bytes: Uint8Array): GrypeReport {
  const report = parse(bytes);
  const descriptor = asObject(report.descriptor);
  if (asText(descriptor.name).toLowerCase() !== "grype") {
    throw invalidContent("descriptor.name must be grype; send the output of `grype -o json`");
  }
  if (!Array.isArray(report.matches)) throw invalidContent("matches must be a list");
  if (report.matches.length > maxMatches)
    throw invalidContent(
      `matches must have at most ${maxMatches} items; it has ${report.matches.length}`,
    );
  const db = asObject(descriptor.db);
  // Grype 0.88 moved the data about the database into `status`.
  const built = isJsonObject(db.status)
    ? timeAt(db.status.built, "descriptor.db.status.built")
    : timeAt(db.built, "descriptor.db.built");
  const target = asObject(asObject(report.source).target);
  const { imageSize } = target;
  return {
    scannerVersion: asText(descriptor.version),
    dbBuildTime: built,
    scanTime: timeAt(descriptor.timestamp, "descriptor.timestamp"),
    digests: digestsOf(target),
    imageSize: Number.isSafeInteger(imageSize) && Number(imageSize) > 0 ? Number(imageSize) : 0,
    findings: report.matches.map(readMatch),
  };
}

function parse(bytes: Uint8Array): Json {
  const report = readJson(bytes, invalidContentAt);
  if (!isJsonObject(report)) throw invalidContent("the report must be a JSON object");
  return report;
}

/** Go writes a time that was never set as the year 1. */
function timeAt(value: unknown, path: string): number | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
  const time = typeof value === "string" && form.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time))
    throw invalidContent(`${path} must be a time in RFC 3339, such as 2026-01-31T12:00:00Z`);
  return time > 0 ? time : undefined;
}

function digestsOf(target: Json): string[] {
  const named = asTexts(target.repoDigests).map((reference) =>
    reference.slice(reference.indexOf("@") + 1),
  );
  return asTexts([asText(target.manifestDigest), ...named]);
}

function readMatch(value: unknown, index: number): GrypeFinding {
  const path = `matches[${index}]`;
  if (!isJsonObject(value)) throw invalidContent(`${path} must be a JSON object`);
  const vulnerability = asObject(value.vulnerability);
  const artifact = asObject(value.artifact);
  const id = asText(vulnerability.id);
  if (id === "") throw invalidContent(`${path}.vulnerability.id is required`);
  if (id.length > maxIdLength) {
    throw invalidContent(`${path}.vulnerability.id must have at most ${maxIdLength} characters`);
  }
  if (asText(artifact.name) === "") throw invalidContent(`${path}.artifact.name is required`);
  const related = asObjects(value.relatedVulnerabilities);
  const own = cvssOf(vulnerability);
  return {
    id,
    severity: severities.get(asText(vulnerability.severity).toLowerCase()) ?? Severity.UNKNOWN,
    namespace: asText(vulnerability.namespace),
    dataSource: asText(vulnerability.dataSource),
    description: asText(vulnerability.description),
    urls: asTexts(vulnerability.urls),
    // The record of a distribution has no score of its own.
    cvss: own.length > 0 ? own : related.flatMap(cvssOf),
    advisories: asObjects(vulnerability.advisories).flatMap((item) => {
      const advisory = { id: asText(item.id), link: asText(item.link) };
      return advisory.id === "" ? [] : [advisory];
    }),
    related: related.flatMap((item) => {
      const source = asText(item.namespace) || asText(item.dataSource);
      const record = { id: asText(item.id), source, description: asText(item.description) };
      return record.id === "" ? [] : [record];
    }),
    ...fixOf(vulnerability.fix),
    package: packageOf(artifact),
  };
}

const cvssOf = ({ cvss }: Json) =>
  asObjects(cvss).flatMap(({ version, metrics }) => {
    const { baseScore } = asObject(metrics);
    return typeof baseScore === "number"
      ? [{ score: String(baseScore), version: asText(version) }]
      : [];
  });

function fixOf(value: unknown): Pick<GrypeFinding, "fix"> {
  if (!isJsonObject(value)) return {};
  return {
    fix: {
      versions: asTexts(value.versions),
      state: states.get(asText(value.state)) ?? FixState.UNKNOWN,
    },
  };
}

const packageOf = (artifact: Json): GrypeFinding["package"] => ({
  id: asText(artifact.id),
  name: asText(artifact.name),
  version: asText(artifact.version),
  purl: asText(artifact.purl),
  licenses: asTexts(artifact.licenses),
  cpes: asTexts(artifact.cpes),
  locations: asTexts(asObjects(artifact.locations).map(({ path }) => path)),
});

/** From the least to the most severe. */
const severityOrder = [
  Severity.UNKNOWN,
  Severity.NEGLIGIBLE,
  Severity.LOW,
  Severity.MEDIUM,
  Severity.HIGH,
  Severity.CRITICAL,
];

/** Each id once, with its highest severity in the report. In ascending order of ids. */
export function idsBySeverity(findings: Pick<GrypeFinding, "id" | "severity">[]) {
  const worst = new Map<string, number>();
  for (const { id, severity } of findings) {
    const before = worst.get(id);
    if (before === undefined || severityOrder.indexOf(severity) > severityOrder.indexOf(before)) {
      worst.set(id, severity);
    }
  }
  const ids: Record<string, string[]> = {};
  for (const [id, severity] of [...worst].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const list = ids[severity] ?? [];
    list.push(id);
    ids[severity] = list;
  }
  return ids;
}
