/** A person comes in through an identity provider. */
import { and, eq, inArray } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { externalGroupRoleMappings as mappings } from "../../schema/tables/external_group_role_mappings.ts";
import { identities } from "../../schema/tables/identities.ts";
import { scimUsers } from "../../schema/tables/scim_users.ts";
import { signIns } from "../../schema/tables/sign_ins.ts";
import { anyOf } from "../aip/any_of.ts";
import { failedPrecondition, permissionDenied } from "../aip/errors.ts";
import { retryStale, Stale } from "../aip/stale.ts";
import { isAtOrAbove } from "../aip/uid_path.ts";
import type { WriteContext } from "../auth/call.ts";
import type { Claims, Narrowing, Profile } from "../auth/claims.ts";
import { plainAddress } from "../auth/email.ts";
import { personUid } from "../auth/person.ts";
import type { ChainLink } from "../auth/token_chain.ts";
import {
  acceptance,
  type Guest,
  type Invite,
  inviteKey,
  isOpen,
  openInvite,
  selectInvite,
} from "../iam/invites.ts";
import { selectWaiting } from "../iam/pending_bindings.ts";
import { commit, onlyIf } from "../outbox/commit.ts";
import {
  deactivated,
  type Provider,
  type StandingHere,
  selectStandingHere,
} from "./identity_provider.ts";
import { checkSubject, displayNameOf, emailLength, type Person, personOf } from "./person.ts";
import { bindingEvent, type Entrance, writesOf } from "./sign_in_writes.ts";
import { refusal } from "./upstream.ts";

type Statement = BatchItem<"sqlite">;

/** Claims of the tokens that a login gives. */
export interface LoginClaims extends Narrowing, Pick<Profile, "email" | "email_verified"> {
  sub: string;
  act: { iss: string; sub: string; aud: string };
  idp: string;
  scopes: string[];
  chain: ChainLink[];
}

/** More mapped groups than this make tokens that no header carries. */
const greatestGroups = 100;
const groupLength = 255;
/** What a sign-in does besides. */
interface Besides {
  /** Code of an invite to accept; empty for none. */
  invite?: string;
  /** Statements to be written with it. Nothing is written where this throws. */
  also?: (login: LoginClaims) => Promise<Statement[]>;
}

/**
 * Lets a person in whose claims the provider has vouched for, and answers what their tokens say.
 * The first time, the person is made where they are new, and the provider's default role is bound.
 * Two round trips, and two more whenever something that decides changed between them. Throws
 * PERMISSION_DENIED for a user whom the provider provisions and has not active.
 */
export function signIn(
  context: WriteContext,
  provider: Provider,
  claims: Claims,
  besides: Besides = {},
): Promise<LoginClaims> {
  checkSubject(claims);
  return retryStale(() => enter(context, provider, claims, besides));
}

async function enter(
  context: WriteContext,
  provider: Provider,
  claims: Claims,
  { invite = "", also = async () => [] }: Besides,
): Promise<LoginClaims> {
  const uid = await personUid(provider.issuer, claims.sub);
  const told = groupsOf(provider, claims);
  const found = await readEntrance(context, provider, { uid, claims, told, invite });
  const [standing] = found.standing;
  if (!standing) throw refusal("the identity provider was deleted");
  if (isReconfigured(standing, provider)) {
    throw refusal("the identity provider was changed during the sign-in: sign in again");
  }
  const [user] = found.users;
  if (standing.scimEnabled && !user?.active) throw deactivated();
  const { issuer } = provider;
  const [known] = found.persons;
  const person = personOf({ uid, issuer, claims, known, now: context.now });
  const mapped = found.mapped.map(({ group }) => group).sort();
  if (mapped.length > greatestGroups) {
    const text = `more than ${greatestGroups} of the person's groups have role mappings`;
    throw failedPrecondition("TOO_MANY_GROUPS", text, provider.uid);
  }
  const login = loginClaims(provider, person, claims, mapped);
  const entrance: Entrance = {
    provider,
    person,
    known,
    displayName: displayNameOf(claims),
    isNewHere: found.signIns.length === 0,
    waiting: found.waiting,
    standing,
    scimUser: standing.scimEnabled ? user : undefined,
    groups: mapped,
    actor: { identity: uid, act: actorOf(login) },
  };
  const writes = writesOf(context, entrance);
  const others = await also(login);
  const acceptance = invite === "" ? [] : accept(context, entrance, found.invites, login);
  await commit(context, [...writes, ...others, ...acceptance], () => new Stale());
  return login;
}

/** Whether the provider has changed in what a person proves by it. */
const isReconfigured = (now: StandingHere, then: Provider) =>
  now.issuer !== then.issuer ||
  now.clientId !== then.clientId ||
  now.groupsClaim !== then.groupsClaim ||
  now.correlationRule !== then.correlationRule;

interface Sought {
  uid: string;
  claims: Claims;
  told: string[];
  invite: string;
}

/** Everything that decides, in one round trip. */
async function readEntrance(
  { db }: WriteContext,
  provider: Provider,
  { uid, claims, told, invite }: Sought,
) {
  const key = await inviteKey(invite);
  const [standing, persons, seen, users, mapped, invites, waiting] = await db.batch([
    selectStandingHere(db, provider.uid),
    db.select().from(identities).where(eq(identities.uid, uid)),
    db
      .select({ time: signIns.createTime })
      .from(signIns)
      .where(and(eq(signIns.identityProviderUid, provider.uid), eq(signIns.identityUid, uid))),
    db
      .select({
        uid: scimUsers.uid,
        externalId: scimUsers.externalId,
        active: scimUsers.active,
        identityUid: scimUsers.identityUid,
        updateTime: scimUsers.updateTime,
      })
      .from(scimUsers)
      .where(
        and(
          eq(scimUsers.parent, provider.uid),
          eq(scimUsers.externalId, externalIdOf(provider, claims)),
        ),
      ),
    db
      .selectDistinct({ group: mappings.externalGroupId })
      .from(mappings)
      .where(
        and(eq(mappings.parent, provider.uid), inArray(mappings.externalGroupId, anyOf(told))),
      ),
    selectInvite(db, key),
    selectWaiting(db, uid, provider.group),
  ]);
  return { standing, persons, signIns: seen, users, mapped, invites, waiting };
}

/** Number of CorrelationRule: the proto's enum would bring all messages of its file into the Worker. */
const oidEqualsExternalId = 2;

/** The claim that is the SCIM externalId (proto: CorrelationRule); no user has an empty one. */
const externalIdOf = ({ correlationRule }: Provider, { oid = "", sub }: Claims): string =>
  correlationRule === oidEqualsExternalId ? oid : sub;

/** The groups that the claims tell of; a single one may stand without a list. */
function groupsOf({ groupsClaim }: Provider, claims: Claims): string[] {
  if (groupsClaim === "") return [];
  const told = [claims[groupsClaim]].flat();
  const isGroup = (one: unknown): one is string =>
    typeof one === "string" && one !== "" && one.length <= groupLength;
  return [...new Set(told.filter(isGroup))];
}

/**
 * The scope is the group of the provider, and no more. Whoever runs the provider's client can sign in
 * as any of its people, so a login must not reach what the same person holds in another organization,
 * or above a subgroup that has a provider of its own (docs/decisions/0005).
 */
function loginClaims(
  provider: Provider,
  person: Person,
  claims: Claims,
  mapped: string[],
): LoginClaims {
  const act = { iss: provider.issuer, sub: claims.sub, aud: provider.clientId };
  const { email: told, email_verified: isVerified = false } = claims;
  const isTold = told !== undefined && told.length <= emailLength;
  const email = isTold ? { email: told, email_verified: isVerified } : {};
  return {
    sub: person.uid,
    act,
    ...email,
    idp: provider.uid,
    chain: [
      {
        ...{ sub: person.uid, born: person.createTime },
        ...{ idp: provider.uid, iss: provider.issuer, aud: provider.clientId },
      },
    ],
    ...(mapped.length > 0 ? { groups: mapped } : {}),
    scopes: [provider.group],
  };
}

/** As the event's actor tells it: texts only. */
const actorOf = ({ act, email }: LoginClaims): Record<string, string> => ({
  ...act,
  ...(email ? { email } : {}),
});

/** The statements that accept the invite together with the sign-in. Throws what refuses the invite. */
function accept(
  context: WriteContext,
  entrance: Entrance,
  found: Invite[],
  login: LoginClaims,
): Statement[] {
  const { provider, person } = entrance;
  const email =
    login.email_verified && login.email !== undefined
      ? {
          address: plainAddress(login.email),
          issuer: provider.issuer,
          identityProvider: provider.uid,
        }
      : undefined;
  const guest: Guest = { identity: person, email };
  const invite = openInvite(context, found, guest);
  if (!isAtOrAbove(provider.group, invite.group)) {
    throw permissionDenied("the invite is into a group that the login does not reach");
  }
  const { clear, bind, useUp, binding } = acceptance(context, invite, guest);
  const event = bindingEvent(context, entrance, binding);
  return [onlyIf(context.db, isOpen(invite)), clear, bind, event, useUp];
}
