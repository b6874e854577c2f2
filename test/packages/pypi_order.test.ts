import { describe, expect, test } from "vitest";
import { pypiSortKey } from "../../src/packages/pypi_order.ts";

/** The example order in PEP 440, and more versions with each kind of part. */
const ascending = [
  `0.9-doduo 0.0.0.dev0 0.9 1.0.dev456 1.0a1 1.0a2.dev456 1.0a12.dev456 1.0a12 1.0b1.dev456 1.0b2
  1.0b2.post345.dev456 1.0b2.post345 1.0rc1.dev456 1.0rc1 1.0 1.0+abc.5 1.0+abc.7 1.0+abcd 1.0+5
  1.0+10 1.0.post456.dev34 1.0.post456 1.0.0.0.1 1.0.15 1.1.dev1 1.2 1.10 2021.12 1!0.1
  2!0.0.1.dev1`.split(/\s+/),
  ["2.0.0", "2.0.0+cpu", "2.0.0+cu118", "2.0.0+cu92", "2.0.1"],
  ["1.0+ubuntu", "1.0+ubuntu.1", "1.0+ubuntu.1.a", "1.0+ubuntu.1.1"],
  ["9".repeat(24), "1".repeat(25), "1".repeat(26), "2".repeat(26), "1".repeat(120)],
];

const same = [
  ["1.0", "1", "1.0.0", "v1.0", "0!1", "01.0", " 1.0 "],
  ["1.0a1", "1.0.alpha-1", "1.0_ALPHA1", "1.0a01"],
  ["1.0rc1", "1.0c1", "1.0-preview_1", "1.0pre1"],
  ["1.0.post1", "1.0-1", "1.0.r1", "1.0rev1"],
  ["1.0.dev0", "1.0dev", "1.0-DEV"],
  ["1.0+ubuntu.1", "1.0+Ubuntu-1", "1.0+ubuntu_01"],
];

describe("Python versions sort as PEP 440 orders them", () => {
  test.each(ascending)("%s < %s …", (...versions) => {
    const keys = versions.map(pypiSortKey);
    expect([...new Set(keys)].sort()).toEqual(keys);
  });

  test.each(same)("%s = %s …", (...versions) => {
    expect(new Set(versions.map(pypiSortKey)).size).toBe(1);
  });

  test("all combinations of the parts sort correctly", () => {
    const epochs = ["", "1!"];
    const releases = ["0.9", "1.0", "1.0.1", "1.1", "1.10"];
    const pres = ["a1", "a2", "a10", "b1", "rc1", ""];
    const posts = ["", ".post0", ".post1", ".post10"];
    const locals = ["", "+a", "+a.1", "+1", "+1.a", "+2"];
    // Ascending: dev releases come before what they lead to; without pre and post, before all.
    const of = (release: string) => {
      const variants = pres.flatMap((pre) =>
        posts.flatMap((post) => {
          const whole = locals.map((local) => `${release}${pre}${post}${local}`);
          return [`${release}${pre}${post}.dev1`, `${release}${pre}${post}.dev2`, ...whole];
        }),
      );
      const early = [`${release}.dev1`, `${release}.dev2`];
      return [...early, ...variants.filter((one) => !early.includes(one))];
    };
    const versions = epochs.flatMap((epoch) => releases.flatMap((one) => of(`${epoch}${one}`)));
    const keys = versions.map(pypiSortKey);
    expect([...new Set(keys)].sort()).toEqual(keys);
    expect(versions).toHaveLength(2 * 5 * 6 * 4 * 8);
  });
});

test("keys are ASCII for every version", () => {
  for (const version of ["", "ü", "\u0000", "1.0+ü", "9".repeat(255), "💥"]) {
    expect(pypiSortKey(version)).toMatch(/^[\x20-\x7e]+$/);
  }
});
