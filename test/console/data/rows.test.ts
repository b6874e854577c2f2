/** The rows of several lists in one table. */
import { expect, test } from "vitest";
import { joinRows, mapRows, type RowWindow } from "../../../console/data/rows.ts";

/** The rows of an array, and the parts of it that were asked for. */
function windowOf(all: string[], error: Error | null = null) {
  const shown: [number, number][] = [];
  const rows: RowWindow<string> = {
    ...{ count: all.length, isComplete: true, isLoading: false, error },
    row: (index) => all[index],
    show: (first, last) => shown.push([first, last]),
    retry: () => shown.push([-1, -1]),
  };
  return { rows, shown };
}

const everyRow = (rows: RowWindow<string>) =>
  Array.from({ length: rows.count }, (_, index) => rows.row(index));

test("joined lists have all rows in the order of the lists, also if some are empty", () => {
  const parts = [["a", "b"], [], ["c"], []].map((all) => windowOf(all).rows);
  expect(everyRow(joinRows(parts))).toEqual(["a", "b", "c"]);
  expect(joinRows(parts).row(3)).toBeUndefined();
  expect(joinRows<string>([]).count).toBe(0);
});

test("each list is asked only for its own rows on the screen", () => {
  const [first, second, third] = [windowOf(["a", "b"]), windowOf(["c", "d", "e"]), windowOf(["f"])];
  joinRows([first.rows, second.rows, third.rows]).show(1, 3);
  expect([first.shown, second.shown, third.shown]).toEqual([[[1, 1]], [[0, 1]], []]);
});

test("the error of one list shows, and only that list is tried again", () => {
  const [whole, broken] = [windowOf(["a"]), windowOf([], new Error("no"))];
  const joined = joinRows([whole.rows, broken.rows]);
  expect(joined.error?.message).toBe("no");
  joined.retry();
  expect([whole.shown, broken.shown]).toEqual([[], [[-1, -1]]]);
});

test("rows as other values keep their places, and a row that is on its way stays absent", () => {
  const mapped = mapRows(windowOf(["a", "b"]).rows, (text) => text.toUpperCase());
  expect([mapped.row(1), mapped.row(2)]).toEqual(["B", undefined]);
});
