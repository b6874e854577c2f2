import { expect, test } from "vitest";
import { subscriptions } from "../../schema/tables/events/subscriptions.ts";
import { roles } from "../../schema/tables/iam/roles.ts";
import { termsAcceptances } from "../../schema/tables/iam/terms_acceptances.ts";
import { defineListing, times } from "../../src/paging/listing.ts";

test("a table with names can be sorted by uid, name and the two times, and lists by uid", () => {
  const { orders, defaultOrder } = defineListing({ table: roles });
  expect(Object.keys(orders)).toEqual(["uid", "name", "create_time", "update_time"]);
  expect([orders.create_time, defaultOrder]).toEqual(["createTime", "uid"]);
});

test("a table without names cannot be sorted by name", () => {
  const { orders } = defineListing({ table: subscriptions });
  expect(Object.keys(orders)).toEqual(["uid", "create_time", "update_time"]);
});

test("a listing has only its own orders, and errors name them in that order", () => {
  const { orders } = defineListing({
    table: termsAcceptances,
    orders: { uid: "uid", doc_id: "docId", ...times },
  });
  expect(Object.keys(orders)).toEqual(["uid", "doc_id", "create_time", "update_time"]);
});

test("the compiler rejects orders and weights that are not properties of the selected rows", () => {
  const { uid, name } = roles;
  defineListing({
    table: roles,
    select: (db) => db.select({ uid, name }).from(roles),
    // @ts-expect-error: the rows have no description
    orders: { uid: "uid", description: "description" },
    // @ts-expect-error: the rows have no capabilities
    weights: { capabilities: 6 },
  });
  // @ts-expect-error: the table has no such column
  const { orders } = defineListing({ table: roles, orders: { uid: "uid", size: "size" } });
  expect(orders.size).toBe("size");
});
