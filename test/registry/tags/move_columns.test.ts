/** The digests before the moves of a page, of which the database reads only those before the page. */
import { expect, test } from "vitest";
import { MoveKind } from "../../../schema/tables/registry/tag_records.ts";
import { type MoveRow, sharedOfMoves } from "../../../src/registry/tags/move_columns.ts";

const row = (nameId: number, updateTime: number, digest: string, more: Partial<MoveRow> = {}) =>
  ({ nameId, updateTime, digest, kind: MoveKind.moved, previousDigest: null, ...more }) as MoveRow;

const before = (rows: MoveRow[]) =>
  sharedOfMoves.complete(rows).map(({ digest, previousDigest }) => [digest, previousDigest]);

const page = [
  row(1, 1, "a", { digestBefore: "z" }),
  row(2, 1, "b", { digestBefore: null }),
  row(1, 2, "c", { digestBefore: "z" }),
  row(2, 3, "d", { digestBefore: null }),
  row(1, 4, "e", { digestBefore: "z", kind: MoveKind.created }),
  row(1, 5, "f", { digestBefore: "z", previousDigest: "known" }),
];
const expected = [
  ...[
    ["a", "z"],
    ["b", ""],
    ["c", "a"],
    ["d", "b"],
    ["e", ""],
    ["f", "known"],
  ],
];

test("each move follows that of its tag before it, and the first one the last digest before the page", () => {
  expect(before(page)).toEqual(expected);
  expect(before(page.toReversed())).toEqual(expected.toReversed());
});

test("a page without moves stays empty", () => {
  expect(before([])).toEqual([]);
});
