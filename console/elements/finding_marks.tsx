/** A finding in a few words: its severity, its fix, and the VEX statement about it. */
import type { Finding, FindingCounts } from "../../client/index.ts";
import { Badge, Severity, type Tone } from "./badge.tsx";

const countNames = ["critical", "high", "medium", "low", "negligible", "unknown"] as const;

/** The numbers of vulnerabilities by severity, without those that are 0. */
export function SeverityCounts({ counts }: { counts: FindingCounts }) {
  const shown = countNames.filter((name) => counts[name] > 0);
  if (shown.length === 0) return <Badge tone="good">None found</Badge>;
  return (
    <span class="badges">
      {shown.map((name) => (
        <Severity key={name} severity={name.toUpperCase()} count={counts[name]} />
      ))}
    </span>
  );
}

interface FindingProps {
  finding: Finding;
}

const vexWords: Record<string, [string, Tone]> = {
  VEX_STATUS_NOT_AFFECTED: ["Not affected", "good"],
  VEX_STATUS_AFFECTED: ["Affected", "bad"],
  VEX_STATUS_FIXED: ["Fixed", "good"],
  VEX_STATUS_UNDER_INVESTIGATION: ["Under investigation", "info"],
};

/** The status in a statement, or that one cannot be applied. The reason appears when the pointer is on it. */
export function VexMark({ finding: { vex, unappliedVex = [] } }: FindingProps) {
  const [word, tone = "plain"] = vexWords[vex?.status ?? ""] ?? [];
  if (!vex && unappliedVex.length > 0) {
    const reasons = unappliedVex.map(({ reason, advisoryId }) => `${reason}, ${advisoryId}`);
    return (
      <span class="pale" title={reasons.join("\n")}>
        Not applied
      </span>
    );
  }
  if (!vex || word === undefined) return <span class="pale">No statement</span>;
  const reason = vex.justification?.replaceAll("_", " ");
  const about = vex.aboutImage ? "about this image" : "about the package";
  return (
    <span title={[reason, about, vex.advisoryId].filter(Boolean).join(", ")}>
      <Badge tone={tone}>{word}</Badge>
    </span>
  );
}

const sources: Record<string, string> = {
  FOUND_BY_SBOM: "SBOM",
  FOUND_BY_SCANNER: "Scanner",
  FOUND_BY_BOTH: "SBOM, scanner",
};

/** The source of a finding. If it is not known whether the package is affected, that is shown, and the reason as its title. */
export function FoundBy({ finding }: FindingProps) {
  if (isUnknown(finding))
    return (
      <span title={finding.unknownReason}>
        <Badge tone="info">Not known</Badge>
      </span>
    );
  return <span>{sources[finding.foundBy ?? ""]}</span>;
}

/** Whether it is not known if the package is affected. */
export const isUnknown = ({ state }: Finding): boolean => state === "FINDING_STATE_UNKNOWN";

/** Whether a statement says that the vulnerability does not matter any more. */
export const isResolved = ({ vex }: Finding): boolean =>
  vex?.status === "VEX_STATUS_NOT_AFFECTED" || vex?.status === "VEX_STATUS_FIXED";

/** The versions with the fix, or that there is none. */
export function Fix({ finding: { fixedVersions = [], fixState } }: FindingProps) {
  if (fixedVersions.length > 0) {
    const text = fixedVersions.join(", ");
    return (
      <bdi class="mono" title={text}>
        {text}
      </bdi>
    );
  }
  return (
    <span class="pale">{fixState === "FIX_STATE_WONT_FIX" ? "Will not be fixed" : "None"}</span>
  );
}
