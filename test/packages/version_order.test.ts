import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type VersionOrder,
  versionOrderOf,
  versionOrders,
  versionSortKey,
} from "../../src/packages/version_order.ts";

/** Versions in ascending order. Versions with a space between them are equal. */
const sequences: [VersionOrder, string, string][] = [
  [
    "semver",
    "the example of SemVer 2.0.0, clause 11",
    `1.0.0-alpha < 1.0.0-alpha.1 < 1.0.0-alpha.beta < 1.0.0-beta < 1.0.0-beta.2 < 1.0.0-beta.11 <
    1.0.0-rc.1 < 1.0.0 1.0 v1.0.0 1.0.0+build.5 < 1.0.1 < 1.2.0 < 1.10.0 < 2.0.0`,
  ],
  [
    "semver",
    "versions of Go modules",
    `v0.0.0-20190101000000-aaaaaaaaaaaa < v0.0.0-20200101000000-000000000000 <
    v1.2.3-0.20200101000000-aaaaaaaaaaaa < v1.2.3 v1.2.3+incompatible < v2.0.0+incompatible`,
  ],
  ["deb", "the example of Debian Policy 5.6.12", "1~~ < 1~~a < 1~ < 1 1-0 < 1a"],
  [
    "deb",
    "versions of Debian",
    `0:0.9 < 1.0~beta1~svn1245 < 1.0~beta1 < 1.0 1.0-0 0:1.0 < 1.0-1 < 1.0-1+b1 < 1.0-1.1 <
    1.0-2 < 1.0a-1 < 1.0+git1-1 < 1.0.1-1 < 1.2-1 < 1.10-1 < 3.0.11-1~deb12u1 < 3.0.11-1 < 1:0.1`,
  ],
  [
    "rpm",
    "the examples of rpm-version(7) and the tests of RPM",
    `1.0~rc1 < 1.0~rc2 < 1.0 < 1.0^ < 1.0^git1~pre < 1.0^git1 < 1.0.1 <
    2.0 < 2.0.1 < 5.5p1 < 5.5p10 < 10.0001 10.1 < 10.1.0`,
  ],
  [
    "rpm",
    "releases and epochs",
    "5.1.8 < 5.1.8-6.el9 < 5.1.8-6.el9_1 < 5.1.8-10.el9 < 5.2-1.el9 < 1:1.0-1 < 2:0.5-1",
  ],
  [
    "apk",
    "the tests of apk-tools",
    `0.1.0_alpha < 0.1.3_alpha < 1.0_alpha < 1.0_alpha2 < 1.0_beta < 1.0_pre < 1.0_rc1 < 1.0 <
    1.0-r0 < 1.0-r1 < 1.0-r10 < 1.0_cvs1 < 1.0_git20200101 < 1.0_p1 < 1.0_p10 < 1.0a < 1.0b <
    1.0.0 < 1.0.1 < 1.05 < 1.1 < 1.9 < 1.10 < 2.34`,
  ],
  [
    "apk",
    "versions of Alpine that apk-tools refuses",
    "1.9.5_p3 < 1.9.5p < 1.9.5p1 < 1.9.5p1-r1 < 1.9.5p2-r0 < 1.9.5p10 < 1.9.5q < 1.9.6",
  ],
  ["gem", "zeros and words", "1.a.0.b < 1.a 1.a.0 < 1.a.0.1 < 1.a.1 < 1 1.0 < 1.0.1"],
  ["pypi", "PEP 440", "1.0.dev1 < 1.0a1 < 1.0rc1 < 1.0 1.0.0 < 1.0.post1 < 1.1 < 1!0.1"],
  [
    "maven",
    "the POM reference",
    `1-alpha < 1-beta < 1-rc < 1-snapshot < 1 1.0 1-ga < 1-sp <
    2.14.1 < 2.15.0 < 2.17.0 < 2.17.1`,
  ],
];

describe("keys sort like the versions:", () => {
  test.each(sequences)("%s, %s", (order, _, text) => {
    const items = text.split(/ <\s+/);
    const keys = items.map((item) => item.split(" ").map((one) => versionSortKey(order, one)));
    for (const [at, equal] of keys.entries()) {
      expect(new Set(equal).size, items[at]).toBe(1);
      expect(equal[0], items[at]).toBeDefined();
    }
    const firsts = keys.map(([key]) => key ?? "");
    for (const [at, key] of firsts.slice(1).entries()) {
      expect((firsts[at] ?? "") < key, `${items[at]} < ${items[at + 1]}`).toBe(true);
    }
  });
});

test.each([
  ["semver", "latest"],
  ["semver", "1.2.3.4"],
  ["deb", "abc"],
  ["deb", "1.0_1"],
  ["rpm", "1-2-3"],
  ["rpm", "~"],
  ["apk", "1.0~abc"],
  ["apk", "1.0_what"],
  ["pypi", "2004d"],
  ["maven", ""],
] as const)("the order %s has no place for %j", (order, version) => {
  expect(versionSortKey(order, version)).toBeUndefined();
});

test("a type whose order is not known has none", () => {
  expect(versionOrderOf("hackage")).toBeUndefined();
  expect(versionOrderOf("golang")).toBe("semver");
});

test.each([
  ["go1.22", "1.22.0"],
  ["go1.22.3", "v1.22.3"],
  ["go1.22rc1", "1.22.0-rc.1"],
  ["1.21beta2", "1.21.0-beta.2"],
  ["1.2.3beta1", "1.2.3-beta1"],
  ["=1.2.3", "1.2.3"],
  ["1.2.3-b-c", "1.2.3-b-c+build"],
])("semver: %s is %s", (version, other) => {
  expect(versionSortKey("semver", version)).toBeDefined();
  expect(versionSortKey("semver", version)).toBe(versionSortKey("semver", other));
});

test("the releases of Go come before and after each other as they were made", () => {
  const versions = ["go1.21.9", "go1.22beta1", "go1.22rc1", "go1.22rc2", "go1.22", "go1.22.1"];
  const keys = versions.map((version) => versionSortKey("semver", version));
  expect([...new Set(keys)].sort()).toEqual(keys);
});

test.each(versionOrders)(
  "%s: a version of more than 255 characters has no place, however it looks",
  (order) => {
    const digits = `1.${"1".repeat(253)}`;
    expect(versionSortKey(order, digits)).toBeDefined();
    expect(versionSortKey(order, `${digits}1`)).toBeUndefined();
  },
);

test.each(versionOrders)("%s: a version that repeats itself is read in one pass", (order) => {
  for (const part of [
    "1",
    "1.",
    ".1",
    "-1",
    "a1",
    "-",
    "~",
    "_p1",
    "1-a",
    "^",
    "alpha",
    "+a",
    "0",
    "00.",
  ])
    for (const end of ["", "!", "a", "-", "1"]) {
      const version = `1.0a${part.repeat(60)}`.slice(0, 254);
      // An order that tries all ways of reading it never ends.
      expect(versionSortKey(order, `${version}${end}`) ?? "").toBeTypeOf("string");
    }
});

test("keys are printable ASCII, so that U+0001 after one comes before all longer ones", () => {
  const text = fc.string({ unit: fc.constantFrom(..."0123456789.-+~^_:!abzAZ \u00e9\u{1f4a5}") });
  const property = fc.property(fc.constantFrom(...versionOrders), text, (order, version) => {
    expect(versionSortKey(order, version) ?? "").toMatch(/^[\x20-\x7e]*$/);
  });
  fc.assert(property, { numRuns: 5000 });
});
