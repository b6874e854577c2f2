import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { repos } from "../../schema/tables/registry/repos.ts";
import { writeGuards } from "../../schema/tables/write_guards.ts";
import type { Query } from "../../src/rpc/d1_through.ts";
import { drizzleThrough } from "../../src/rpc/drizzle_through.ts";

/** A database that answers every statement with no rows, and notes them. */
function noting() {
  const sent: Query[] = [];
  const db = drizzleThrough(async (queries) => {
    sent.push(...queries);
    return queries.map(() => ({ success: true, results: [], meta: {} as never }));
  });
  return { db, sent };
}

test("each statement says which tables it writes, whatever its text begins with", async () => {
  const { db, sent } = noting();
  const named = db.$with("named").as(db.select({ uid: repos.uid }).from(repos));
  const isNamed = sql`${repos.uid} in (select uid from ${named})`;
  await db.batch([
    db.select().from(repos).where(eq(repos.uid, "a")),
    db.with(named).select().from(named),
    db.insert(writeGuards).values({ reason: "a" }),
    db.insert(writeGuards).select(sql`select 'a' where changes() > 0`),
    db.update(repos).set({ name: "b" }),
    db.delete(repos),
    db.with(named).delete(repos).where(isNamed),
  ]);
  await db.delete(repos);
  const guards = ["write_guards"];
  expect(sent.map(({ writes }) => writes)).toEqual([
    ...[undefined, undefined, guards, guards, ["repos"], ["repos"], ["repos"], ["repos"]],
  ]);
});

test("SQL that no builder has built counts as a write", async () => {
  const { db, sent } = noting();
  await db.run(sql`select 1`);
  expect(sent.map(({ writes }) => writes)).toEqual([[]]);
});
