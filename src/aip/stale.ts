/** Repeats a call that reads, decides and then writes if another call wrote in between. */
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { DrizzleD1Database } from "drizzle-orm/d1";
import type { SQLiteColumn, SQLiteTable, SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";
import { hasUid } from "../../schema/tables/list_indexes.ts";
import { aborted } from "./errors.ts";

/** The number of times that a call runs if other calls keep changing its rows. */
const maxAttempts = 5;

/** A row that the call has read has changed since. The call wrote nothing. */
export class StaleError extends Error {}

/** A table whose rows have a version: the update time, which increases with every change. */
export type VersionedTable = SQLiteTable & { uid: SQLiteColumn; updateTime: SQLiteColumn };

/** A row as the call read it. */
export interface Version {
  uid: string;
  updateTime: number;
}

const isVersion = (table: VersionedTable, { uid, updateTime }: Version) =>
  and(hasUid(table, uid), eq(table.updateTime, updateTime));

/** The condition that a row still exists and is unchanged since it was read. */
export const isUnchanged = (table: VersionedTable, read: Version): SQL =>
  sql`exists (select 1 from ${table} where ${isVersion(table, read)})`;

/** A statement that changes a row only if it is as it was read. `onlyIfChanged` must guard it. */
export const updateAsRead = <Table extends VersionedTable>(
  db: DrizzleD1Database,
  table: Table,
  read: Version,
  columns: SQLiteUpdateSetSource<Table>,
) => db.update(table).set(columns).where(isVersion(table, read));

/** Like {@link isUnchanged}, for several rows: true if no row has changed. */
export const areUnchanged = (table: VersionedTable, read: Version[]): SQL =>
  sql`not exists (
    select 1 from json_each(${JSON.stringify(read.map(({ uid, updateTime }) => [uid, updateTime]))}) as "read"
    where not exists (select 1 from ${table}
      where ${hasUid(table, sql`("read"."value" ->> 0)`)} and ${table.updateTime} = "read"."value" ->> 1))`;

/** Runs a call again while it throws Stale. Throws ABORTED after five runs. */
export async function retryStale<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof StaleError)) throw error;
    }
  }
  throw aborted("other calls keep changing the resource; send the call again");
}
