/** Checks that every row has its parent. */
import { type FsckCheck, maxRowsPerRepair, newCheck } from "./check.ts";
import { isPresent } from "./deletions.ts";
import { type ParentedTable, parentedTables, type Trigger } from "./triggers.ts";

/**
 * Returns a SELECT of the rows whose parent does not exist. It looks up each parent once, because there are far fewer
 * parents than children.
 */
function orphans({ table, parents, mayBeRoot }: ParentedTable): string {
  const isMissing = parents
    .map((each) => `NOT EXISTS (SELECT 1 FROM "${each}" WHERE uid = one.parent)`)
    .join(" AND ");
  return `SELECT uid, '${table}: its parent does not exist in ${parents.join(" or ")}' AS wrong FROM "${table}" WHERE parent IN (
    SELECT parent FROM (SELECT DISTINCT parent FROM "${table}") AS one
    WHERE ${isPresent("one.parent")} AND ${mayBeRoot ? "one.parent <> '' AND " : ""}${isMissing})`;
}

/** Statements that remove what would block the deletion of an orphan. A trigger protects roles that are in use. */
const releaseStatements: Record<string, (orphans: string) => string[]> = {
  roles: (uids) => [
    `DELETE FROM role_bindings WHERE role_uid IN (${uids})`,
    `DELETE FROM external_group_role_mappings WHERE role_uid IN (${uids})`,
    `UPDATE identity_providers SET default_role = '' WHERE default_role IN (${uids})`,
  ],
};

/** Deleting a parent makes its children orphans, which the next round finds. */
export const parentsCheck = (triggers: Trigger[]): FsckCheck =>
  newCheck(
    {
      name: "parents",
      promise: "The parent of each row exists.",
      remedy: "deletes these rows and everything below them, because no call can reach them",
    },
    parentedTables(triggers).map((reference) => {
      const uids = `SELECT uid FROM (${orphans(reference)}) ORDER BY uid LIMIT ${maxRowsPerRepair}`;
      const removal = `DELETE FROM "${reference.table}" WHERE uid IN (${uids})`;
      return {
        table: reference.table,
        damaged: orphans(reference),
        repair: [...(releaseStatements[reference.table]?.(uids) ?? []), removal],
      };
    }),
  );
