/** The rows of several scopes become one page, which ends where a scope ended early. */
import { expect, test } from "vitest";
import type { ListQuery } from "../../src/paging/listing.ts";
import { mergeRows } from "../../src/paging/merge.ts";

interface Row {
  uid: string;
  time: number;
}

const sorting = { orders: { time: "time" }, defaultOrder: "time" } as const;
const query = (more: Partial<ListQuery> = {}): ListQuery => ({
  ...{ order: { field: "time", descending: false }, filters: [], index: "order_index" },
  ...{ classes: [], pageSize: 3, skip: 0, cursor: undefined, isCounted: false },
  ...more,
});
const row = (uid: string, time: number): Row => ({ uid, time });

/** The uids of the page, whether more rows follow, and the uid of the place where it ended. */
function merged(scopes: { rows: Row[]; end?: Row }[], more?: Partial<ListQuery>) {
  const found = { rows: scopes.map(({ rows }) => rows), ends: scopes.map(({ end }) => end) };
  const page = mergeRows<Row>(sorting, query(more), found);
  return [page.rows.map(({ uid }) => uid).join(), page.more, page.end?.uid];
}

test("a page has no rows after the end of a scope, whose next rows are not known", () => {
  const ended = { rows: [row("a", 1)], end: row("c", 3) };
  const other = { rows: [row("b", 2), row("d", 4)] };
  expect(merged([ended, other])).toEqual(["a,b", false, "c"]);
  expect(merged([other, ended])).toEqual(["a,b", false, "c"]);
});

test("the row of another scope where a scope ended is on the page, whatever the order of the scopes", () => {
  const ended = { rows: [], end: row("b", 2) };
  const other = { rows: [row("a", 1), row("b", 2), row("c", 3)] };
  for (const descending of [false, true]) {
    const order = { field: "time", descending };
    const expected = [descending ? "c,b" : "a,b", false, "b"];
    expect(merged([ended, other], { order })).toEqual(expected);
    expect(merged([other, ended], { order })).toEqual(expected);
  }
});

test("a page that is full before the end of a scope leaves that to the next page", () => {
  const ended = { rows: [row("a", 1)], end: row("e", 5) };
  const other = { rows: [row("b", 2), row("c", 3), row("d", 4)] };
  expect(merged([ended, other]).slice(0, 2)).toEqual(["a,b,c", true]);
});

test("a skip beyond the end of a scope is refused", () => {
  const ended = { rows: [row("a", 1), row("b", 2)], end: row("b", 2) };
  expect(merged([ended, { rows: [] }], { skip: 1 })).toEqual(["b", false, "b"]);
  expect(() => merged([ended, { rows: [] }], { skip: 2 })).toThrow("page_token");
});
