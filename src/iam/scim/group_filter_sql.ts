/** Converts filters to conditions on scim_groups. Members are found by the index of their user. */
import { and, or, type SQL, sql } from "drizzle-orm";
import { scimGroupMembers, scimGroups } from "../../../schema/tables/iam/scim_groups.ts";
import type { Attribute } from "./attributes.ts";
import { badRequest } from "./errors.ts";
import type { ScimCall } from "./exchange.ts";
import type { Filter } from "./filter.ts";
import { compare, isFilled, negated } from "./filter_sql.ts";
import { userUids } from "./group_difference.ts";
import { selectedIds } from "./group_members.ts";

const id = sql`substr(${scimGroups.uid}, -16)`;

/** Expressions for attributes that have their own columns. */
const columns = ({ groups }: ScimCall): Record<string, SQL> => ({
  id,
  displayName: sql`${scimGroups.displayNameKey}`,
  externalId: sql`${scimGroups.externalId}`,
  "meta.resourceType": sql`'Group'`,
  "meta.created": sql`${scimGroups.createTime}`,
  "meta.lastModified": sql`${scimGroups.updateTime}`,
  "meta.location": sql`${`${groups}/`} || ${id}`,
  "meta.version": sql`'W/"' || ${scimGroups.updateTime} || '"'`,
});

const keyOf = (path: Attribute[]) => path.map(({ name }) => name).join(".");

/** The condition for a filter. Throws 400 invalidFilter. */
export function toGroupCondition(filter: Filter, call: ScimCall): SQL {
  switch (filter.is) {
    case "and":
      return and(...filter.terms.map((term) => toGroupCondition(term, call))) ?? sql`true`;
    case "or":
      return or(...filter.terms.map((term) => toGroupCondition(term, call))) ?? sql`false`;
    case "not":
      return negated(toGroupCondition(filter.term, call));
    case "some":
      return hasMember(call, selectedIds(filter.filter));
    case "present":
      return isPresent(filter.path, call);
    case "compared":
      return isCompared(filter, call);
  }
}

/** Whether one of the users with these ids is a member. Undefined means any user. */
function hasMember(call: ScimCall, ids: Set<string> | undefined): SQL {
  if (!ids) {
    return sql`exists (select 1 from ${scimGroupMembers} where ${scimGroupMembers.groupUid} = ${scimGroups.uid})`;
  }
  return sql`${scimGroups.uid} in (select ${scimGroupMembers.groupUid} from ${scimGroupMembers}
    where ${scimGroupMembers.userUid} in ${userUids(call, ids)})`;
}

function isPresent(path: Attribute[], call: ScimCall): SQL {
  const [first, ...rest] = path;
  if (first?.name === "members") return hasMember(call, undefined);
  const column = columns(call)[keyOf(path)];
  if (column) return isFilled(column);
  return first?.name === "schemas" || rest.length === 0 ? sql`true` : sql`false`;
}

function isCompared(filter: Filter & { is: "compared" }, call: ScimCall): SQL {
  const { path, operator, value } = filter;
  const [first, ...rest] = path;
  if (first?.name === "members") {
    // "Not equal" for several values means that no value is equal.
    if (operator === "ne") return negated(isCompared({ ...filter, operator: "eq" }, call));
    return hasMember(call, selectedIds({ ...filter, path: rest }));
  }
  const column = columns(call)[keyOf(path)];
  if (!column) throw badRequest("invalidFilter", `${keyOf(path)} cannot be compared`);
  if (operator === "eq" && first?.name === "id" && typeof value === "string") {
    return sql`${scimGroups.uid} = ${`${call.provider}/${value}`}`;
  }
  // The column contains names in lowercase, by Unicode rules.
  const isName = first?.name === "displayName";
  const folded = isName && typeof value === "string" ? value.toLowerCase() : value;
  return compare(column, path, operator, folded, isName);
}
