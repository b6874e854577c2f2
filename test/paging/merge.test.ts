/** The rows of several scopes become one page, which ends where a scope ended early. */
import { expect, test } from "vitest";
import { mergeRows } from "../../src/paging/merge.ts";
import type { ListQuery } from "../../src/paging/query.ts";

interface Row {
  uid: string;
  time: number;
  /** Whether the select of the scope ended here. */
  isEnd?: boolean;
}

const sorting = { orders: { time: "time" }, defaultOrder: "time" } as const;
const query = (more: Partial<ListQuery> = {}): ListQuery => ({
  ...{ order: { field: "time", descending: false }, filters: [], index: "order_index" },
  ...{ classes: [], pageSize: 3, skip: 0, cursor: undefined, isCounted: false },
  ...more,
});
const isEnd = (row: Row) => row.isEnd === true;
const merged = (scopes: Row[][], more?: Partial<ListQuery>) => {
  const { rows, more: follow } = mergeRows<Row>(sorting, query(more), scopes, isEnd);
  return [rows.map(({ uid }) => uid).join(), follow];
};
const row = (uid: string, time: number, end = false): Row => ({ uid, time, isEnd: end });

test("a page has no rows after the end of a scope, whose next rows are not known", () => {
  const ended = [row("a", 1), row("c", 3, true)];
  expect(merged([ended, [row("b", 2), row("d", 4)]])).toEqual(["a,b,c", true]);
  expect(merged([ended], { pageSize: 5 })).toEqual(["a,c", true]);
  expect(merged([[row("a", 1, true)], [row("b", 2)]])).toEqual(["a", true]);
});

test("a page that is full before the end of a scope leaves that to the next page", () => {
  const ended = [row("a", 1), row("e", 5, true)];
  expect(merged([ended, [row("b", 2), row("c", 3), row("d", 4)]])).toEqual(["a,b,c", true]);
});

test("the row of another scope where a scope ended is on the page, whatever the order of the scopes", () => {
  const [ended, other] = [[row("b", 2, true)], [row("a", 1), row("b", 2), row("c", 3)]];
  for (const descending of [false, true]) {
    const order = { field: "time", descending };
    const expected = [descending ? "c,b,b" : "a,b,b", true];
    expect(merged([ended, other], { order })).toEqual(expected);
    expect(merged([other, ended], { order })).toEqual(expected);
  }
});

test("a skip beyond the end of a scope is refused", () => {
  const ended = [row("a", 1), row("b", 2, true)];
  expect(merged([ended, []], { skip: 1 })).toEqual(["b", true]);
  expect(() => merged([ended, []], { skip: 2 })).toThrow("page_token");
});
