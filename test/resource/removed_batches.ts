/** Runs the removal of deleted resources up to any point, and finds the faults of a database. */
import type { D1Database } from "@cloudflare/workers-types";
import { drizzle } from "drizzle-orm/d1";
import { expect } from "vitest";
import type { D1Row } from "../../cli/fsck/check.ts";
import { runFsck } from "../../cli/fsck/run.ts";
import { type Removal, runRemoval } from "../../src/resource/removal.ts";
import { databaseThrough } from "../../src/rpc/d1_through.ts";

/** The statements of a batch: the rows that each read and wrote, and the milliseconds that each took. */
export type Batch = { sql: string; read: number; written: number; ms: number }[];

/** Runs the removal until it has sent a number of batches, as if the run was cut off there. */
export async function removeBatches(
  db: D1Database,
  removal: Removal,
  most = Number.MAX_SAFE_INTEGER,
) {
  const batches: Batch[] = [];
  let left = most;
  const metered = databaseThrough(async (queries) => {
    const isRead = queries.every(({ sql }) => sql.startsWith("select"));
    if (!isRead && left === 0) throw new Error("cut off");
    if (!isRead) left -= 1;
    const results = await db.batch(
      queries.map(({ sql, params }) => db.prepare(sql).bind(...params)),
    );
    batches.push(
      results.map(({ meta }, at) => ({
        sql: queries[at]?.sql ?? "",
        read: meta.rows_read,
        written: meta.rows_written,
        ms: meta.duration,
      })),
    );
    return results;
  });
  await runRemoval(drizzle(metered), removal).catch((thrown) => {
    if (most === Number.MAX_SAFE_INTEGER) throw thrown;
  });
  return batches;
}

/** Each statement reads and writes at most as many rows as a bound, however many are left. */
export function expectBounded(batches: Batch[], most: { read: number; written: number }): void {
  for (const { read, written, sql } of batches.flat()) {
    expect(read, sql).toBeLessThanOrEqual(most.read);
    expect(written, sql).toBeLessThanOrEqual(most.written);
  }
}

/** The checks of fsck that find something, and how many faults they leave. */
export async function faultsOf(db: D1Database, isRepairing = false) {
  const query = async (statements: string[]) =>
    (await db.batch(statements.map((sql) => db.prepare(sql)))).map(
      ({ results }) => results as D1Row[],
    );
  const execute = async (statements: string[]) => void (await query(statements));
  const found = await runFsck({ pageSize: 30_000, query, execute }, isRepairing);
  return Object.fromEntries(
    found.filter((one) => one.found > 0).map((one) => [one.name, one.left]),
  );
}
