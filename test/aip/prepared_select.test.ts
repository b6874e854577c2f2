import { and, eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { manifests } from "../../schema/tables/registry/manifests.ts";
import { repos } from "../../schema/tables/registry/repos.ts";
import { type Given, preparedSelect } from "../../src/aip/prepared_select.ts";
import type { Query } from "../../src/rpc/d1_through.ts";
import { drizzleThrough } from "../../src/rpc/drizzle_through.ts";

/** A database with one row, whose batches are noted. */
function noting(row: Record<string, unknown>) {
  const sent: Query[] = [];
  const db = drizzleThrough(async (queries) => {
    sent.push(...queries);
    return queries.map(() => ({ success: true, results: [row], meta: {} as never }));
  });
  return { db, sent };
}

let built = 0;
const select = preparedSelect(
  (db, { hasName }: { hasName: boolean }, given: Given<"uid" | "name">) => {
    built += 1;
    return db
      .select({ uid: repos.uid, tagCount: sql<number>`1`.mapWith((one: number) => one + 1) })
      .from(repos)
      .leftJoin(manifests, eq(manifests.parent, repos.uid))
      .where(and(eq(repos.uid, given.uid), hasName ? eq(repos.name, given.name) : undefined));
  },
);

test("each call sends its own values to its own database, and the SQL of a shape is built once", async () => {
  const one = noting({ uid: "of one", tags: 1 });
  const other = noting({ uid: "of other", tags: 2 });
  const [rows] = await one.db.batch([
    select(one.db, { hasName: true }, { uid: "a", name: "b" }),
    select(one.db, { hasName: false }, { uid: "c", name: "" }),
  ]);
  const waiting = select(other.db, { hasName: true }, { uid: "d", name: "e" });
  await select(one.db, { hasName: true }, { uid: "f", name: "g" });
  expect(rows).toEqual([{ uid: "of one", tagCount: 2 }]);
  expect(await waiting).toEqual([{ uid: "of other", tagCount: 3 }]);
  expect(built).toBe(2);
  expect(one.sent.map(({ params }) => params)).toEqual([["a", "b"], ["c"], ["f", "g"]]);
  expect(other.sent.map(({ params, writes }) => [params, writes])).toEqual([
    [["d", "e"], undefined],
  ]);
});
