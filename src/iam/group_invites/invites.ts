/**
 * Joining a group by the code of an invite: in IAM by AcceptGroupInvite, at the issuer by a login or a
 * registration with a code.
 *
 * To accept: run {@link selectInvite} with the code's {@link toInviteKey} in the batch of whatever else
 * is read, give its rows to {@link requireInvite}, and write `[clear, bind, <the event>, useUp, bound]` of
 * {@link acceptanceStatements} in one batch, behind a guard for {@link isInviteUnchanged}. The event is of type
 * `api.iam.rolebindings.created.v1`, its body is `binding`, and it is written if `insertBinding` changed a row.
 * Give the rows of `selectBinding` to {@link acceptedBinding}.
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
import type { Database, WriteContext } from "../../auth/call.ts";
import { foldAddressCase, isTrustedEmailAt, type VerifiedEmail } from "../../auth/email.ts";
import type { Config } from "../../config.ts";
import { type BoundIdentity, toAcceptedBinding } from "../role_bindings/pending.ts";

/** Who wants in. */
export interface Invitee {
  /** As their row is, or will be when the acceptance is written. */
  identity: BoundIdentity;
  /** The address that their token vouches for, if it does. */
  email?: VerifiedEmail | undefined;
}

/** What is stored of a code. */
export interface InviteKey {
  keyId: string;
  /** SHA-256 in hex of the whole code. */
  codeDigest: string;
}

/** A fresh code, `<16 hex>.<43 base64url>`: key id and secret. */
export function newInviteCode(): string {
  const keyId = toHex(crypto.getRandomValues(new Uint8Array(8)));
  return `${keyId}.${base64url.encode(crypto.getRandomValues(new Uint8Array(32)))}`;
}

/** What is stored of that code. Any text is one, if of no invite. */
export async function toInviteKey(code: string): Promise<InviteKey> {
  const [keyId = ""] = code.split(".");
  return { keyId, codeDigest: await sha256(code) };
}

/**
 * The statement that finds the invite of a code. Digests are compared, so that the time it takes
 * tells nothing of a code.
 */
export const selectInvite = (db: Database, key: InviteKey) =>
  db
    .select({
      uid: groupInvites.uid,
      group: groupInvites.parent,
      roleUid: groupInvites.roleUid,
      email: groupInvites.email,
      expirationTime: groupInvites.expirationTime,
      updateTime: groupInvites.updateTime,
      roleName: sql<string | null>`${roles.name}`.as("role_name"),
      roleDescription: sql<string | null>`${roles.description}`.as("role_description"),
      groupName: sql<string>`${groups.name}`.as("group_name"),
      groupDescription: sql<string>`${groups.description}`.as("group_description"),
    })
    .from(groupInvites)
    .innerJoin(groups, eq(groups.uid, groupInvites.parent))
    .leftJoin(roles, eq(roles.uid, groupInvites.roleUid))
    .where(and(eq(groupInvites.keyId, key.keyId), eq(groupInvites.codeDigest, key.codeDigest)));

/** An invite and what its group and role are called. */
export type Invite = Awaited<ReturnType<typeof selectInvite>>[number];

/**
 * The invite that was found, if it is good for the guest. Throws NOT_FOUND, the same for a code that
 * never was, was withdrawn, was used up or has expired; PERMISSION_DENIED where the invite is for an
 * address that nobody trusted here says is the guest's; FAILED_PRECONDITION where the role is gone or
 * the group lies beyond the identity's reach.
 */
export function requireInvite(
  { config, now }: WriteContext,
  found: Invite[],
  guest: Invitee,
): Invite {
  const [invite] = found;
  if (!invite || invite.expirationTime <= now) throw notFound("iam/GroupInvite", "of that code");
  if (invite.email !== "" && !isOwned(config, invite, guest.email)) {
    throw permissionDenied(
      "the invite is for one e-mail address, which your token has to carry as verified by an " +
        "issuer that is trusted here or by an identity provider of the group",
    );
  }
  const home = parentOf(guest.identity.uid);
  const { group } = invite;
  if (home !== "" && !isAtOrAbove(home, group)) {
    throw failedPrecondition(
      "OUT_OF_REACH",
      "an identity that was made under a group cannot join a group above it or elsewhere",
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

/** The statements of one acceptance, in the order of the batch; the event stands behind `insertBinding`. */
export interface Acceptance {
  /** Drops a binding of the same role that is pending. */
  deletePending: ReturnType<typeof clearStatement>;
  /** Binds the role, unless it is bound already. */
  insertBinding: ReturnType<typeof bindStatement>;
  /** Takes a single-use invite away, if `insertBinding` bound. */
  deleteInvite: ReturnType<typeof useUpStatement>;
  /** Reads the binding, new or old. */
  selectBinding: ReturnType<typeof boundStatement>;
  /** The binding as it will be, hydrated. */
  binding: RoleBinding;
}

/** How the guest's acceptance of an opened invite is written. */
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
  if (!row) throw new Error("an acceptance bound nothing");
  return toBinding(invite, guest, row);
}

/** Whether the invite is still as it was read. Its role is there by then, or the binding is refused. */
export const isInviteUnchanged = (invite: Invite) => isUnchanged(groupInvites, invite);

/** Whether a binding is the one that an acceptance makes. */
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

const boundStatement = (db: Database, invite: Invite, guest: Invitee) =>
  db
    .select({
      uid: roleBindings.uid,
      createTime: roleBindings.createTime,
      updateTime: roleBindings.updateTime,
    })
    .from(roleBindings)
    .where(isPromised(invite, guest));

const toBinding = (invite: Invite, guest: Invitee, row: Bound): RoleBinding =>
  toAcceptedBinding({ ...invite, ...row }, guest);
