/**
 * Deletes a group together with its own role bindings and everything that gives the caller access. The caller
 * could not delete these before, because the call needs them. Bindings that let others delete the group are
 * deleted too, if the caller may delete those. Otherwise the last owner among them could not be removed
 * first.
 */
import { and, eq, gt, inArray, notExists, type SQL, sql } from "drizzle-orm";
import { Capability } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { counts } from "../../../schema/tables/counts.ts";
import { externalGroupRoleMappings } from "../../../schema/tables/iam/external_group_role_mappings.ts";
import { groupAccessRequests } from "../../../schema/tables/iam/group_access_requests.ts";
import { groups } from "../../../schema/tables/iam/groups.ts";
import { identities } from "../../../schema/tables/iam/identities.ts";
import { identityMetadata } from "../../../schema/tables/iam/identity_metadata.ts";
import { identityProviders } from "../../../schema/tables/iam/identity_providers.ts";
import { roleBindings } from "../../../schema/tables/iam/role_bindings.ts";
import { roles } from "../../../schema/tables/iam/roles.ts";
import { termsAcceptances } from "../../../schema/tables/iam/terms_acceptances.ts";
import { parentKeySql } from "../../../schema/tables/list_indexes.ts";
import { valuesSubselect } from "../../aip/any_of.ts";
import { ancestry } from "../../aip/uid_path.ts";
import type { Call, Database } from "../../auth/call.ts";
import { type Caller, holds } from "../../auth/grants.ts";
import type { Statement } from "../../outbox/commit.ts";
import {
  fewRows,
  leaveTotals,
  markDeleted,
  selectIsLarge,
} from "../../resource/deletion_in_batches.ts";
import { deleteProviderDependents, partsOfProviders } from "../identity_providers/deletion.ts";
import { deleteKeysBelow } from "../keys/deletion.ts";

/** The identities and the identity providers that the caller's token depends on. */
function identitiesOfToken({ credential }: Call) {
  const { bearer, chain = [], login } = credential ?? {};
  const own = bearer && "uid" in bearer ? [bearer.uid] : [];
  const providers = [login?.identityProvider, ...chain.map(({ idp }) => idp)];
  return {
    identities: valuesSubselect([...own, ...chain.map(({ sub }) => sub)]),
    providers: valuesSubselect(providers.filter((uid) => uid !== undefined)),
  };
}

/**
 * Whether an identity may delete the group because of a binding there. It reads the bindings of the identity, and each role
 * that can be bound there once, because a group can have very many bindings.
 */
function mayDelete({ db }: Call, uid: string, identity: SQL): SQL {
  const deleting = db
    .select({ uid: roles.uid })
    .from(roles)
    .where(
      and(
        inArray(roles.parent, ["", ...ancestry(uid)]),
        sql`${Capability.CAP_IAM_GROUPS_DELETE as number} in (select "value" from json_each(${roles.capabilities}))`,
      ),
    );
  return sql`exists (select 1 from ${roleBindings} as "given" where "given"."identity_uid" = ${identity}
    and "given"."accepted" = 1 and "given"."parent" = ${uid} and "given"."role_uid" in ${deleting})`;
}

/** The condition that one of these identities has the role at the group. */
const isRoleHeldBy = (uid: string, isOne: (identity: SQL) => SQL): SQL =>
  sql`exists (select 1 from ${roleBindings} as "held" where "held"."parent_key" = ${parentKeySql(uid)}
    and "held"."parent" = ${uid} and "held"."role_uid" = ${roles.uid} and ${isOne(sql`"held"."identity_uid"`)})`;

/** The condition that the caller has the role at the group, directly or by their login. */
function isRoleHeldByCaller(call: Call, uid: string): SQL {
  const { identities: own, providers } = identitiesOfToken(call);
  const mapped = call.db
    .select({ uid: externalGroupRoleMappings.roleUid })
    .from(externalGroupRoleMappings)
    .where(inArray(externalGroupRoleMappings.parent, providers));
  const byDefault = call.db
    .select({ uid: identityProviders.defaultRole })
    .from(identityProviders)
    .where(inArray(identityProviders.uid, providers));
  return sql`(${isRoleHeldBy(uid, (identity) => sql`${identity} in ${own}`)}
    or ${roles.uid} in ${mapped} or ${roles.uid} in ${byDefault})`;
}

/**
 * Access that other people can lose with a group. It requires that the caller may delete that access on its
 * own.
 */
const capabilityOf: Record<string, Capability> = {
  identities: Capability.CAP_IAM_IDENTITY_DELETE,
  roles: Capability.CAP_IAM_ROLES_DELETE,
};

/**
 * The statement that reads which kinds of children keep the group from being deleted. Kinds with `isOthers`
 * count only if the caller may not delete them on their own ({@link blockingKinds}). More than 1,000 identities, or roles,
 * always count: the batch that deletes the group deletes these, so that no call can act as them.
 */
export function selectBlockingChildren(call: Call, uid: string) {
  const { db } = call;
  const stays = (table: typeof identities | typeof roles | typeof identityProviders, goes: SQL) =>
    sql`exists ${db
      .select({ one: sql`1` })
      .from(table)
      .where(and(eq(table.parent, uid), sql`not (${goes})`))}`;
  const { identities: own, providers } = identitiesOfToken(call);
  const isOwnIdentity = sql`${identities.uid} in ${own}`;
  const isDeleter = (identity: SQL) => mayDelete(call, uid, identity);
  const isBlocking = sql`case ${counts.kind}
    when 'role_bindings' then 0
    when 'identities' then ${stays(identities, isOwnIdentity)}
    when 'roles' then ${stays(roles, isRoleHeldByCaller(call, uid))}
    when 'identity_providers' then ${stays(identityProviders, sql`${identityProviders.uid} in ${providers}`)}
    else 1 end`;
  const isOthers = sql<number>`case when ${counts.children} > ${fewRows} then 0 else case ${counts.kind}
    when 'identities' then not ${stays(identities, sql`${isOwnIdentity} or ${isDeleter(sql`${identities.uid}`)}`)}
    when 'roles' then not ${stays(roles, sql`${isRoleHeldByCaller(call, uid)} or ${isRoleHeldBy(uid, isDeleter)}`)}
    else 0 end end`;
  return db
    .select({ kind: counts.kind, isOthers: isOthers.as("is_others") })
    .from(counts)
    .where(and(eq(counts.ancestor, uid), gt(counts.children, 0), isBlocking));
}

type BlockingRows = Awaited<ReturnType<typeof selectBlockingChildren>>;

/** The kinds of children among these that keep the caller from deleting the group. */
export const blockingKinds = (children: BlockingRows, caller: Caller, uid: string): string[] =>
  children
    .filter(({ kind, isOthers }) => !isOthers || !mayDeleteKind(caller, kind, uid))
    .map(({ kind }) => kind);

const mayDeleteKind = (caller: Caller, kind: string, uid: string): boolean => {
  const capability = capabilityOf[kind];
  return capability !== undefined && holds(caller, [capability], uid);
};

/** The condition that nothing keeps the caller from deleting the group. */
export function isUnblocked(call: Call, caller: Caller, uid: string) {
  const deletableKinds = Object.keys(capabilityOf).filter((kind) =>
    mayDeleteKind(caller, kind, uid),
  );
  const children = selectBlockingChildren(call, uid).as("found");
  const blocking = call.db
    .select({ one: sql`1` })
    .from(children)
    .where(
      sql`not (${children.isOthers} and ${children.kind} in ${valuesSubselect(deletableKinds)})`,
    );
  return notExists(blocking);
}

/**
 * The statement that reads whether the group has more rows than one batch deletes: `[{ isLarge }]`. Its identities and
 * roles are never many ({@link selectBlockingChildren}).
 */
export const selectHasManyRows = ({ db }: Call, uid: string) =>
  selectIsLarge(db, uid, [
    [groupAccessRequests, eq(groupAccessRequests.groupUid, uid)],
    ...partsOfProviders(sql`${providersOf(db, uid)}`),
  ]);

const providersOf = (db: Database, uid: string) =>
  db
    .select({ uid: identityProviders.uid })
    .from(identityProviders)
    .where(eq(identityProviders.parent, uid));

/** The statements after that condition. They delete everything that is left in the group. */
export const deletionAtOnce = (call: Call, _: Caller, uid: string) => ({
  extraWrites: [
    call.db.delete(roleBindings).where(eq(roleBindings.parent, uid)),
    call.db.delete(groupAccessRequests).where(eq(groupAccessRequests.groupUid, uid)),
    ...deleteProviderDependents(call, sql`${providersOf(call.db, uid)}`),
    ...deleteRest(call, uid),
  ],
});

/** The same for a group with many rows. The schedule removes most of them (`removal.ts`). */
export const deletionInBatches = (call: Call, caller: Caller, uid: string) => {
  const { db } = call;
  const providers = sql`${providersOf(db, uid)}`;
  return {
    before: [
      markDeleted(call, caller, groups, eq(groups.uid, uid)),
      markDeleted(call, caller, identityProviders, eq(identityProviders.parent, uid)),
    ],
    extraWrites: [
      db.delete(counts).where(sql`${counts.ancestor} in ${providers}`),
      ...deleteRest(call, uid),
      ...leaveTotals(db, uid),
    ],
  };
};

/** Deletes what anyone could log in or act with, and what is never much. The roles come after all rows that can refer to them. */
function deleteRest({ db }: Call, uid: string): Statement[] {
  const members = db
    .select({ uid: identities.uid })
    .from(identities)
    .where(eq(identities.parent, uid));
  return [
    db.delete(roleBindings).where(inArray(roleBindings.identityUid, members)),
    deleteKeysBelow(db, uid),
    db.delete(identityMetadata).where(inArray(identityMetadata.uid, members)),
    db.delete(identities).where(eq(identities.parent, uid)),
    db.delete(identityProviders).where(eq(identityProviders.parent, uid)),
    db.delete(roles).where(eq(roles.parent, uid)),
    db.delete(termsAcceptances).where(eq(termsAcceptances.parent, uid)),
  ];
}
