/** Finds an organization in the database, for commands that run SQL. */
import { sqlLiteral } from "../bootstrap.ts";
import { refusedFailure } from "../failure.ts";

export type OrganizationRow = { uid: string; name: string };

/** Returns the SELECT of the organizations with that name or uid. */
export const selectOrganizations = (asked: string) =>
  `SELECT uid, name FROM groups WHERE parent = '' AND (uid = ${sqlLiteral(asked)} OR name = ${sqlLiteral(asked)}) LIMIT 10`;

/** Returns the only organization that was found. Throws NOT_FOUND, or AMBIGUOUS if several have the name. */
export function onlyOrganization(rows: OrganizationRow[], asked: string): OrganizationRow {
  const [only, another] = rows;
  if (!only)
    throw refusedFailure("NOT_FOUND", `There is no organization with the name or uid ${asked}.`);
  if (another) {
    throw refusedFailure(
      "AMBIGUOUS",
      `Several organizations are named ${asked}. Use one of these uids instead: ${rows.map(({ uid }) => uid).join(", ")}`,
    );
  }
  return only;
}
