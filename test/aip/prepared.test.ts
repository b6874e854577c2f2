import { eq, sql } from "drizzle-orm";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import { expect, test } from "vitest";
import { repos } from "../../schema/tables/repos.ts";
import { Prepared } from "../../src/aip/prepared.ts";

/** What a batch sends: the text and the values bound to it. */
type Sent = [text: string, ...values: unknown[]];

function newDatabase() {
  const sent: Sent[] = [];
  const client = {
    prepare: (text: string) => ({ bind: (...values: unknown[]): Sent => [text, ...values] }),
    batch: async (statements: Sent[]) => {
      sent.push(...statements);
      return statements.map(([, uid]) => ({ results: [{ uid, bundles: `["${uid}"]` }] }));
    },
  };
  return { db: drizzle(client as never), sent };
}

type Column = typeof repos.uid | typeof repos.parent;

const selectRepo = (column: Column) => (desk: DrizzleD1Database) =>
  desk
    .select({ uid: repos.uid, bundles: repos.bundles })
    .from(repos)
    .where(eq(column, sql.placeholder("at")));

test("a shape is written once, and every statement has the values of its own call", async () => {
  const prepared = new Prepared<{ uid: string; bundles: string[] }>();
  let written = 0;
  const select = (desk: DrizzleD1Database) => {
    written += 1;
    return selectRepo(repos.uid)(desk);
  };
  for (const at of ["one", "two"]) {
    // A database of its own, as every call has.
    const { db, sent } = newDatabase();
    const [rows] = await db.batch([prepared.with(db, "by uid", select, { at })]);
    expect(rows).toEqual([{ uid: at, bundles: [at] }]);
    expect(sent).toEqual([[expect.stringContaining('"repos"."uid" = ?'), at]]);
  }
  expect(written).toBe(1);
});

test("shapes do not take each other's text", async () => {
  const prepared = new Prepared();
  const { db, sent } = newDatabase();
  const by = (shape: string, column: Column) =>
    prepared.with(db, shape, selectRepo(column), { at: shape });
  await db.batch([by("uid", repos.uid), by("parent", repos.parent), by("uid", repos.uid)]);
  expect(sent.map(([text, value]) => [/"(\w+)" = \?/.exec(text)?.[1], value])).toEqual([
    ["uid", "uid"],
    ["parent", "parent"],
    ["uid", "uid"],
  ]);
});
