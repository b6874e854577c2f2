/** Statements and rows of the platform's own session, compared with those of drizzle. */
import type { D1Result } from "@cloudflare/workers-types";
import {
  and,
  asc,
  count,
  desc,
  eq,
  exists,
  inArray,
  isNull,
  like,
  not,
  type SQL,
  sql,
} from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { alias, blob, integer, sqliteTable, text, unionAll } from "drizzle-orm/sqlite-core";
import { describe, expect, test } from "vitest";
import { roleBindings } from "../../schema/tables/iam/role_bindings.ts";
import { tagMoves } from "../../schema/views/tag_moves.ts";
import type { Database } from "../../src/auth/call.ts";
import { databaseThrough, type Query } from "../../src/rpc/d1_through.ts";
import { drizzleThrough } from "../../src/rpc/drizzle_through.ts";

const things = sqliteTable('thi"ngs', {
  uid: text("uid").primaryKey(),
  count: integer("count").notNull(),
  isNew: integer("is_new", { mode: "boolean" }).notNull(),
  labels: text("labels", { mode: "json" }).$type<string[]>(),
  key: blob("key", { mode: "buffer" }),
});

const row = { uid: "a", count: 2, isNew: true, labels: ["x"], key: Buffer.from("k") };
const nothing = { uid: "b", count: 0, isNew: false, labels: null, key: null };

type Statement = Parameters<Database["batch"]>[0][0];

const other = alias(things, "other");

/** Statements with every kind of part. */
const statements: Record<string, (db: Database) => Statement> = {
  "all columns": (db) => db.select().from(things),
  conditions: (db) =>
    db
      .select({ uid: things.uid, isNew: things.isNew })
      .from(things)
      .where(and(eq(things.isNew, true), not(isNull(things.labels)), like(things.uid, 'a"%')))
      .orderBy(desc(things.count), asc(things.uid))
      .limit(3)
      .offset(1),
  "no condition": (db) => db.select({ uid: things.uid }).from(things).where(and()),
  "values of all types": (db) =>
    db
      .select({
        text: sql`${"a"}`.as("text"),
        number: sql`${1.5}`.as("number"),
        nothing: sql`${null}`.as("nothing"),
        absent: sql`1${undefined}`.as("absent"),
        bytes: sql`${new Uint8Array([1, 2])}`.as("bytes"),
        decoded: sql`1`.mapWith(Boolean).as("decoded"),
      })
      .from(sql`(select 1)`),
  lists: (db) =>
    db
      .select({ uid: things.uid })
      .from(things)
      .where(sql`${things.uid} in ${["a", "b"]} or ${things.uid} in ${[]}`),
  "a list of a column": (db) =>
    db
      .select({ one: sql`1` })
      .from(things)
      .where(inArray(things.isNew, [true, false])),
  "parameters in the text": (db) =>
    db
      .select({ one: sql`1` })
      .from(things)
      .where(sql`${eq(things.uid, "it's")} and ${sql`${things.count} = ${5}`}`.inlineParams()),
  names: (db) => db.select({ one: sql`${sql.identifier('a"b')}` }).from(sql.raw("(select 1)")),
  joined: (db) =>
    db
      .select({ sum: sql`${sql.join([sql`1`, sql`${2}`], sql` + `)}`.as("sum") })
      .from(sql`(select 1)`),
  "another name": (db) =>
    db.select({ uid: other.uid }).from(other).where(eq(other.uid, things.uid)),
  "two tables": (db) =>
    db.select().from(things).leftJoin(other, eq(other.uid, things.uid)).where(eq(other.count, 1)),
  "a subquery": (db) => {
    const page = db.select().from(things).limit(2).as("page");
    return db.select({ uid: page.uid, isNew: page.isNew, labels: page.labels }).from(page);
  },
  "a subquery as a column": (db) => {
    const total = db.select({ total: count() }).from(other).as("total");
    return db.select({ uid: things.uid, total: sql`${total}` }).from(things);
  },
  "a subquery in a condition": (db) =>
    db
      .select({ uid: things.uid })
      .from(things)
      .where(exists(db.select({ one: sql`1` }).from(other).where(eq(other.uid, things.uid)))),
  "a named subquery": (db) => {
    const found = db.$with("found").as(db.select().from(things));
    return db.with(found).select({ uid: found.uid }).from(found);
  },
  "two selects": (db) =>
    unionAll(
      db.select({ uid: things.uid }).from(things).where(eq(things.uid, "a")),
      db.select({ uid: other.uid }).from(other),
    ),
  "a view": (db) => db.select().from(tagMoves).where(eq(tagMoves.tag, "a")),
  insert: (db) => db.insert(things).values([row, nothing]),
  "insert and return": (db) =>
    db
      .insert(things)
      .values({ ...row, count: sql`1 + ${1}` as SQL<number> })
      .onConflictDoUpdate({ target: things.uid, set: { isNew: false, labels: ["y"] } })
      .returning({ uid: things.uid, isNew: things.isNew }),
  "insert from a select": (db) =>
    db.insert(things).select(sql`select * from ${other} where ${eq(other.isNew, false)}`),
  update: (db) =>
    db
      .update(roleBindings)
      .set({ lastUsedTime: 5, accepted: false })
      .where(eq(roleBindings.uid, "a")),
  delete: (db) => db.delete(things).where(eq(things.uid, "a")).returning(),
};

/** A database that records what it is sent, and returns the rows. */
function recorded(open: typeof drizzleThrough, rows: Record<string, unknown>[]) {
  const sent: Query[] = [];
  const db = open(async (queries) => {
    for (const { sql, params } of queries) sent.push({ sql, params });
    return queries.map(() => ({ results: rows }) as unknown as D1Result);
  });
  return { sent, db };
}

const openDrizzle = (send: Parameters<typeof drizzleThrough>[0]): Database =>
  drizzle(databaseThrough(send));

/** The text and parameters that a statement sends, and the rows that it returns in a batch and alone. */
async function outcome(
  open: typeof drizzleThrough,
  statement: (db: Database) => Statement,
  rows: Record<string, unknown>[],
) {
  const { sent, db } = recorded(open, rows);
  const [batch] = await db.batch([statement(db)]);
  // A statement without rows returns the result of D1.
  const alone = await (statement(db) as unknown as PromiseLike<unknown>);
  return { sent, batch, alone };
}

const stored: Record<string, unknown>[] = [
  { a: "a", b: 1, c: 1, d: '["x"]', e: [107], f: 6, g: 7, h: 1, i: "[]", j: null },
  { a: "b", b: 0, c: 0, d: null, e: null, f: null, g: null, h: null, i: null, j: null },
];

describe("a statement", () => {
  for (const [name, statement] of Object.entries(statements)) {
    test(`a statement is sent, and its rows are read, as drizzle does: ${name}`, async () => {
      const ours = await outcome(drizzleThrough, statement, stored);
      expect(ours).toEqual(await outcome(openDrizzle, statement, stored));
      expect(ours.sent[0]?.sql).not.toBe("");
    });
  }

  test("a batch without rows returns none", async () => {
    const { db } = recorded(drizzleThrough, []);
    expect(await db.batch([db.select().from(things)])).toEqual([[]]);
  });
});
