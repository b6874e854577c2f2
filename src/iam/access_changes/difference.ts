/** Compares what a holder may do before and after a write. A grant applies to a group and everything below it. */
import { isAtOrAbove } from "../../aip/uid_path.ts";

/** Capabilities at a group and everything below it. */
export interface HeldGrant {
  group: string;
  capabilities: readonly number[];
}

/** The changes at a group and below it, except at `unchanged` groups and below them. */
export interface Difference {
  group: string;
  gained: number[];
  lost: number[];
  unchanged: string[];
}

/**
 * The changes between two sets of grants, in the order of their groups. Together they cover exactly the groups
 * where the holder has a capability in one of the sets and not in the other.
 */
export function differenceOf(before: HeldGrant[], after: HeldGrant[]): Difference[] {
  const differences = new Map<string, Difference>();
  const [had, has] = [topGroups(before), topGroups(after)];
  const note = (
    kind: "gained" | "lost",
    from: Map<number, string[]>,
    to: Map<number, string[]>,
  ) => {
    for (const [capability, groups] of to) {
      const others = from.get(capability) ?? [];
      for (const group of groups) {
        if (others.some((other) => isAtOrAbove(other, group))) continue;
        const unchanged = others.filter((other) => isAtOrAbove(group, other));
        const key = [group, ...unchanged].join();
        const difference = differences.get(key) ?? { group, gained: [], lost: [], unchanged };
        difference[kind].push(capability);
        differences.set(key, difference);
      }
    }
  };
  note("gained", had, has);
  note("lost", has, had);
  return [...differences.entries()]
    .sort(([first], [other]) => (first < other ? -1 : 1))
    .map(([, { group, gained, lost, unchanged }]) => ({
      group,
      unchanged,
      gained: inOrder(gained),
      lost: inOrder(lost),
    }));
}

const inOrder = (numbers: number[]) => numbers.sort((a, b) => a - b);

/** The groups where each capability is granted, in ascending order and without groups below others. */
function topGroups(grants: HeldGrant[]): Map<number, string[]> {
  const tops = new Map<number, string[]>();
  // A group sorts before the groups below it, and they directly follow it.
  for (const { group, capabilities } of grants.toSorted((a, b) => (a.group < b.group ? -1 : 1))) {
    for (const capability of capabilities) {
      const groups = tops.get(capability) ?? [];
      const last = groups.at(-1);
      if (last === undefined || !isAtOrAbove(last, group)) groups.push(group);
      tops.set(capability, groups);
    }
  }
  return tops;
}
