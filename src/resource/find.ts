import { eq } from "drizzle-orm";
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import { groups } from "../../schema/tables/iam/groups.ts";
import { notFound } from "../aip/errors.ts";
import { authorizeAndRead } from "../auth/access.ts";
import type { Call } from "../auth/call.ts";
import type { Caller } from "../auth/grants.ts";
import type { Readable } from "./resource.ts";

/**
 * The row of a uid, whoever may see it, and the rows of further statements, in one round trip. Throws
 * PERMISSION_DENIED as {@link authorizeAndRead} does, whether the row exists or not, and then NOT_FOUND where it does
 * not. With `everywhere` the caller has its grants elsewhere too.
 */
export async function find<Row, const S extends readonly BatchItem<"sqlite">[] = []>(
  call: Call,
  { type, select }: Readable<Row>,
  uid: string,
  { also, everywhere = false }: { also?: S; everywhere?: boolean } = {},
): Promise<{ caller: Caller; row: Row; also: BatchResponse<S> }> {
  const statements = [select(call.db, uid), ...(also ?? [])];
  const { caller, rows } = await authorizeAndRead(call, uid, statements, { everywhere });
  // A batch answers in the order of its statements, which the types of a spread lose.
  const [[row], ...others] = rows as [Row[], ...unknown[]];
  if (!row) throw notFound(type, uid);
  return { caller, row, also: others as BatchResponse<S> };
}

/** A group as the parent of what is made in it: only whether it is there. */
export const parentGroup: Readable<{ uid: string }> = {
  type: "iam/Group",
  select: (db, uid) => db.select({ uid: groups.uid }).from(groups).where(eq(groups.uid, uid)),
};
