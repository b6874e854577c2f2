/**
 * People belong to no organization, so the first database has their identities. Each database where a person has come
 * in, or has a role, has a copy, because a statement reads an identity together with its role bindings.
 */
import { eq } from "drizzle-orm";
import { identities } from "../../schema/tables/iam/identities.ts";
import { type RowOf, rowColumns } from "../../schema/tables/list_indexes.ts";
import { parentOf } from "../aip/uid_path.ts";
import type { Call } from "./call.ts";
import { isSpread, rowsOfEach } from "./databases.ts";

type Row = RowOf<typeof identities>;

/**
 * The row of a caller's identity among these rows. A person who has no copy in the database of the call is looked up
 * in the others.
 */
export async function findOrFetch(
  { databases }: Pick<Call, "databases">,
  uid: string,
  rows: Row[],
): Promise<Row | undefined> {
  const here = rows.find((row) => row.uid === uid);
  if (here || !isSpread(databases) || parentOf(uid) !== "") return here;
  const [copy] = await rowsOfEach(databases, (db) =>
    db.select(rowColumns(identities)).from(identities).where(eq(identities.uid, uid)),
  );
  return copy;
}

/**
 * The statements that give the database a copy of a person, unless it has one. None for other identities, and none
 * with one database.
 */
export const copyPerson = (
  { db, databases }: Pick<Call, "db" | "databases">,
  row: typeof identities.$inferInsert,
) =>
  isSpread(databases) && parentOf(row.uid) === ""
    ? [db.insert(identities).values(row).onConflictDoNothing()]
    : [];
