/** Calls that read, decide and then write: what they do when another call wrote in between. */
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { aborted } from "./errors.ts";

/** Runs of a call that keeps losing to others. */
const tries = 5;

/** What a call has read is not so any more. Nothing of its change is written. */
export class Stale extends Error {}

type Versioned = SQLiteTable & { uid: SQLiteColumn; updateTime: SQLiteColumn };

/** The condition that a row is still there, and not changed since it was read. */
export const isAsRead = (table: Versioned, read: { uid: string; updateTime: number }): SQL =>
  sql`exists (select 1 from ${table}
    where ${and(eq(table.uid, read.uid), eq(table.updateTime, read.updateTime))})`;

/** As {@link isAsRead}, for several rows: true if none of them has changed. */
export const areAsRead = (table: Versioned, read: { uid: string; updateTime: number }[]): SQL =>
  sql`not exists (
    select 1 from json_each(${JSON.stringify(read.map(({ uid, updateTime }) => [uid, updateTime]))}) as "read"
    where not exists (select 1 from ${table}
      where ${table.uid} = "read"."value" ->> 0 and ${table.updateTime} = "read"."value" ->> 1))`;

/** Runs a call again while it throws Stale; ABORTED after five runs. */
export async function retryStale<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof Stale)) throw error;
    }
  }
  throw aborted("the resource is being changed by others; try again");
}
