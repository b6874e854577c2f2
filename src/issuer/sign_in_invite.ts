/** The invite that a login accepts: what the person sees before they decide, and the statements that accept it. */

import { and, eq, inArray } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import readCapabilities from "../../schema/gen/read_capabilities.json" with { type: "json" };
import { groups } from "../../schema/tables/iam/groups.ts";
import { identities } from "../../schema/tables/iam/identities.ts";
import { roles } from "../../schema/tables/iam/roles.ts";
import { permissionDenied } from "../aip/errors.ts";
import { areUnchanged, isUnchanged, StaleError, type Version } from "../aip/stale.ts";
import { ancestry, isAtOrAbove } from "../aip/uid_path.ts";
import type { WriteContext } from "../auth/call.ts";
import type { ProfileClaims } from "../auth/claims.ts";
import { foldAddressCase } from "../auth/email.ts";
import {
  acceptanceStatements,
  type Invite,
  type Invitee,
  isInviteUnchanged,
  requireInvite,
} from "../iam/group_invites/invites.ts";
import { onlyIf } from "../outbox/commit.ts";
import { insertBindingEvent, type SignInContext } from "./sign_in_statements.ts";

type Statement = BatchItem<"sqlite">;

/** The rows behind the page that asks, as they were when it was shown. */
export interface ShownRows {
  invite: Version;
  role: Version;
  /** The group and those above it. */
  groups: Version[];
}

/** The content of an invite, for the person who decides. The texts are those of others, and can contain anything. */
export interface InviteOffer {
  /** The names of the groups from the organization to the group of the invite. */
  path: string[];
  role: { name: string; description: string; isForReading: boolean };
  /** The person or workload who invites. Undefined if they are gone. Empty texts if it was not recorded. */
  inviter: { name: string; email: string } | undefined;
  /** Milliseconds since 1970 in UTC. */
  expirationTime: number;
  rows: ShownRows;
}

/** The invite was changed after the person had seen it. Nothing was written. */
export class OfferChangedError extends Error {}

type LoginOfInvite = Pick<SignInContext, "provider" | "person">;

/** The invite if the login can accept it. Throws the errors of {@link requireInvite}. */
export function requireReachableInvite(
  context: WriteContext,
  { provider, person }: LoginOfInvite,
  invites: Invite[],
  login: ProfileClaims,
): { invite: Invite; invitee: Invitee } {
  const invitee: Invitee = { identity: person, email: verifiedAddress(provider, login) };
  const invite = requireInvite(context, invites, invitee);
  if (!isAtOrAbove(provider.group, invite.group)) {
    throw permissionDenied("the login does not reach the group of the invite");
  }
  return { invite, invitee };
}

const verifiedAddress = (
  { issuer, uid }: SignInContext["provider"],
  { email, email_verified: isVerified }: ProfileClaims,
) =>
  isVerified && email !== undefined
    ? { address: foldAddressCase(email), issuer, identityProvider: uid }
    : undefined;

/** Reads the content of an invite in one round trip. Throws Stale if its role or group is gone by then. */
export async function readOffer({ db }: WriteContext, invite: Invite): Promise<InviteOffer> {
  const [[role], path, [inviter]] = await db.batch([
    db
      .select({
        uid: roles.uid,
        name: roles.name,
        description: roles.description,
        capabilities: roles.capabilities,
        updateTime: roles.updateTime,
      })
      .from(roles)
      .where(eq(roles.uid, invite.roleUid)),
    db
      .select({ uid: groups.uid, name: groups.name, updateTime: groups.updateTime })
      .from(groups)
      .where(inArray(groups.uid, ancestry(invite.group))),
    db
      .select({
        name: identities.name,
        email: identities.email,
      })
      .from(identities)
      .where(eq(identities.uid, invite.inviterUid)),
  ]);
  if (!role || path.length === 0) throw new StaleError();
  // A uid begins with the uid of its parent.
  const above = path.toSorted((a, b) => a.uid.length - b.uid.length);
  return {
    path: above.map(({ name }) => name),
    role: {
      name: role.name,
      description: role.description,
      isForReading: role.capabilities.every((capability) => readCapabilities.includes(capability)),
    },
    inviter: inviter && { name: inviter.name, email: inviter.email },
    expirationTime: invite.expirationTime,
    rows: {
      invite: versionOf(invite),
      role: versionOf(role),
      groups: above.map(versionOf),
    },
  };
}

const versionOf = ({ uid, updateTime }: Version): Version => ({ uid, updateTime });

/**
 * The statements that accept the invite together with the login, if it is as the person saw it. Throws
 * {@link OfferChangedError} if it is not, and the errors of the invite.
 */
export async function acceptInvite(
  context: WriteContext,
  signInContext: SignInContext,
  { invites, shown }: { invites: Invite[]; shown: ShownRows },
  login: ProfileClaims,
): Promise<Statement[]> {
  const { invite, invitee } = requireReachableInvite(context, signInContext, invites, login);
  const { rows } = await readOffer(context, invite);
  if (JSON.stringify(rows) !== JSON.stringify(shown)) throw new OfferChangedError();
  const { deletePending, insertBinding, deleteInvite, binding } = acceptanceStatements(
    context,
    invite,
    invitee,
  );
  const event = insertBindingEvent(context, signInContext, binding);
  const isAsShown = and(
    isInviteUnchanged(invite),
    isUnchanged(roles, rows.role),
    areUnchanged(groups, rows.groups),
  );
  return [onlyIf(context.db, isAsShown), deletePending, insertBinding, event, deleteInvite];
}
