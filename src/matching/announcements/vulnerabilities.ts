/** The vulnerabilities that an image has, and those that events have announced. */
import { compareIds } from "../finding_rows.ts";

/** A finding, without what only an event contains. */
export interface ShortFinding {
  uid: string;
  imageUid: string;
  vulnerabilityId: string;
  aliases: string[];
  /** Why it is not known whether the package is affected. Empty if it is affected. */
  unknown: string;
  /** Whether there are VEX statements that can be about it. */
  hasStatements: number;
}

/** A row of `announced_vulnerabilities`. */
export interface Announced {
  imageUid: string;
  vulnerability: string;
  severity: number;
  ids: string[];
}

/** A vulnerability of an image. Findings and announcements with a common id, also by way of others, are about the same one. */
export interface Vulnerability {
  /** The first of all ids. */
  key: string;
  findings: ShortFinding[];
  announced: Announced[];
}

/** All ids of findings and further ones, in upper case, in ascending order. */
export const idsOf = (
  findings: Pick<ShortFinding, "vulnerabilityId" | "aliases">[],
  ...further: string[]
): string[] =>
  [
    ...new Set(
      [
        ...further,
        ...findings.flatMap(({ vulnerabilityId, aliases }) => [vulnerabilityId, ...aliases]),
      ].map((id) => id.toUpperCase()),
    ),
  ].sort();

/** The id by which findings are announced: the first CVE id if there is one. */
export const shownId = (findings: Pick<ShortFinding, "vulnerabilityId" | "aliases">[]): string =>
  findings
    .flatMap(({ vulnerabilityId, aliases }) => [vulnerabilityId, ...aliases])
    .reduce((best, id) => (compareIds(id.toUpperCase(), best.toUpperCase()) < 0 ? id : best));

/** The vulnerabilities of one image, in the order of their keys. */
export function vulnerabilitiesOf(
  findings: ShortFinding[],
  announced: Announced[],
): Vulnerability[] {
  const ids = [...findings.map((one) => idsOf([one])), ...announced.map((one) => one.ids)];
  const groups = Map.groupBy(ids.keys(), joinedBy(ids));
  return [...groups.values()]
    .map((members) => ({
      key: members.flatMap((at) => ids[at] ?? []).sort()[0] ?? "",
      findings: members.flatMap((at) => findings[at] ?? []),
      announced: members.flatMap((at) => announced[at - findings.length] ?? []),
    }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** A function that returns the same number for members with a common id, also by way of others. */
function joinedBy(ids: string[][]): (at: number) => number {
  const parents = [...ids.keys()];
  const rootOf = (at: number): number => {
    let root = at;
    for (let next = parents[root]; next !== undefined && next !== root; next = parents[root]) {
      parents[root] = parents[next] ?? next;
      root = next;
    }
    return root;
  };
  const firstWith = new Map<string, number>();
  for (const [at, own] of ids.entries()) {
    for (const id of own) {
      const first = firstWith.get(id);
      if (first === undefined) firstWith.set(id, at);
      else parents[rootOf(at)] = rootOf(first);
    }
  }
  return rootOf;
}

/** `undecided` if VEX statements decide. */
export type State = "affected" | "undecided" | "ended";

export function stateOf({ findings }: Vulnerability): State {
  const certain = findings.filter(({ unknown }) => unknown === "");
  if (certain.some(({ hasStatements }) => hasStatements === 0)) return "affected";
  return certain.length > 0 ? "undecided" : "ended";
}

/** The ids of an announcement while the image has the vulnerability. Undefined if they are stored already. */
export function changedIds({ findings }: Vulnerability, { vulnerability, ids }: Announced) {
  const own = idsOf(findings, vulnerability);
  return own.join(" ") === ids.join(" ") ? undefined : own;
}
