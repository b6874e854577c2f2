/** A person logs in through an identity provider. */

import { and, eq, inArray } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { externalGroupRoleMappings as mappings } from "../../schema/tables/iam/external_group_role_mappings.ts";
import { identities } from "../../schema/tables/iam/identities.ts";
import { scimUsers } from "../../schema/tables/iam/scim_users.ts";
import { signIns } from "../../schema/tables/issuer/sign_ins.ts";
import { rowColumns } from "../../schema/tables/list_indexes.ts";
import { valuesSubselect } from "../aip/any_of.ts";
import { failedPrecondition, permissionDenied } from "../aip/errors.ts";
import { retryStale, StaleError } from "../aip/stale.ts";
import { type Call, callAt, type WriteContext } from "../auth/call.ts";
import type { Claims, Narrowing, ProfileClaims } from "../auth/claims.ts";
import { personUid } from "../auth/person.ts";
import { copyPerson } from "../auth/person_copies.ts";
import type { ChainLink } from "../auth/token_chain.ts";
import { selectInvite, toInviteKey } from "../iam/group_invites/invites.ts";
import { selectPendingBindings } from "../iam/role_bindings/pending.ts";
import { commit, onlyIf } from "../outbox/commit.ts";
import {
  deactivatedUser,
  type LoginProvider,
  type ProviderState,
  selectStandingHere,
} from "./identity_provider.ts";
import { checkSubject, maxEmailLength, type Person, toDisplayName, toPerson } from "./person.ts";
import {
  acceptInvite,
  type InviteOffer,
  readOffer,
  requireReachableInvite,
  type ShownRows,
} from "./sign_in_invite.ts";
import {
  isLastSignIn,
  type SignInContext,
  signInStatements,
  writePersonFirst,
} from "./sign_in_statements.ts";
import { tokenRefusal } from "./upstream.ts";

type Statement = BatchItem<"sqlite">;

/** The claims of the tokens that a login returns. */
export interface LoginClaims extends Narrowing, Pick<ProfileClaims, "email" | "email_verified"> {
  sub: string;
  act: { iss: string; sub: string; aud: string };
  idp: string;
  scopes: string[];
  chain: ChainLink[];
}

/** The most mapped groups. The tokens of more groups would not fit into a header. */
const maxGroups = 100;
const maxGroupLength = 255;

/** The answer to the question about an invite. */
export interface InviteAnswer {
  /** The last login of the person when the question was shown. The answer counts only until the next one. */
  lastTime: number;
  /** The invite to accept. Undefined if the person does not want it. */
  accepted?: { code: string; shown: ShownRows } | undefined;
}

/** Further actions of a login. */
interface SignInOptions {
  /** The path where the person logs in, for the events. */
  path?: string;
  answer?: InviteAnswer | undefined;
  /** Statements to write with the login. If this throws, nothing is written. */
  moreStatements?: (login: LoginClaims) => Promise<Statement[]>;
}

/**
 * Lets in a person whose claims the provider has confirmed, and returns the claims of their tokens. At the
 * first login the person is created if needed, and the provider's default role is bound. It takes two round
 * trips, and two more each time that relevant data changed between them. With an invite it takes one more. Throws
 * PERMISSION_DENIED if the provider provisions its users and the person is not an active one, also for a second
 * answer about an invite. Throws OfferChanged if the invite is not as the person saw it.
 */
export function signIn(
  anywhere: LoginWriter,
  provider: LoginProvider,
  claims: Claims,
  options: SignInOptions = {},
): Promise<LoginClaims> {
  checkSubject(claims);
  const context = callAt(anywhere, provider.uid);
  return retryStale(() => signInOnce(context, provider, claims, options));
}

/** The context of a login. It writes the database of the identity provider. */
type LoginWriter = WriteContext & Pick<Call, "databases">;

/** The content of an invite for a person who logs in, and their last login. Writes nothing. Throws what signIn throws. */
export function previewInvite(
  anywhere: LoginWriter,
  provider: LoginProvider,
  claims: Claims,
  code: string,
): Promise<{ offer: InviteOffer; lastTime: number }> {
  checkSubject(claims);
  const context = callAt(anywhere, provider.uid);
  return retryStale(async () => {
    const { uid, signInRows, mapped } = await readPermitted(context, provider, claims, code);
    const known = signInRows.persons[0];
    const person = toPerson({ uid, issuer: provider.issuer, claims, known, now: context.now });
    const login = loginClaims(provider, person, claims, mapped);
    const { invite } = requireReachableInvite(
      context,
      { provider, person },
      signInRows.invites,
      login,
    );
    return { offer: await readOffer(context, invite), lastTime: lastTimeOf(signInRows.signIns) };
  });
}

async function signInOnce(
  context: LoginWriter,
  provider: LoginProvider,
  claims: Claims,
  { path = "/oauth", answer, moreStatements = async () => [] }: SignInOptions,
): Promise<LoginClaims> {
  const accepted = answer?.accepted;
  const permitted = await readPermitted(context, provider, claims, accepted?.code ?? "");
  const { uid, signInRows, providerState, user, mapped } = permitted;
  if (answer && lastTimeOf(signInRows.signIns) !== answer.lastTime) throw answeredBefore();
  const { issuer } = provider;
  const [existing] = signInRows.persons;
  const { first } = context.databases;
  const isPersonElsewhere = (await context.databases.othersThan(context.db)).includes(first);
  if (!existing && isPersonElsewhere) await bringPerson(context, uid);
  const person = toPerson({ uid, issuer, claims, known: existing, now: context.now });
  const login = loginClaims(provider, person, claims, mapped);
  const signInContext: SignInContext = {
    provider,
    person,
    existing,
    displayName: toDisplayName(claims),
    isFirstSignIn: signInRows.signIns.length === 0,
    pendingBindings: signInRows.waiting,
    providerState,
    scimUser: providerState.scimEnabled ? user : undefined,
    groups: mapped,
    actor: { identity: uid, act: actorOf(login) },
    path,
    isPersonElsewhere,
  };
  const { shown } = accepted ?? {};
  const acceptance = shown
    ? await acceptInvite(context, signInContext, { invites: signInRows.invites, shown }, login)
    : [];
  const once = answer ? [onlyIf(context.db, isLastSignIn(signInContext, answer.lastTime))] : [];
  const writes = [...once, ...signInStatements(context, signInContext)];
  const others = await moreStatements(login);
  const all: Statement[] = [...writes, ...others, ...acceptance];
  await commit(context, all as [Statement, ...Statement[]], () => new StaleError());
  if (signInContext.isPersonElsewhere) await writePersonFirst(context, signInContext);
  return login;
}

/** The time of the last login, or 0. */
const lastTimeOf = ([seen]: { lastTime: number }[]) => seen?.lastTime ?? 0;

/** The error for the second answer to a question. */
const answeredBefore = () =>
  permissionDenied(
    "you have signed in since the question about the invite was shown, so it is not valid any more. If you pressed " +
      "a button twice, the first press counted; sign in again",
  );

/** Reads the data of a login. Throws PERMISSION_DENIED or FAILED_PRECONDITION if the provider does not let them in. */
async function readPermitted(
  context: LoginWriter,
  provider: LoginProvider,
  claims: Claims,
  invite: string,
) {
  const uid = await personUid(provider.issuer, claims.sub);
  const claimedGroups = groupsOf(provider, claims);
  const signInRows = await readSignIn(context, provider, { uid, claims, claimedGroups, invite });
  const [providerState] = signInRows.standing;
  if (!providerState) throw tokenRefusal("the identity provider was deleted");
  if (isProviderReconfigured(providerState, provider)) {
    throw tokenRefusal("the identity provider was changed during the login; log in again");
  }
  const [user] = signInRows.users;
  if (providerState.scimEnabled && !user?.active) throw deactivatedUser();
  const mapped = signInRows.mapped.map(({ group }) => group).sort();
  if (mapped.length > maxGroups) {
    const text = `more than ${maxGroups} groups of the person have role mappings; remove some`;
    throw failedPrecondition("TOO_MANY_GROUPS", text, provider.uid);
  }
  return { uid, signInRows, providerState, user, mapped };
}

/** Copies a person whom the first database has. The login then begins again, and finds the copy. */
async function bringPerson(context: LoginWriter, uid: string): Promise<void> {
  const { first } = context.databases;
  const [person] = await first
    .select(rowColumns(identities))
    .from(identities)
    .where(eq(identities.uid, uid));
  const [copy] = person ? copyPerson(context, person) : [];
  if (!copy) return;
  await commit(context, [copy]);
  throw new StaleError();
}

/** Whether the provider has changed in a way that affects what a person proves with it. */
const isProviderReconfigured = (now: ProviderState, then: LoginProvider) =>
  now.issuer !== then.issuer ||
  now.clientId !== then.clientId ||
  now.groupsClaim !== then.groupsClaim ||
  now.correlationRule !== then.correlationRule;

interface SignInQuery {
  uid: string;
  claims: Claims;
  claimedGroups: string[];
  invite: string;
}

/** Reads all relevant data in one round trip. */
async function readSignIn(
  { db }: WriteContext,
  provider: LoginProvider,
  { uid, claims, claimedGroups, invite }: SignInQuery,
) {
  const key = await toInviteKey(invite);
  const [providerState, persons, seen, users, mapped, invites, waiting] = await db.batch([
    selectStandingHere(db, provider.uid),
    db.select(rowColumns(identities)).from(identities).where(eq(identities.uid, uid)),
    db
      .select({ lastTime: signIns.lastTime })
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
        and(
          eq(mappings.parent, provider.uid),
          inArray(mappings.externalGroupId, valuesSubselect(claimedGroups)),
        ),
      ),
    selectInvite(db, key),
    selectPendingBindings(db, uid, provider.group),
  ]);
  return { standing: providerState, persons, signIns: seen, users, mapped, invites, waiting };
}

/** Numbers of CorrelationRule. The enum of the proto would add all messages of its file to the Worker. */
const oidEqualsExternalId = 2;

/** The claim that is the SCIM externalId (proto: CorrelationRule). No user has an empty one. */
const externalIdOf = ({ correlationRule }: LoginProvider, { oid = "", sub }: Claims): string =>
  correlationRule === oidEqualsExternalId ? oid : sub;

/** The groups in the claims. A single group can come without a list. */
function groupsOf({ groupsClaim }: LoginProvider, claims: Claims): string[] {
  if (groupsClaim === "") return [];
  const claimed = [claims[groupsClaim]].flat();
  const isGroup = (claim: unknown): claim is string =>
    typeof claim === "string" && claim !== "" && claim.length <= maxGroupLength;
  return [...new Set(claimed.filter(isGroup))];
}

/**
 * The scope is the group of the provider, and nothing above it. Anyone who operates the provider's client can
 * log in as any of its people. A login must therefore not reach the access of the same person in another
 * organization, or above a subgroup with its own provider (docs/decisions/0005).
 */
function loginClaims(
  provider: LoginProvider,
  person: Person,
  claims: Claims,
  mapped: string[],
): LoginClaims {
  const act = { iss: provider.issuer, sub: claims.sub, aud: provider.clientId };
  const { email: claimedEmail, email_verified: isVerified = false } = claims;
  const hasEmail = claimedEmail !== undefined && claimedEmail.length <= maxEmailLength;
  const email = hasEmail ? { email: claimedEmail, email_verified: isVerified } : {};
  return {
    sub: person.uid,
    act,
    ...email,
    idp: provider.uid,
    chain: [
      {
        sub: person.uid,
        born: person.createTime,
        idp: provider.uid,
        iss: provider.issuer,
        aud: provider.clientId,
      },
    ],
    ...(mapped.length > 0 ? { groups: mapped } : {}),
    scopes: [provider.group],
  };
}

/** The actor of the event, which contains only texts. */
const actorOf = ({ act, email }: LoginClaims): Record<string, string> => ({
  ...act,
  ...(email ? { email } : {}),
});
