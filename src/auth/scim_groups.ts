/** Finds the groups of a login that the identity provider provisions over SCIM. Each call reads them from D1. */
import { type SQL, sql } from "drizzle-orm";
import type { Credential } from "./call.ts";

/** The conditions on "scim_users" and "identity_providers": the person logged in as an active user, and SCIM is on. */
const isUserOfLogin = (
  person: string,
  provider: string,
): SQL => sql`"scim_users"."identity_uid" = ${person}
    and "scim_users"."parent" = ${provider} and "scim_users"."active" = 1
    and "identity_providers"."uid" = "scim_users"."parent" and "identity_providers"."scim_enabled" = 1`;

/**
 * The SCIM group that a role mapping means, by its displayName or its externalId, as a JSON list of its uid and its name.
 * Null for none. `more` continues after the FROM clause. An "or" of the two names would read all groups of the provider.
 */
export const scimGroupOfMapping = (
  mapping: Record<"provider" | "group", SQL>,
  more = sql``,
): SQL => sql`(
  select json_array("scim_groups"."uid", "scim_groups"."display_name") from "scim_groups" ${more}
  where "scim_groups"."uid" in (
    select "uid" from "scim_groups" where "parent" = ${mapping.provider} and "display_name" = ${mapping.group}
    union all
    select "uid" from "scim_groups" where "parent" = ${mapping.provider} and "external_id" = ${mapping.group}) limit 1)`;

/** Like {@link scimGroupOfMapping}, if the person of a login is in the group. */
export const scimGroupOfLogin = (person: string, provider: string, group: SQL): SQL =>
  scimGroupOfMapping(
    { provider: sql`${provider}`, group },
    sql`cross join "scim_users" cross join "identity_providers" on ${isUserOfLogin(person, provider)}
    cross join "scim_group_members" on "scim_group_members"."group_uid" = "scim_groups"."uid"
      and "scim_group_members"."user_uid" = "scim_users"."uid"`,
  );

/** The most SCIM groups of a person whose role mappings count. A login has the same limit for the groups in its claims. */
const maxGroups = 100;

/**
 * The external groups of a login that role mappings can name, as a subquery. They are those in the claims of its token,
 * and up to {@link maxGroups} SCIM groups of the person. Undefined if the token does not come from a login.
 */
export function externalGroupsOf({ bearer, login }: Credential): SQL | undefined {
  if (!login || !("uid" in bearer)) return undefined;
  const { identityProvider: provider, groups } = login;
  const claimed =
    groups.length > 0
      ? sql`select "value" from json_each(${JSON.stringify(groups)}) union all `
      : undefined;
  // The joins are in this order, because a person has few groups. Only groups with mappings are returned. The index of the
  // mappings has both columns.
  return sql`(${claimed}select * from (select distinct "mapped"."external_group_id" from "scim_users"
    cross join "identity_providers" on ${isUserOfLogin(bearer.uid, provider)}
    cross join "scim_group_members" on "scim_group_members"."user_uid" = "scim_users"."uid"
    cross join "scim_groups" on "scim_groups"."uid" = "scim_group_members"."group_uid"
      and "scim_groups"."parent" = "scim_users"."parent"
    cross join "external_group_role_mappings" as "mapped" on "mapped"."parent" = ${provider}
      and "mapped"."external_group_id" in ("scim_groups"."display_name", "scim_groups"."external_id") limit ${maxGroups}))`;
}
