import { describe, expect, test } from "vitest";
import { tagLineOf } from "../../src/packages/tag_lines.ts";

/** Tags of public images, as they were named. Each row is one line, from the oldest version to the newest. */
const lines: string[][] = [
  ["2", "3"],
  ["2.7", "3.4", "3.9", "3.10", "3.13"],
  ["2.7.9", "3.9.0", "3.9.18", "3.10.1", "3.13.7", "4.0.0"],
  ["2.7-slim", "3.9-slim", "3.10-slim", "3.13-slim"],
  ["3.4.8-slim-bookworm", "3.13.7-slim-bookworm"],
  // The release of Alpine is part of the version.
  ["3.9.1-alpine3.18", "3.9.1-alpine3.22", "3.13.7-alpine3.9"],
  ["1.27.4-alpine3.21-perl", "1.31.4-alpine3.24-perl"],
  ["alpine3.9", "alpine3.18", "alpine3.24"],
  // A revision of a package and a date are too.
  ["1.21.3-r2", "1.21.3-r10", "1.21.4-r0"],
  ["1.21-20230901", "1.21-20231001", "1.22-20220101"],
  ["v1.7.34", "v2.11.26", "v3.7.11"],
  ["openjdk-17.0.9", "openjdk-21.0.1"],
  ["buildroot-2013.08", "buildroot-2014.02"],
  // Dates and numbers of builds compare only with each other.
  ["20210804", "20250108", "20260805"],
  ["1809", "2019", "2022"],
  // Prereleases, in the order of their stages.
  ["3.14.0a1", "3.14.0a7", "3.14.0b2", "3.14.0rc1", "3.14.0rc3", "3.15.0a1"],
  ["3.2-dev1-alpine", "3.2-dev10-alpine"],
  ["3.4.0-preview1-slim", "3.4.0-rc1-slim"],
  ["4.2.0-beta.3-management", "4.2.0-rc.1-management", "4.3.0-beta.1-management"],
  ["v1.0.0-beta.99", "v1.0.0-beta.392", "v1.0.0-rc1"],
  ["6.0-M1", "6.0-RC1"],
];

const withoutVersion = [
  ...["", "latest", "latest-dev", "stable-perl", "edge", "focal", "bookworm-slim"],
  ...["focal-20230101", "tip-20250420", "windowsservercore-1809", "nanoserver-ltsc2022"],
  ...["sha256-2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae", "sha-3f2a9c1"],
  ...["3f2a9c1", "12e4567ab", "pr-123", "main-42", "openjdk-17", "8u252-jdk", "1.2.3alpine"],
  ...["1.2.3.4.5", "1.2.", "1..2", ".1", "-1", "1.x", "v", "vv1"],
];

describe("tags are in one line, in the order of their versions:", () => {
  test.each(lines.map((line) => [line.join(" < "), line]))("%s", (_, line) => {
    const read = line.map((name) => tagLineOf(name));
    expect(new Set(read.map((one) => one.line)).size).toBe(1);
    expect(read[0]?.line).not.toBe("");
    const keys = read.map(({ lineKey }) => lineKey);
    expect(keys).toEqual(keys.toSorted());
    expect(new Set(keys).size).toBe(keys.length);
  });
});

test("tags whose variants, prefixes, stages or counts of numbers differ are in different lines", () => {
  const names = [
    ...["3.9", "3.9.1", "3", "3.9.1.2", "v3.9", "3.9-slim", "3.9-alpine", "3.9-alpine3.18"],
    ...["3.9-dev", "3.9-rc1", "3.9-rc1-slim", "3.9-slim-bookworm", "3.9-jdk11", "3.9-jdk17"],
    ...["3.9_slim", "3.9-r1", "3.9-20230101", "2023.1", "3.9-r1-dev", "openjdk-3.9"],
  ];
  expect(new Set(names.map((name) => tagLineOf(name).line)).size).toBe(names.length);
});

test.each(withoutVersion)("%j has no version", (name) => {
  expect(tagLineOf(name)).toEqual({ line: "", lineKey: "" });
});

test("a prerelease comes before its release, and a release before one with more numbers", () => {
  const ascending = ["3.13", "3.14-rc", "3.14", "3.14.0a1", "3.14.0", "3.14.1", "3.15"];
  const keys = ascending.map((name) => tagLineOf(name).lineKey);
  expect(keys).toEqual(keys.toSorted());
});

test("the keys of random versions sort like their numbers", () => {
  const random = () => Math.floor(10 ** (Math.random() * 4));
  const versions = Array.from({ length: 500 }, () => [random() % 1000, random(), random()]);
  const byKey = versions.toSorted((a, b) =>
    tagLineOf(a.join(".")).lineKey < tagLineOf(b.join(".")).lineKey ? -1 : 1,
  );
  const byNumbers = versions.toSorted(
    ([a = 0, b = 0, c = 0], [d = 0, e = 0, f = 0]) => a - d || b - e || c - f,
  );
  expect(byKey).toEqual(byNumbers);
});

test("the longest names have short lines and keys", () => {
  const names = ["1".repeat(128), `1.${"1".repeat(126)}`, `1-${"alpine1".repeat(18)}`];
  const more = [
    `1${"-r1".repeat(42)}`,
    `1${"-20231001".repeat(14)}`,
    "a".repeat(128),
    "1.1-".repeat(32),
  ];
  for (const name of [...names, ...more]) {
    const { line, lineKey } = tagLineOf(name);
    expect(line.length + lineKey.length).toBeLessThan(400);
  }
});
