import { eq } from "drizzle-orm";
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import type { RunnableQuery } from "drizzle-orm/runnable-query";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { groups } from "../../schema/tables/iam/groups.ts";
import { type RowOf, rowColumns } from "../../schema/tables/list_indexes.ts";
import { notFound } from "../aip/errors.ts";
import { authorizeAndRead } from "../auth/access.ts";
import type { Call, Database } from "../auth/call.ts";
import type { Caller } from "../auth/grants.ts";
import { requireMatch, type Versioned } from "./precondition.ts";
import type { Readable } from "./resource.ts";

/**
 * Reads the row of a uid and the rows of further statements in one round trip. Throws PERMISSION_DENIED as
 * {@link authorizeAndRead} does, whether or not the row exists, and then NOT_FOUND if it does not, and what
 * {@link requireMatch} throws. With `everywhere`, the call also has the caller's grants elsewhere.
 */
export async function find<Row, const S extends readonly BatchItem<"sqlite">[] = []>(
  call: Call,
  of: Readable<Row> & Versioned,
  uid: string,
  { extraReads, everywhere = false }: { extraReads?: S; everywhere?: boolean } = {},
): Promise<{ caller: Caller; row: Row; extraReads: BatchResponse<S> }> {
  const statements = [of.select(call.db, uid), ...(extraReads ?? [])];
  const { caller, rows } = await authorizeAndRead(call, uid, statements, { everywhere });
  // A batch returns its results in the order of its statements. The types of a spread lose that.
  const [[row], ...others] = rows as [Row[], ...unknown[]];
  if (!row) throw notFound(of.type, uid);
  requireMatch(call, of, uid, row);
  return { caller, row, extraReads: others as BatchResponse<S> };
}

/** The statement that reads the row of a uid from one table. */
export const selectRow =
  <Table extends SQLiteTable & { uid: SQLiteColumn }>(table: Table) =>
  (db: Database, uid: string) =>
    // A cast, because drizzle knows the rows only of a certain table.
    db
      .select(rowColumns(table))
      .from(table as SQLiteTable)
      .where(eq(table.uid, uid)) as unknown as RunnableQuery<RowOf<Table>[], "sqlite">;

/** A group as the parent of a new resource. Only its existence is read. */
export const parentGroup: Readable<{ uid: string }> = {
  type: "iam/Group",
  select: (db, uid) => db.select({ uid: groups.uid }).from(groups).where(eq(groups.uid, uid)),
};
