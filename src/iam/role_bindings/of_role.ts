/** Finds the role bindings of a role of a group. */
import { type SQL, sql } from "drizzle-orm";
import { roleBindings } from "../../../schema/tables/iam/role_bindings.ts";
import { ancestorKeyOf, parentKeyOf } from "../../../schema/tables/list_indexes.ts";
import { isPresent } from "../../../schema/tables/platform/deletions.ts";
import { rootOf } from "../../aip/uid_path.ts";

/**
 * A select of the columns of all bindings of a role. The indexes of the lists of its organization by role have them: one
 * has those of the organization itself, and one those of all groups below.
 */
export function selectBindingsOf(role: string, columns: SQL): SQL {
  const organization = rootOf(role);
  const selectWhere = (scope: SQL) =>
    sql`select ${columns} from ${roleBindings} where ${scope} and "role_uid" = ${role} and ${isPresent(sql`"parent"`)}`;
  const children = sql`${roleBindings.parentKey} = ${parentKeyOf(organization)}`;
  const below = sql`${roleBindings.above0} = ${ancestorKeyOf(organization)}`;
  return sql`${selectWhere(children)} union all ${selectWhere(below)}`;
}
