import { describe, expect, test } from "vitest";
import {
  ancestry,
  isAtOrAbove,
  isUid,
  newUid,
  parentOf,
  rootOf,
  uidDepth,
} from "../../src/aip/uid_path.ts";

const root = "0123456789abcdef0123456789abcdef01234567";
const child = `${root}/0123456789abcdef`;
const deep = `${child}/fedcba9876543210/00000000ffffffff`;

test.each([root, child, deep])("%s is a uid", (uid) => {
  expect(isUid(uid)).toBe(true);
});

test.each([
  "",
  "/",
  root.slice(1),
  `${root}0`,
  root.toUpperCase(),
  `${root}/`,
  `${child}/`,
  `/${root}`,
  `${root}/0123`,
  `${root}/0123456789ABCDEF`,
  `${root}//0123456789abcdef`,
  `${root}/0123456789abcdef0`,
  `${root}\n`,
  ` ${root}`,
  `${root}%2F0123456789abcdef`,
])("%j is not a uid", (text) => {
  expect(isUid(text)).toBe(false);
});

describe("fresh uids", () => {
  test("are 20 random bytes at the root and 8 more below a parent", () => {
    expect(newUid()).toMatch(/^[0-9a-f]{40}$/);
    expect(newUid(child)).toMatch(new RegExp(`^${child}/[0-9a-f]{16}$`));
    expect(new Set(Array.from({ length: 1000 }, () => newUid(root))).size).toBe(1000);
  });
});

describe("paths", () => {
  test("are read from the text alone", () => {
    expect([parentOf(root), parentOf(child), parentOf(deep)]).toEqual([
      "",
      root,
      deep.slice(0, -17),
    ]);
    expect([rootOf(root), rootOf(deep)]).toEqual([root, root]);
    expect([uidDepth(root), uidDepth(child), uidDepth(deep)]).toEqual([0, 1, 3]);
    expect(ancestry(root)).toEqual([root]);
    expect(ancestry(deep)).toEqual([deep, deep.slice(0, -17), child, root]);
  });

  test("a uid is at or above itself and everything below it, and nothing else", () => {
    expect(isAtOrAbove(root, root)).toBe(true);
    expect(isAtOrAbove(root, deep)).toBe(true);
    expect(isAtOrAbove(child, root)).toBe(false);
    expect(isAtOrAbove(child, `${root}/0123456789abcdee`)).toBe(false);
    expect(isAtOrAbove(root, `${root}0/0123456789abcdef`)).toBe(false);
  });
});
