/**
 * Finds the owners of an organization, who can restore any lost access. Binding a role takes all of its
 * capabilities, so an organization without owners cannot get one back by itself.
 */
import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { RelationshipType } from "../../schema/gen/platform/iam/v2/identities_pb.js";
import { groups } from "../../schema/tables/iam/groups.ts";
import { identities } from "../../schema/tables/iam/identities.ts";
import { identityProviders } from "../../schema/tables/iam/identity_providers.ts";
import { roleBindings } from "../../schema/tables/iam/role_bindings.ts";
import { OWNER_ROLE, roles } from "../../schema/tables/iam/roles.ts";
import { scimUsers } from "../../schema/tables/iam/scim_users.ts";
import { signIns } from "../../schema/tables/issuer/sign_ins.ts";
import { parentKeySql } from "../../schema/tables/list_indexes.ts";
import { parentOf } from "../aip/uid_path.ts";
import type { Call } from "./call.ts";

type ReadContext = Pick<Call, "db" | "now">;

/**
 * Whether a provider of the organization ("door") lets the person ("owner") in. If the provider provisions
 * its users, the person must be one of them.
 */
const isActiveAtProvider = sql`("door"."scim_enabled" = 0 or exists (select 1 from ${scimUsers} as "user"
  where "user"."parent" = "door"."uid" and "user"."identity_uid" = "owner"."uid" and "user"."active" = 1))`;

/**
 * Whether a person can act in the whole organization. The operator may have created the person. The person
 * may use a token of their own, unless a provider blocks them (blocked_groups.ts). Or the person may log in
 * through a provider of the organization itself. A provider of a subgroup does not cover the whole
 * organization.
 */
const canPersonComeIn = (organization: SQL) => sql`("owner"."relationship" is null
  or ("owner"."issuer" is not null and not exists (select 1 from ${signIns} as "seen"
    cross join ${identityProviders} as "door" on "door"."uid" = "seen"."identity_provider_uid"
    where "seen"."identity_uid" = "owner"."uid" and "door"."parent" = ${organization} and not ${isActiveAtProvider}))
  or exists (select 1 from ${identityProviders} as "door" where "door"."parent" = ${organization}
    and "door"."issuer" = "owner"."relationship" ->> '$.value.issuer' and ${isActiveAtProvider}))`;

/** Whether an identity of the organization accepts any tokens. */
const canIdentityComeIn = (now: number) => {
  const expiry = sql`"owner"."relationship" ->> '$.value.expirationTime'`;
  return sql`("owner"."relationship_type" in (${RelationshipType.CLAIM_MATCH}, ${RelationshipType.AWS_IDENTITY})
    or ("owner"."relationship_type" = ${RelationshipType.STATIC}
      and coalesce(${expiry} > ${new Date(now).toISOString()}, 1)))`;
};

/** Whether an identity that can come in has one of the roles (`"role"."uid"`) at the organization. */
const isRoleHeld = (role: SQL, organization: SQL, now: number) => sql`exists (select 1
  from ${roleBindings} as "given" cross join ${identities} as "owner" on "owner"."uid" = "given"."identity_uid"
  where "given"."parent_key" = ${parentKeySql(organization)} and "given"."parent" = ${organization}
    and "given"."role_uid" = ${role} and "given"."accepted" = 1
    and case "owner"."parent" when '' then ${canPersonComeIn(organization)}
      when ${organization} then ${canIdentityComeIn(now)} end)`;

/**
 * The condition that the organization has an owner. That is an accepted binding at the organization itself,
 * for an identity that can come in. Its role is the built-in role `owner`, or a custom role with at least the
 * same capabilities. External groups with such a role do not count, because only the identity provider decides about their members.
 */
function hasOwner(organization: SQL, now: number): SQL {
  const all = sql`(select ${roles.capabilities} from ${roles} where ${roles.uid} = ${OWNER_ROLE})`;
  const holdsAll = sql`json_array_length("own"."capabilities") >= json_array_length(${all})
    and not exists (select 1 from json_each(${all}) as "needed" where "needed"."value" not in (
      select "value" from json_each("own"."capabilities")))`;
  return sql`(${isRoleHeld(sql`${OWNER_ROLE}`, organization, now)} or exists (select 1 from ${roles} as "own"
    where "own"."parent" = ${organization} and ${holdsAll} and ${isRoleHeld(sql`"own"."uid"`, organization, now)}))`;
}

/** The statement that returns a group's uid if the group is an organization with an owner. */
export const selectIfOwned = (call: ReadContext, group: string) =>
  selectOrganizationsWithOwner(call, eq(groups.uid, parentOf(group) === "" ? group : ""));

/** Like {@link selectIfOwned}, for all organizations where an identity has a role binding. */
export const selectOwnedOrganizations = (call: ReadContext, identity: SQL) => {
  const organizations = call.db
    .select({ uid: roleBindings.parent })
    .from(roleBindings)
    .where(and(eq(roleBindings.identityUid, identity), eq(roleBindings.accepted, true)));
  return selectOrganizationsWithOwner(
    call,
    and(inArray(groups.uid, organizations), eq(groups.parent, "")),
  );
};

const selectOrganizationsWithOwner = ({ db, now }: ReadContext, which: SQL | undefined) =>
  db
    .select({ uid: groups.uid })
    .from(groups)
    .where(and(which, hasOwner(sql`${groups.uid}`, now)));

/** The uids of the organizations in that set without an owner, as a select with the column `uid`. */
export const selectOwnerless = (organizations: string[], now: number): SQL =>
  sql`select "value" as "uid" from json_each(${JSON.stringify(organizations)}) as "organization"
    where not ${hasOwner(sql`"organization"."value"`, now)}`;
