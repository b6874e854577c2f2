/**
 * Joining a group with the code of an invite. In IAM this is AcceptGroupInvite. At the issuer it is a login
 * or a registration with a code.
 *
 * To accept an invite, follow these steps. Add {@link selectInvite}, with the {@link toInviteKey} of the
 * code, to the batch of your other reads. Pass its rows to {@link requireInvite}. Write `[clear, bind, <the
 * event>, useUp, bound]` of {@link acceptanceStatements} in one batch, with a guard for {@link
 * isInviteUnchanged}. The type of the event is `api.iam.rolebindings.created.v1`, and its body is `binding`.
 * Write it only if `insertBinding` changed a row. Pass the rows of `selectBinding` to {@link
 * acceptedBinding}.
 */
import { and, eq, exists, sql } from "drizzle-orm";
import { base64url } from "jose";
import type { RoleBinding } from "../../../schema/gen/platform/iam/v2/role_bindings_pb.js";
import { groupInvites } from "../../../schema/tables/iam/group_invites.ts";
import { groups } from "../../../schema/tables/iam/groups.ts";
import { roleBindings } from "../../../schema/tables/iam/role_bindings.ts";
import { roles } from "../../../schema/tables/iam/roles.ts";
import { failedPrecondition, notFound, permissionDenied } from "../../aip/errors.ts";
import { sha256, toHex } from "../../aip/sha256.ts";
import { isUnchanged } from "../../aip/stale.ts";
import { isAtOrAbove, newUid, parentOf } from "../../aip/uid_path.ts";
import { type Call, callAt, type Database, type WriteContext } from "../../auth/call.ts";
import { isServed, isSpread, rowsOfEach } from "../../auth/databases.ts";
import { foldAddressCase, isTrustedEmailAt, type VerifiedEmail } from "../../auth/email.ts";
import type { Config } from "../../config.ts";
import { type BoundIdentity, toAcceptedBinding } from "../role_bindings/pending.ts";

/** The person or workload that accepts an invite. */
export interface Invitee {
  /** As in their row, or as it will be after the acceptance. */
  identity: BoundIdentity;
  /** The verified address in their token, if there is one. */
  email?: VerifiedEmail | undefined;
}

/** The stored form of a code. */
export interface InviteKey {
  keyId: string;
  /** SHA-256 of the whole code, in hexadecimal. */
  codeDigest: string;
}

/** Creates a code, `<16 hex>.<43 base64url>`: a key id and a secret. */
export function newInviteCode(): string {
  const keyId = toHex(crypto.getRandomValues(new Uint8Array(8)));
  return `${keyId}.${base64url.encode(crypto.getRandomValues(new Uint8Array(32)))}`;
}

/** The stored form of a code. Any text has one, even if no invite has that code. */
export async function toInviteKey(code: string): Promise<InviteKey> {
  const [keyId = ""] = code.split(".");
  return { keyId, codeDigest: await sha256(code) };
}

/**
 * The statement that finds the invite of a code. It compares digests, so that its duration reveals nothing
 * about a code.
 */
export const selectInvite = (db: Database, key: InviteKey, isSpread = false) =>
  db
    .select({
      uid: groupInvites.uid,
      group: groupInvites.parent,
      roleUid: groupInvites.roleUid,
      email: groupInvites.email,
      expirationTime: groupInvites.expirationTime,
      updateTime: groupInvites.updateTime,
      inviterUid: groupInvites.inviterUid,
      roleName: sql<string | null>`${roles.name}`.as("role_name"),
      roleDescription: sql<string | null>`${roles.description}`.as("role_description"),
      groupName: sql<string>`${groups.name}`.as("group_name"),
      groupDescription: sql<string>`${groups.description}`.as("group_description"),
    })
    .from(groupInvites)
    .innerJoin(groups, eq(groups.uid, groupInvites.parent))
    .leftJoin(roles, eq(roles.uid, groupInvites.roleUid))
    .where(
      and(
        eq(groupInvites.keyId, key.keyId),
        eq(groupInvites.codeDigest, key.codeDigest),
        isSpread ? isServed(sql`${groupInvites.uid}`) : undefined,
      ),
    );

/** The context in the database of the invite. With one database, nothing is read. */
export async function atInvite<Context extends Pick<Call, "db" | "databases">>(
  context: Context,
  key: InviteKey,
): Promise<Context> {
  const { databases } = context;
  if (!isSpread(databases)) return context;
  const [invite] = await rowsOfEach(databases, (db) => selectInvite(db, key, true));
  return invite ? callAt(context, invite.group) : context;
}

/** An invite, and the names of its group and role. */
export type Invite = Awaited<ReturnType<typeof selectInvite>>[number];

/**
 * Returns the invite if the guest can accept it. Throws NOT_FOUND, with the same text, if the code never
 * existed, was withdrawn, was used or has expired. Throws PERMISSION_DENIED if the invite is for an address
 * that no trusted issuer has verified for the guest. Throws FAILED_PRECONDITION if the role no longer exists,
 * or if the group is out of the identity's reach.
 */
export function requireInvite(
  { config, now }: WriteContext,
  invites: Invite[],
  guest: Invitee,
): Invite {
  const [invite] = invites;
  if (!invite || invite.expirationTime <= now) throw notFound("iam/GroupInvite", "with that code");
  if (invite.email !== "" && !isOwned(config, invite, guest.email)) {
    throw permissionDenied(
      "the invite is for one email address; your token must contain it, verified by a trusted issuer " +
        "or by an identity provider of the group",
    );
  }
  const home = parentOf(guest.identity.uid);
  const { group } = invite;
  if (home !== "" && !isAtOrAbove(home, group)) {
    throw failedPrecondition(
      "OUT_OF_REACH",
      "an identity that was created in a group can join only that group and the groups below it",
      guest.identity.uid,
    );
  }
  if (invite.roleName === null) {
    throw failedPrecondition(
      "ROLE_GONE",
      "the role of the invite was deleted; ask for another invite",
      invite.roleUid,
    );
  }
  return invite;
}

const isOwned = (config: Config, invite: Invite, email: VerifiedEmail | undefined) =>
  email !== undefined &&
  email.address === foldAddressCase(invite.email) &&
  isTrustedEmailAt(config, invite.group, email);

/** The statements of one acceptance in the order of the batch. The event comes after `insertBinding`. */
export interface Acceptance {
  /** Deletes a pending binding of the same role. */
  deletePending: ReturnType<typeof clearStatement>;
  /** Binds the role, unless it is already bound. */
  insertBinding: ReturnType<typeof bindStatement>;
  /** Deletes a single-use invite if `insertBinding` wrote a row. */
  deleteInvite: ReturnType<typeof useUpStatement>;
  /** Reads the binding, whether it is new or not. */
  selectBinding: ReturnType<typeof boundStatement>;
  /** The new binding, with the names of its parts. */
  binding: RoleBinding;
}

/** The statements that write the guest's acceptance of an invite. */
export function acceptanceStatements(
  { db, now }: WriteContext,
  invite: Invite,
  guest: Invitee,
): Acceptance {
  const uid = newUid(invite.group);
  return {
    deletePending: clearStatement(db, invite, guest),
    insertBinding: bindStatement(db, invite, guest, { uid, now }),
    deleteInvite: useUpStatement(db, invite, uid),
    selectBinding: boundStatement(db, invite, guest),
    binding: toBinding(invite, guest, { uid, createTime: now, updateTime: now }),
  };
}

type Bound = Awaited<ReturnType<typeof boundStatement>>[number];

/** The binding that `selectBinding` read. */
export function acceptedBinding(invite: Invite, guest: Invitee, [row]: Bound[]): RoleBinding {
  if (!row) throw new Error("accepting the invite wrote no role binding");
  return toBinding(invite, guest, row);
}

/** Whether the invite is still as it was read. Its role still exists then, or the binding is refused. */
export const isInviteUnchanged = (invite: Invite) => isUnchanged(groupInvites, invite);

/** Whether a binding is the one that an acceptance creates. */
const isPromised = ({ group, roleUid }: Invite, { identity }: Invitee) =>
  and(
    eq(roleBindings.identityUid, identity.uid),
    eq(roleBindings.parent, group),
    eq(roleBindings.roleUid, roleUid),
  );

const clearStatement = (db: Database, invite: Invite, guest: Invitee) =>
  db.delete(roleBindings).where(and(isPromised(invite, guest), eq(roleBindings.accepted, false)));

function bindStatement(
  db: Database,
  { roleUid }: Invite,
  { identity }: Invitee,
  { uid, now }: { uid: string; now: number },
) {
  return db
    .insert(roleBindings)
    .values({ uid, identityUid: identity.uid, roleUid, createTime: now, updateTime: now })
    .onConflictDoNothing();
}

const useUpStatement = (db: Database, invite: Invite, binding: string) =>
  db
    .delete(groupInvites)
    .where(
      and(
        eq(groupInvites.uid, invite.uid),
        eq(groupInvites.singleUse, true),
        exists(db.select({ one: sql`1` }).from(roleBindings).where(eq(roleBindings.uid, binding))),
      ),
    );

const boundColumns = {
  uid: roleBindings.uid,
  createTime: roleBindings.createTime,
  updateTime: roleBindings.updateTime,
};

const boundStatement = (db: Database, invite: Invite, guest: Invitee) =>
  db.select(boundColumns).from(roleBindings).where(isPromised(invite, guest));

/** The statement that reads the binding that the guest has already, if there is one. */
export const selectAcceptedBinding = (db: Database, invite: Invite, guest: Invitee) =>
  db
    .select(boundColumns)
    .from(roleBindings)
    .where(and(isPromised(invite, guest), eq(roleBindings.accepted, true)));

const toBinding = (invite: Invite, guest: Invitee, row: Bound): RoleBinding =>
  toAcceptedBinding({ ...invite, ...row }, guest);
