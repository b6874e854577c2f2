/** The groups from which an identity provider has taken a person who can come in without it. */
import { type SQL, sql } from "drizzle-orm";
import { identities } from "../../schema/tables/identities.ts";
import { identityProviders } from "../../schema/tables/identity_providers.ts";
import { roleBindings } from "../../schema/tables/role_bindings.ts";
import { scimUsers } from "../../schema/tables/scim_users.ts";
import { signIns } from "../../schema/tables/sign_ins.ts";

/**
 * The condition on a binding and its identity that none of the people (a subquery of uids) is shut out of the
 * binding's group. Where a provider provisions its users, whoever came in through it needs to be an active one:
 * a token of their own does not get them past a deactivation, nor does an identity that they assume. The groups
 * do not depend on the binding, so SQLite reads them once.
 */
export function isLetIn(people: SQL): SQL {
  const shut = sql`(select ${identityProviders.parent}
    from ${signIns} cross join ${identityProviders}
      on ${identityProviders.uid} = ${signIns.identityProviderUid} and ${identityProviders.scimEnabled} = 1
    where ${signIns.identityUid} in ${people}
      and not exists (select 1 from ${scimUsers} where ${scimUsers.parent} = ${identityProviders.uid}
        and ${scimUsers.identityUid} = ${signIns.identityUid} and ${scimUsers.active} = 1))`;
  const above = sql`json_array(${roleBindings.ancestor0}, ${roleBindings.ancestor1},
    ${roleBindings.ancestor2}, ${roleBindings.ancestor3}, ${roleBindings.ancestor4})`;
  // Asked for any first, so that nobody else pays for taking their bindings' groups apart.
  return sql`not ((${identities.parent} <> '' or ${identities.issuer} is not null) and exists ${shut}
    and exists (select 1 from json_each(${above}) where value in ${shut}))`;
}
