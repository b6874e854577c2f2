import { dirname } from "node:path";
import { expect, test } from "vitest";
import { sampleOf } from "./tiers.ts";

const files = ["a/b", "a/c", "d"].flatMap((folder, index) =>
  Array.from({ length: 1 + index * 11 }, (_, n) => `test/${folder}/${n}.test.ts`),
);

test("a sample has a fifth of the files of each folder, rounded up, and what it must have", () => {
  const picked = sampleOf(files, () => false);
  const countOf = (folder: string) => picked.filter((file) => dirname(file) === folder).length;
  expect(["test/a/b", "test/a/c", "test/d"].map(countOf)).toEqual([1, 3, 5]);
  const one = files.find((file) => !picked.includes(file)) ?? "";
  expect(sampleOf(files, (file) => file === one)).toEqual([...picked, one]);
});
