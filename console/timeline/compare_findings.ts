/** Compares the findings of two images. */
import type { Finding, FindingSeverity } from "../../client/index.ts";
import { severityRank } from "../data/severities.ts";

/** A vulnerability in a package, as far as a comparison needs it. */
export interface ComparedFinding {
  vulnerability: string;
  package: string;
  severity: FindingSeverity;
}

/** The findings that only one of the images has. The most severe come first. */
export interface FindingDifference {
  came: ComparedFinding[];
  went: ComparedFinding[];
  /** The findings of both. */
  same: number;
}

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
  const only = (findings: typeof old, others: typeof old) =>
    [...findings].flatMap(([key, finding]) => (others.has(key) ? [] : [finding])).sort(bySeverity);
  const came = only(current, old);
  return { came, went: only(old, current), same: current.size - came.length };
}

const byKey = (findings: readonly ComparedFinding[]) =>
  new Map(findings.map((finding) => [`${finding.vulnerability}\n${finding.package}`, finding]));

const bySeverity = (a: ComparedFinding, b: ComparedFinding) =>
  severityRank(a.severity) - severityRank(b.severity) ||
  a.vulnerability.localeCompare(b.vulnerability) ||
  a.package.localeCompare(b.package);
