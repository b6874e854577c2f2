/** The severities of findings, and their order. */
import type { FindingSeverity } from "../../client/index.ts";

/** The severities, the most severe first. */
export const severities: readonly FindingSeverity[] = [
  "FINDING_SEVERITY_CRITICAL",
  "FINDING_SEVERITY_HIGH",
  "FINDING_SEVERITY_MEDIUM",
  "FINDING_SEVERITY_LOW",
  "FINDING_SEVERITY_NEGLIGIBLE",
  "FINDING_SEVERITY_UNKNOWN",
];

/** A number for sorting: 0 is the most severe. A severity that the platform has added is the least. */
export function severityRank(severity: FindingSeverity = "FINDING_SEVERITY_UNKNOWN"): number {
  const rank = severities.indexOf(severity);
  return rank < 0 ? severities.length : rank;
}

/** The numbers of rows by the name of their severity, such as `HIGH`, the most severe first. */
export function countBySeverity(
  rows: readonly { severity?: FindingSeverity }[],
): Map<string, number> {
  const counts = new Map(severities.map((severity) => [severity, 0]));
  for (const { severity = "FINDING_SEVERITY_UNKNOWN" } of rows)
    counts.set(severity, (counts.get(severity) ?? 0) + 1);
  return new Map(
    [...counts].map(([severity, count]) => [severity.replace("FINDING_SEVERITY_", ""), count]),
  );
}
