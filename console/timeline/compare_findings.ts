/** Compares the findings of two images. */
import type { Finding } from "../../client/index.ts";

/** A vulnerability in a package, as far as a comparison needs it. */
export interface ComparedFinding {
  vulnerability: string;
  package: string;
  /** The name of a FindingSeverity. */
  severity: string;
}

/** The findings that only one of the images has. The most severe come first. */
export interface FindingDifference {
  came: ComparedFinding[];
  went: ComparedFinding[];
  /** The findings of both. */
  same: number;
}

/** From the most severe on. */
export const severities: readonly string[] = [
  "FINDING_SEVERITY_CRITICAL",
  "FINDING_SEVERITY_HIGH",
  "FINDING_SEVERITY_MEDIUM",
  "FINDING_SEVERITY_LOW",
  "FINDING_SEVERITY_NEGLIGIBLE",
  "FINDING_SEVERITY_UNKNOWN",
];

/** The version of the package does not matter: a finding stays if the new version has it too. */
export function toCompared({ vulnerabilityId = "", severity, ...rest }: Finding): ComparedFinding {
  return {
    vulnerability: vulnerabilityId,
    package: rest.package?.name ?? "",
    severity: severity ?? "FINDING_SEVERITY_UNKNOWN",
  };
}

/** Compares the findings by vulnerability and package. */
export function compareFindings(
  before: readonly ComparedFinding[],
  after: readonly ComparedFinding[],
): FindingDifference {
  const [old, current] = [byKey(before), byKey(after)];
  const only = (some: typeof old, others: typeof old) =>
    [...some].flatMap(([key, finding]) => (others.has(key) ? [] : [finding])).sort(bySeverity);
  const came = only(current, old);
  return { came, went: only(old, current), same: current.size - came.length };
}

const byKey = (findings: readonly ComparedFinding[]) =>
  new Map(findings.map((one) => [`${one.vulnerability}\n${one.package}`, one]));

const rank = ({ severity }: ComparedFinding) => {
  const place = severities.indexOf(severity);
  return place < 0 ? severities.length : place;
};

const bySeverity = (a: ComparedFinding, b: ComparedFinding) =>
  rank(a) - rank(b) ||
  a.vulnerability.localeCompare(b.vulnerability) ||
  a.package.localeCompare(b.package);

/** The number of findings of each severity that occurs. */
export const countsOf = (findings: readonly ComparedFinding[]) =>
  severities.flatMap((severity) => {
    const count = findings.filter((one) => one.severity === severity).length;
    return count === 0 ? [] : [{ severity, count }];
  });
