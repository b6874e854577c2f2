/** Finds the groups that an identity provider blocks for a person who can also come in without it. */
import { type SQL, sql } from "drizzle-orm";

/**
 * The condition on a binding and its identity that none of the people (a subquery of uids) is blocked in the
 * binding's group. If a provider provisions its users, everyone who came in through it must be an active
 * user. A person's own token does not get past a deactivation, and neither does an identity that the person
 * assumes. The groups do not depend on the binding, so SQLite reads them once.
 */
export function isNotBlocked(people: SQL): SQL {
  const blockedGroups = sql`(select "identity_providers"."parent"
    from "sign_ins" cross join "identity_providers"
      on "identity_providers"."uid" = "sign_ins"."identity_provider_uid"
      and "identity_providers"."scim_enabled" = 1
    where "sign_ins"."identity_uid" in ${people}
      and not exists (select 1 from "scim_users" where "scim_users"."parent" = "identity_providers"."uid"
        and "scim_users"."identity_uid" = "sign_ins"."identity_uid" and "scim_users"."active" = 1))`;
  // This condition comes first, so that other callers do not pay for splitting the groups of their bindings.
  return sql`not (("identities"."parent" <> '' or "identities"."issuer" is not null) and exists ${blockedGroups}
    and exists (
      select 1 from json_each(json_array("role_bindings"."ancestor0", "role_bindings"."ancestor1",
        "role_bindings"."ancestor2", "role_bindings"."ancestor3", "role_bindings"."ancestor4"))
      where value in ${blockedGroups}))`;
}
