/** Whether a package is in the ranges of a record, and in which parts of the index such packages are. */
import { describe, expect, test } from "vitest";
import { intervalsOf, type Place } from "../../src/matching/intervals.ts";
import { type Range, verdictOf } from "../../src/matching/verdicts.ts";
import type { AffectedRange } from "../../src/packages/affected_ranges.ts";
import type { MatchColumns } from "../../src/packages/match_columns.ts";
import { verdictOf as ruleOf } from "../packages/verdict.ts";

const range = (more: Partial<Range> = {}): Range => ({
  ...{ packageKey: "k", release: "", versionOrder: "semver", from: "b", below: "d" },
  ...{ fixed: "4", severity: 5 },
  ...more,
});

const package_ = (matchSortKey: string, more: Partial<MatchColumns> = {}): MatchColumns => ({
  ...{ matchKey: "k", release: "", matchOrder: "semver", matchSortKey },
  ...more,
});

const debian = { release: "debian-12" };
const unordered = { matchOrder: "" };

/** The expected verdict: in the range, not in it, or not known and why. */
const cases: [string, Range, MatchColumns, "in" | "out" | RegExp][] = [
  ["the first version", range(), package_("b"), "in"],
  ["the version before the first", range(), package_("azzz"), "out"],
  ["the last version", range(), package_("czzz"), "in"],
  ["the version after the last", range(), package_("d"), "out"],
  ["any version before the end", range({ from: "" }), package_("0"), "in"],
  ["any version after the beginning", range({ below: "" }), package_("zz"), "in"],
  ["another package", range(), package_("c", { matchKey: "other" }), "out"],
  [
    "a package without a package URL",
    range({ packageKey: "" }),
    package_("c", { matchKey: "" }),
    "out",
  ],
  ["an unreadable version", range(), package_("weird", unordered), /cannot be compared/],
  ["no version", range(), package_("", unordered), /names no version/],
  [
    "an unreadable version and one version",
    range({ from: "c", below: "c\u0001" }),
    package_("weird", unordered),
    "out",
  ],
  [
    "an unreadable range",
    range({ versionOrder: "?", from: "", below: "" }),
    package_("c"),
    /cannot be read/,
  ],
  [
    "all versions",
    range({ versionOrder: "*", from: "", below: "" }),
    package_("", unordered),
    "in",
  ],
  [
    "a text that is the version",
    range({ versionOrder: "", from: "weird", below: "" }),
    package_("weird", unordered),
    "in",
  ],
  [
    "a text that is another version",
    range({ versionOrder: "", from: "weird", below: "" }),
    package_("weirder", unordered),
    "out",
  ],
  [
    "a text and a version that can be read",
    range({ versionOrder: "", from: "c", below: "" }),
    package_("c"),
    "out",
  ],
  [
    "a text and no version",
    range({ versionOrder: "", from: "weird", below: "" }),
    package_("", unordered),
    /names no version/,
  ],
  ["the release", range(debian), package_("c", debian), "in"],
  ["another release", range(debian), package_("c", { release: "debian-13" }), "out"],
  [
    "an unknown release of the package",
    range(debian),
    package_("c", { release: "?" }),
    /SBOM names no release/,
  ],
  ["an unknown release and another version", range(debian), package_("d", { release: "?" }), "out"],
  [
    "an unknown release of the record",
    range({ release: "?" }),
    package_("c", debian),
    /record names no release/,
  ],
  [
    "unknown releases of both",
    range({ release: "?" }),
    package_("c", { release: "?" }),
    /record names no release/,
  ],
  [
    "an unknown release of the record and another version",
    range({ release: "?" }),
    package_("a", debian),
    "out",
  ],
];

test.each(cases)("%s", (_, of, one, expected) => {
  const verdict = verdictOf([of], one);
  if (expected === "out") expect(verdict).toBeUndefined();
  else if (expected === "in") expect(verdict).toEqual({ range: of, unknown: "" });
  else expect(verdict?.unknown).toMatch(expected);
});

test.each(cases)(
  "the index has a place for it: %s",
  (_, of, { release, matchOrder, matchSortKey, matchKey }, expected) => {
    if (matchKey !== of.packageKey || expected === "out") return;
    const place: Place = [release, matchOrder, matchSortKey, "uid"];
    const isIn = intervalsOf(of).filter(
      ({ low, high }) => compare(place, low) > 0 && compare(place, high) < 0,
    );
    expect(isIn).not.toEqual([]);
  },
);

function compare(a: Place, b: Place): number {
  const at = a.findIndex((text, i) => text !== b[i]);
  return at < 0 ? 0 : (a[at] as string) < (b[at] as string) ? -1 : 1;
}

describe("the parts of the index", () => {
  const holds = (of: Range, place: Place) =>
    intervalsOf(of).some(({ low, high }) => compare(place, low) > 0 && compare(place, high) < 0);

  test("leave out versions and releases that are certainly not affected", () => {
    expect(holds(range(debian), ["debian-12", "semver", "e", "u"])).toBe(false);
    expect(holds(range(debian), ["debian-12", "semver", "a", "u"])).toBe(false);
    expect(holds(range(debian), ["debian-13", "semver", "c", "u"])).toBe(false);
    expect(holds(range(), ["?", "semver", "c", "u"])).toBe(false);
    expect(holds(range({ versionOrder: "", from: "x", below: "" }), ["", "", "y", "u"])).toBe(
      false,
    );
    expect(holds(range({ versionOrder: "", from: "x", below: "" }), ["", "semver", "x", "u"])).toBe(
      false,
    );
  });
});

/** All combinations of one value of each list. */
const combinations = (lists: string[][]): string[][] =>
  lists.reduce<string[][]>(
    (rows, list) => rows.flatMap((row) => list.map((value) => [...row, value])),
    [[]],
  );

const keys = ["", "a", "b", "b\u0001", "c"];

/** Ranges and packages of one ecosystem, whose releases these are. A version with an order has a key. */
const pairsOf = (releases: string[]) =>
  combinations([
    ...[releases, ["", "*", "?", "semver"], keys, ["", "b", "b\u0001", "c"]],
    ...[releases, ["", "semver"], keys],
  ])
    .map((all) => {
      const [release, versionOrder, from, below, ownRelease, matchOrder, key] = all as [
        ...[string, string, string, string],
        ...[string, string, string],
      ];
      const of = range({ release, versionOrder, from, below });
      return { of, own: package_(key, { release: ownRelease, matchOrder }) };
    })
    .filter(
      ({ of, own }) =>
        (own.matchOrder === "" || own.matchSortKey !== "") &&
        (of.versionOrder !== "" || of.from !== ""),
    );

test.each([
  ["a distribution", ["debian-12", "debian-13", "?"]],
  ["libraries", [""]],
])(
  "the verdicts in %s are those of the rule, and the index has a place for each",
  (_, releases) => {
    for (const { of, own } of pairsOf(releases)) {
      const rule = ruleOf({ ...of, order: of.versionOrder as AffectedRange["order"] }, own);
      const verdict = verdictOf([of], own);
      const label = JSON.stringify([of, own]);
      expect(verdict && (verdict.unknown === "" ? "AFFECTED" : "UNKNOWN"), label).toBe(rule);
      const place: Place = [own.release, own.matchOrder, own.matchSortKey, "uid"];
      if (rule) expect(holdsPlace(of, place), label).toBe(true);
    }
  },
);

const holdsPlace = (of: Range, place: Place) =>
  intervalsOf(of).some(({ low, high }) => compare(place, low) > 0 && compare(place, high) < 0);

describe("with several ranges", () => {
  test("a package that is certainly in one is affected", () => {
    const unreadable = range({ versionOrder: "?" });
    expect(verdictOf([unreadable, range({ fixed: "9" })], package_("c"))).toMatchObject({
      ...{ range: { fixed: "9" }, unknown: "" },
    });
    expect(verdictOf([unreadable, range()], package_("z"))?.unknown).toMatch(/cannot be read/);
  });

  test("the first range counts that the package is in", () => {
    const both = [range({ fixed: "4" }), range({ fixed: "5", below: "e" })];
    expect(verdictOf(both, package_("c"))?.range.fixed).toBe("4");
    expect(verdictOf(both, package_("d"))?.range.fixed).toBe("5");
  });
});
