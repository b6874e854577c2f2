/**
 * What goes with a group: its own role bindings, and whatever lets those in who may delete it, as they could
 * not delete that before and still call.
 */
import { and, eq, gt, inArray, notExists, type SQL, sql } from "drizzle-orm";
import { Capability } from "../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { counts } from "../../schema/tables/counts.ts";
import { externalGroupRoleMappings } from "../../schema/tables/external_group_role_mappings.ts";
import { groupAccessRequests } from "../../schema/tables/group_access_requests.ts";
import { groups } from "../../schema/tables/groups.ts";
import { identities } from "../../schema/tables/identities.ts";
import { identityMetadata } from "../../schema/tables/identity_metadata.ts";
import { identityProviders } from "../../schema/tables/identity_providers.ts";
import { roleBindings } from "../../schema/tables/role_bindings.ts";
import { roles } from "../../schema/tables/roles.ts";
import { termsAcceptances } from "../../schema/tables/terms_acceptances.ts";
import type { Call } from "../auth/call.ts";
import { deleteBesideProviders } from "./identity_provider_deletion.ts";

const listed = (uids: (string | undefined)[]): SQL =>
  sql`(select "value" from json_each(${JSON.stringify(uids.filter((uid) => uid !== undefined))}))`;

/** The identities that the caller's token hangs on, and the identity providers. */
function behindToken({ credential }: Call) {
  const { bearer, chain = [], login } = credential ?? {};
  const own = bearer && "uid" in bearer ? [bearer.uid] : [];
  return {
    identities: listed([...own, ...chain.map(({ sub }) => sub)]),
    providers: listed([login?.identityProvider, ...chain.map(({ idp }) => idp)]),
  };
}

/**
 * The condition on an identity that it may delete the group by a binding there, or that the caller's token
 * hangs on it.
 */
function mayDelete(call: Call, uid: string, identity: SQL): SQL {
  const bound = call.db
    .select({ uid: roleBindings.identityUid })
    .from(roleBindings)
    .innerJoin(roles, eq(roles.uid, roleBindings.roleUid))
    .where(
      and(
        eq(roleBindings.parent, uid),
        eq(roleBindings.accepted, true),
        sql`${Capability.CAP_IAM_GROUPS_DELETE as number} in (select "value" from json_each(${roles.capabilities}))`,
      ),
    );
  return sql`(${identity} in ${behindToken(call).identities} or ${identity} in ${bound})`;
}

/** The condition on a role that somebody who may delete the group has it there, or by their login. */
function isTheirs(call: Call, uid: string): SQL {
  const { providers } = behindToken(call);
  const bound = call.db
    .select({ uid: roleBindings.roleUid })
    .from(roleBindings)
    .where(
      and(eq(roleBindings.parent, uid), mayDelete(call, uid, sql`${roleBindings.identityUid}`)),
    );
  const mapped = call.db
    .select({ uid: externalGroupRoleMappings.roleUid })
    .from(externalGroupRoleMappings)
    .where(inArray(externalGroupRoleMappings.parent, providers));
  const byDefault = call.db
    .select({ uid: identityProviders.defaultRole })
    .from(identityProviders)
    .where(inArray(identityProviders.uid, providers));
  return sql`(${roles.uid} in ${bound} or ${roles.uid} in ${mapped} or ${roles.uid} in ${byDefault})`;
}

/** The statement that reads what kinds of children keep the group from being deleted. */
export function selectBlocking(call: Call, uid: string) {
  const { db } = call;
  const stays = (table: typeof identities | typeof roles | typeof identityProviders, goes: SQL) =>
    sql`exists ${db
      .select({ one: sql`1` })
      .from(table)
      .where(and(eq(table.parent, uid), sql`not ${goes}`))}`;
  const { providers } = behindToken(call);
  const isBlocking = sql`case ${counts.kind}
    when 'role_bindings' then 0
    when 'identities' then ${stays(identities, mayDelete(call, uid, sql`${identities.uid}`))}
    when 'roles' then ${stays(roles, isTheirs(call, uid))}
    when 'identity_providers' then ${stays(identityProviders, sql`(${identityProviders.uid} in ${providers})`)}
    else 1 end`;
  return db
    .select({ kind: counts.kind })
    .from(counts)
    .where(and(eq(counts.ancestor, uid), gt(counts.children, 0), isBlocking));
}

/** The statement that deletes the group if nothing keeps it. */
export const deleteUnblocked = (call: Call, uid: string) =>
  call.db.delete(groups).where(and(eq(groups.uid, uid), notExists(selectBlocking(call, uid))));

/** The statements that stand behind it: all that is left in the group goes with it. */
export function deleteAlong(call: Call, uid: string) {
  const { db } = call;
  const members = db
    .select({ uid: identities.uid })
    .from(identities)
    .where(eq(identities.parent, uid));
  const providers = db
    .select({ uid: identityProviders.uid })
    .from(identityProviders)
    .where(eq(identityProviders.parent, uid));
  return [
    db.delete(roleBindings).where(eq(roleBindings.parent, uid)),
    db.delete(roleBindings).where(inArray(roleBindings.identityUid, members)),
    db.delete(identityMetadata).where(inArray(identityMetadata.uid, members)),
    db.delete(identities).where(eq(identities.parent, uid)),
    ...deleteBesideProviders(call, sql`${providers}`),
    db.delete(identityProviders).where(eq(identityProviders.parent, uid)),
    // Behind all that may use them.
    db.delete(roles).where(eq(roles.parent, uid)),
    db.delete(groupAccessRequests).where(eq(groupAccessRequests.groupUid, uid)),
    db.delete(termsAcceptances).where(eq(termsAcceptances.parent, uid)),
  ];
}
