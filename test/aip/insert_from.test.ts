import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { expect, test } from "vitest";
import { insertFrom } from "../../src/aip/insert_from.ts";

const db = drizzle({} as never);

/** A table before and after a column was added in its middle. */
const before = sqliteTable("things", {
  uid: text("uid").primaryKey(),
  parent: text("parent").generatedAlwaysAs(sql.raw(`substr("uid", 1, 40)`)),
  name: text("display_name").notNull(),
  size: integer("size"),
});
const after = sqliteTable("things", {
  uid: text("uid").primaryKey(),
  labels: text("labels", { mode: "json" }).$type<string[]>().notNull().default(["none"]),
  parent: text("parent").generatedAlwaysAs(sql.raw(`substr("uid", 1, 40)`)),
  name: text("display_name").notNull(),
  size: integer("size"),
});

/** The columns that a statement names, and the value of each. */
function pairsOf(statement: { toSQL(): { sql: string; params: unknown[] } }) {
  const { sql: written, params } = statement.toSQL();
  const [, names = "", values = ""] =
    /^insert into "things" \(([^)]*)\) select (.*?) where/.exec(written) ?? [];
  const rest = [...params];
  const given = values.split(", ").map((one) => (one === "?" ? rest.shift() : one));
  return Object.fromEntries(names.split(", ").map((name, index) => [name, given[index]]));
}

const where = sql`where changes() > 0`;

test("every value is in the column with its name, in any order of the values", () => {
  const row = { name: "a", size: sql`length('abc')`, uid: "1" };
  expect(pairsOf(insertFrom(db, before, row, where))).toEqual({
    '"uid"': "1",
    '"display_name"': "a",
    '"size"': "length('abc')",
  });
});

test("a new column in a table moves no other column, and gets its default", () => {
  expect(pairsOf(insertFrom(db, after, { uid: "1", name: "a", size: 3 }, where))).toEqual({
    '"uid"': "1",
    '"labels"': '["none"]',
    '"display_name"': "a",
    '"size"': 3,
  });
});

test("a column without a value and without a default is null, and so is a column with the value null", () => {
  const rows = [
    { uid: "1", name: "a" },
    { uid: "1", name: "a", size: null },
  ];
  for (const row of rows) {
    expect(pairsOf(insertFrom(db, before, row, where))['"size"']).toBe("null");
  }
});

test("a missing value of a required column is a type error", () => {
  // @ts-expect-error: `name` is missing
  insertFrom(db, before, { uid: "1" }, where);
  // @ts-expect-error: there is no such column
  insertFrom(db, before, { uid: "1", name: "a", colour: "red" }, where);
});
