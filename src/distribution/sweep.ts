/**
 * Compares the bucket with the rows of all databases. The row of an object is written before the object. One without a
 * row is left over, for example because a database was restored.
 */
import { and, eq, isNotNull, or, sql } from "drizzle-orm";
import { objectSweep, objects } from "../../schema/tables/distribution/objects.ts";
import { insertFrom } from "../aip/insert_from.ts";
import { fromParameter } from "../aip/json_parameters.ts";
import type { Database } from "../auth/call.ts";
import type { Databases } from "../auth/databases.ts";
import { isOneOf } from "./blobs/objects.ts";
import type { ObjectPage, Storage } from "./blobs/storage.ts";

/** The pages of one run. A page has at most 1000 objects. */
const pagesPerRun = 10;

/** How much longer than other objects one without a row is kept, in milliseconds. Together it is a week. */
const strayGrace = 6 * 24 * 60 * 60 * 1000;

/** The keys of the listed objects that an upload or a blob in one of the databases has, or gets now. */
export async function namedIn(
  databases: readonly Database[],
  listed: { key: string }[],
): Promise<Set<string>> {
  const isListed = isOneOf(listed.map(({ key }) => key));
  const isNamed = or(isNotNull(objects.blob), isNotNull(objects.upload));
  const rows = await Promise.all(
    databases.map((db) =>
      db.select({ key: objects.key }).from(objects).where(and(isListed, isNamed)),
    ),
  );
  return new Set(rows.flat().map(({ key }) => key));
}

/**
 * Gives rows to objects that have none, so that the clean-up deletes them after a week. A run looks at some pages, and
 * the next one continues.
 */
export async function sweepBucket(
  { all, first }: Pick<Databases, "all" | "first">,
  storage: Storage,
  now: number,
): Promise<void> {
  const [row] = await first.select().from(objectSweep).where(eq(objectSweep.id, 1));
  let after = row?.after ?? "";
  for (let page = 0; page < pagesPerRun; page += 1) {
    const { objects: listed, isLast } = await storage.list(after);
    await adoptStrays(all, first, listed, now + strayGrace);
    after = isLast ? "" : (listed.at(-1)?.key ?? "");
    await first
      .insert(objectSweep)
      .values({ id: 1, after })
      .onConflictDoUpdate({ target: objectSweep.id, set: { after } });
    if (isLast) return;
  }
}

async function adoptStrays(
  all: readonly Database[],
  first: Database,
  listed: ObjectPage["objects"],
  idleTime: number,
): Promise<void> {
  if (listed.length === 0) return;
  const isListed = isOneOf(listed.map(({ key }) => key));
  const known = await Promise.all(
    all.map((db) => db.select({ key: objects.key }).from(objects).where(isListed)),
  );
  const withRow = new Set(known.flat().map(({ key }) => key));
  const strays = listed.filter(({ key }) => !withRow.has(key));
  if (strays.length === 0) return;
  const straysJson = JSON.stringify(strays.map(({ key, size }) => ({ key, size })));
  const value = (name: string) => sql`"given"."value" ->> ${sql.raw(`'${name}'`)}`;
  const row = { key: value("key"), size: value("size"), idleTime };
  await insertFrom(first, objects, row as never, fromParameter(straysJson)).onConflictDoNothing();
}
