/** Findings by vulnerability: one row for each, with the images that have it. */
import type { Finding, FindingSeverity } from "../../client/index.ts";
import { severityRank } from "../data/severities.ts";
import { isResolved, isUnknown } from "../elements/finding_marks.tsx";

/** A vulnerability in the images of a group. */
export interface FoundVulnerability {
  /** The CVE id if one is known, otherwise the id that the scanner reported. */
  id: string;
  /** All ids, without {@link id}. */
  aliases: string[];
  severity: FindingSeverity;
  /** The names of the packages that have it. */
  packages: string[];
  /** The number of images that it affects. */
  images: number;
  /** The names of the repositories. */
  repos: string[];
  fixedVersions: string[];
  /** The number of findings that a VEX statement resolves, of those in which it is not known, and of all. */
  resolved: number;
  unknown: number;
  findings: number;
}

/** The id that people search for, of the ids of a finding. */
export function commonId({ vulnerabilityId = "", aliases = [] }: Finding): string {
  const ids = [vulnerabilityId, ...aliases];
  return ids.find((id) => /^CVE-/i.test(id)) ?? vulnerabilityId;
}

/** A group while findings are added to it. */
interface Growing {
  first: Finding;
  ids: Set<string>;
  packages: Set<string>;
  images: Set<string>;
  repos: Set<string>;
  fixedVersions: Set<string>;
  resolved: number;
  unknown: number;
  findings: number;
}

/** Groups the findings. The vulnerabilities are in the order of their first findings. */
export function byVulnerability(findings: readonly Finding[]): FoundVulnerability[] {
  const groups = new Map<string, Growing>();
  for (const finding of findings) {
    const id = commonId(finding);
    const group = groups.get(id) ?? newGroup(finding);
    groups.set(id, group);
    if (severityRank(finding.severity) < severityRank(group.first.severity)) group.first = finding;
    for (const alias of [finding.vulnerabilityId ?? "", ...(finding.aliases ?? [])])
      group.ids.add(alias);
    group.packages.add(finding.package?.name ?? "");
    if (isUnknown(finding)) group.unknown += 1;
    else group.images.add(`${finding.repoUid}@${finding.digest}`);
    group.repos.add(finding.repoName ?? "");
    for (const version of finding.fixedVersions ?? []) group.fixedVersions.add(version);
    group.resolved += Number(isResolved(finding));
    group.findings += 1;
  }
  return [...groups].map(([id, group]) => ({
    id,
    aliases: [...group.ids].filter((alias) => alias !== id && alias !== ""),
    severity: group.first.severity ?? "FINDING_SEVERITY_UNKNOWN",
    packages: [...group.packages].filter(Boolean),
    images: group.images.size,
    repos: [...group.repos].filter(Boolean),
    fixedVersions: [...group.fixedVersions],
    resolved: group.resolved,
    unknown: group.unknown,
    findings: group.findings,
  }));
}

const newGroup = (first: Finding): Growing => ({
  first,
  ids: new Set(),
  packages: new Set(),
  images: new Set(),
  repos: new Set(),
  fixedVersions: new Set(),
  resolved: 0,
  unknown: 0,
  findings: 0,
});

/** Whether a vulnerability contains the text in one of its ids, packages or repositories. */
export function matches({ id, aliases, packages, repos }: FoundVulnerability, text: string) {
  const wanted = text.trim().toLowerCase();
  return [id, ...aliases, ...packages, ...repos].some((value) =>
    value.toLowerCase().includes(wanted),
  );
}
