import { describe, expect, test } from "vitest";
import { mavenSortKey } from "../../src/packages/maven_order.ts";

/**
 * Version lists in ascending order: from the POM reference, from Maven's own rules, and from real libraries.
 */
const ascending = [
  `1-alpha2snapshot 1-alpha2 1-alpha-123 1-beta-2 1-beta123 1-m2 1-m11 1-rc 1-cr2 1-rc123 1-SNAPSHOT
  1 1-sp 1-sp2 1-sp123 1-abc 1-def 1-pom-1 1-1-snapshot 1-1 1-2 1-123`,
  "2.0 2.0.a 2-1 2.0.2 2.0.123 2.1.0 2.1-a 2.1b 2.1-c 2.1-1 2.1.0.1",
  "2.2 2.123 11.a2 11.a11 11.b2 11.b11 11.m2 11.m11 11 11.a 11b",
  "20190126.230843 1234567890.12345 123456789012345.1 12345678901234567890.1",
  "6.1.0rc3 6.1.0 6.1H.5-beta",
  "1-0.alpha 1-0.beta 1 1-0.5",
  "1-final-alpha 1 1-final-x 1-sp 1-x",
  "4.2.0.Final-redhat-1 4.2.0.SP1-redhat-1 4.2.1.Final-redhat-1",
  "1.0.0-X1 1.0.0-X2",
  "31.0-android 31.0-jre 31.1-android",
  "2.9.10 2.9.10.1 2.9.10.8 2.10.0 2.10.0.pr1",
  "1- 1.0.0.1 1.0.1",
];

const same = [
  ["1", "1.0", "1.0.0", "1-0", "1.0-0", "1.", "1-", "1ga", "1.RELEASE", "1-Final", "1.0.0-0.0.0"],
  ["1a", "1-a", "1.0-a", "1.0.0a", "1.0.0-A"],
  ["1cr", "1rc", "1-RC"],
  ["1a1", "1-alpha-1", "1.0-ALPHA1"],
  ["1.0.0-foo.0.0", "1-foo"],
  ["2.0.x", "2-x"],
  ["0.0.0.2021.07", "0.0.0.2021.7"],
];

describe("Maven versions sort as Maven orders them", () => {
  test.each(ascending)("%s", (versions) => {
    const keys = versions.split(/\s+/).map(mavenSortKey);
    expect([...new Set(keys)].sort()).toEqual(keys);
  });

  test.each(same)("%s = %s …", (...versions) => {
    expect(new Set(versions.map(mavenSortKey)).size).toBe(1);
  });

  test("names of JavaScript members are plain words", () => {
    const keys = ["1", "1-constructor", "1-tostring"].map(mavenSortKey);
    expect([...keys].sort()).toEqual(keys);
  });
});

test("keys are ASCII for every version", () => {
  for (const version of ["", ".", "-", "ü.1", "1.\u0001\n", "💥", "a b", "9".repeat(255)]) {
    expect(mavenSortKey(version)).toMatch(/^[\x20-\x7e]+$/);
  }
});
