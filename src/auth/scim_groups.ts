/** Finds the groups of a login that the identity provider provisions over SCIM. Each call reads them from D1. */
import { type SQL, sql } from "drizzle-orm";
import type { Credential } from "./call.ts";

/**
 * The SCIM groups of a login, for a FROM clause: each as "scim_groups". The person must have logged in as an active user
 * of exactly this identity provider, and its SCIM must be on. The joins are in this order, because a person has few
 * groups.
 */
export const scimGroupsOfLogin = (person: string, provider: string): SQL => sql`"scim_users"
  cross join "identity_providers" on "scim_users"."identity_uid" = ${person}
    and "scim_users"."parent" = ${provider} and "scim_users"."active" = 1
    and "identity_providers"."uid" = "scim_users"."parent" and "identity_providers"."scim_enabled" = 1
  cross join "scim_group_members" on "scim_group_members"."user_uid" = "scim_users"."uid"
  cross join "scim_groups" on "scim_groups"."uid" = "scim_group_members"."group_uid"
    and "scim_groups"."parent" = "scim_users"."parent"`;

/** Whether a role mapping means the SCIM group of the row: by its displayName, or by its externalId. */
export const isMappedGroup = (externalGroup: SQL): SQL =>
  sql`${externalGroup} in ("scim_groups"."display_name", "scim_groups"."external_id")`;

/**
 * The external groups of a login that role mappings can name, as a subquery: those in the claims of its token, and the
 * SCIM groups of the person. Undefined if the token does not come from a login.
 */
export function externalGroupsOf({ bearer, login }: Credential): SQL | undefined {
  if (!login || !("uid" in bearer)) return undefined;
  const { identityProvider: provider, groups } = login;
  const claimed =
    groups.length > 0
      ? sql`select "value" from json_each(${JSON.stringify(groups)}) union all `
      : undefined;
  // Only groups with mappings are returned. The index of the mappings has both columns.
  return sql`(${claimed}select "mapped"."external_group_id" from ${scimGroupsOfLogin(bearer.uid, provider)}
    cross join "external_group_role_mappings" as "mapped" on "mapped"."parent" = ${provider}
      and ${isMappedGroup(sql`"mapped"."external_group_id"`)})`;
}
