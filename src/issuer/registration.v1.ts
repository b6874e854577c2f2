/** Registration with the token of another issuer: as a new person, with an invite, or both at once. */
import { and, eq, or, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import {
  type Auth,
  type RegistrationRequest,
  SessionSchema,
} from "../../schema/gen/platform/auth/auth_pb.js";
import { identities } from "../../schema/tables/iam/identities.ts";
import { type RowOf, rowColumns } from "../../schema/tables/list_indexes.ts";
import { invalidArgument, permissionDenied } from "../aip/errors.ts";
import { isUnchanged, StaleError } from "../aip/stale.ts";
import { parentOf } from "../aip/uid_path.ts";
import { type Call, callAt, callAtCaller, type EventDraft } from "../auth/call.ts";
import { wrongAudiencesText } from "../auth/claim_match.ts";
import type { ActClaims, Claims } from "../auth/claims.ts";
import { inEach, isServed, isSpread } from "../auth/databases.ts";
import { foldAddressCase } from "../auth/email.ts";
import type { Caller } from "../auth/grants.ts";
import { exchangeAudiences } from "../auth/identity_matchers.ts";
import { personUid } from "../auth/person.ts";
import { copyPerson } from "../auth/person_copies.ts";
import { bearerToken, isForAudience } from "../auth/token.ts";
import {
  acceptanceStatements,
  type Invite,
  type Invitee,
  isInviteUnchanged,
  requireInvite,
  selectInvite,
  toInviteKey,
} from "../iam/group_invites/invites.ts";
import { commit, onlyIf } from "../outbox/commit.ts";
import { type CompleteEvent, insertEvent, insertEventIfChanged } from "../outbox/outbox.ts";
import type { Handlers } from "../rpc/service.ts";
import { checkOptionalUid } from "../rpc/version1.ts";
import { assumeByAws } from "./aws_identity.ts";
import { readSignedRequest, type SignedRequest } from "./aws_request.ts";
import {
  assumeByForeignToken,
  type ForeignToken,
  refuseTokensWithoutProvider,
} from "./identity.ts";
import { checkSubject, claimMatchType, type Person, toDisplayName, toPerson } from "./person.ts";
import {
  displayNameStatements,
  insertBindingEvent,
  insertPersonEvent,
} from "./sign_in_statements.ts";
import { lookupOf, readUnverifiedToken, tokenRefusal, verifyForeignToken } from "./upstream.ts";

type Statement = BatchItem<"sqlite">;

const restPath = "/auth/v1/register";

/** A person to create, and the claims that identify them. */
interface NewPerson {
  person: Person;
  issuer: string;
  claims: Claims;
}

/** The caller, and the known data about them. */
interface Registrant extends Invitee {
  /** True if the person did not exist. */
  newPerson?: NewPerson;
  /** Their row, if they existed. */
  known?: RowOf<typeof identities> | undefined;
  /** The claims of their token, for the actor of an event. */
  act: Record<string, string>;
  invites: Invite[];
}

/**
 * The Register RPC. It takes two D1 round trips. The token is verified before the response reveals anything
 * about codes or people.
 */
export const register: Handlers<typeof Auth>["register"] = async (request, anywhere) => {
  const call = callAtCaller(anywhere);
  checkOptionalUid("identity_id", request.identityId);
  const registrant = await identify(call, request, bearerToken(call.headers));
  const group =
    request.code === ""
      ? await registerOnly(call, registrant)
      : await registerWithInvite(call, registrant);
  return { identity: registrant.identity.uid, group };
};

async function identify(
  call: Call,
  request: RegistrationRequest,
  token: string,
): Promise<Registrant> {
  const { identityId, code } = request;
  const signed = readSignedRequest(token);
  if (signed) return identifySigned(call, request, signed);
  const { issuer, claims } = await readUnverifiedToken(token);
  if (issuer === call.config.issuerUrl)
    throw tokenRefusal("the platform issued the token itself; send a token of another issuer");
  const subject = claims.sub;
  const uid = identityId === "" ? await personUid(issuer, subject) : identityId;
  const named = and(eq(identities.issuer, issuer), eq(identities.subject, subject));
  // The plus sign keeps the planner on the index of (issuer, subject).
  const isPerson = and(named, sql`+${identities.parent} = ''`);
  const isWanted =
    identityId === "" ? or(isPerson, eq(identities.uid, uid)) : eq(identities.uid, uid);
  const [rows, invites] = await readInEach(call, isWanted, code);
  const audiences = exchangeAudiences(call.config);
  const foreign = { token, issuer, claims, audiences, trace: call.databases.trace };
  const existing = rows.find((row) => row.issuer !== null) ?? rows[0];
  if (identityId === "" && !existing?.issuer) {
    const verifiedClaims = await proveNewcomer(call, foreign);
    // Not earlier, because the error reveals that the person exists.
    if (existing) refuseTokensWithoutProvider(existing);
    const person = toPerson({
      uid,
      issuer,
      claims: verifiedClaims,
      known: undefined,
      now: call.now,
    });
    const newPerson = { person, issuer, claims: verifiedClaims };
    return { identity: person, ...emailAndActOf(issuer, verifiedClaims), newPerson, invites };
  }
  const { config, now } = call;
  const { claims: verifiedClaims } = await assumeByForeignToken(
    config,
    foreign,
    existing ? [existing] : [],
    identityId,
    now,
  );
  // It exists, because the call would have failed otherwise.
  return {
    identity: existing as NonNullable<typeof existing>,
    known: existing,
    ...emailAndActOf(issuer, verifiedClaims),
    invites,
  };
}

/** The claims of a caller who is not known yet. Keys are only fetched for issuers that the operator names. */
async function proveNewcomer(
  call: Call,
  { issuer, token, audiences }: ForeignToken,
): Promise<Claims> {
  const { config, now } = call;
  if (!config.registrationIssuers.includes(issuer)) {
    throw permissionDenied(`people of the issuer ${JSON.stringify(issuer)} cannot register here`);
  }
  const claims = await verifyForeignToken(lookupOf(call, issuer), token, now);
  if (!isForAudience(claims, ...audiences)) throw tokenRefusal(wrongAudiencesText(audiences));
  checkSubject(claims);
  return claims;
}

async function identifySigned(
  call: Call,
  { identityId, code }: RegistrationRequest,
  signed: SignedRequest,
): Promise<Registrant> {
  if (identityId === "") {
    throw invalidArgument("identity_id", "identity_id is required with an AWS token");
  }
  const { config, now } = call;
  const [[identity], invites] = await readInEach(call, eq(identities.uid, identityId), code);
  const binding = { config, identity: identityId, now };
  const { act } = await assumeByAws(signed, binding, async () => identity);
  // It exists, because the call would have failed otherwise.
  const known = identity as NonNullable<typeof identity>;
  return { identity: known, known, act: claimTexts(act), invites };
}

/** The identities and the invite, from all databases. The first database comes first: it has every person. */
async function readInEach({ databases }: Call, isWanted: SQL | undefined, code: string) {
  const key = await toInviteKey(code);
  const served = isSpread(databases) ? isServed(sql`${identities.uid}`) : undefined;
  const answers = await inEach(databases, (db) =>
    db.batch([
      db.select(rowColumns(identities)).from(identities).where(and(isWanted, served)),
      selectInvite(db, key, isSpread(databases)),
    ]),
  );
  return [answers.flatMap(([rows]) => rows), answers.flatMap(([, invites]) => invites)] as const;
}

function emailAndActOf(issuer: string, claims: Claims): Pick<Registrant, "email" | "act"> {
  const { sub, aud, email, email_verified: isVerified } = claims;
  if (email === undefined) return { act: claimTexts({ iss: issuer, sub, aud }) };
  const act = claimTexts({ iss: issuer, sub, aud, email });
  return isVerified ? { act, email: { address: foldAddressCase(email), issuer } } : { act };
}

const claimTexts = (claims: ActClaims): Record<string, string> =>
  Object.fromEntries(Object.entries(claims).map(([name, value]) => [name, String(value)]));

/** Registers a caller who is not known yet. The response says that they joined no group. */
async function registerOnly(call: Call, registrant: Registrant): Promise<string> {
  const { newPerson } = registrant;
  if (!newPerson) return "";
  const { identity, act } = registrant;
  const writes: [Statement, ...Statement[]] = [
    ...personWrites(call, newPerson, { identity: identity.uid, act }),
    insertEvent(call, ...registrationEvent(registrant, "")),
  ];
  await commit(call, writes, personExists);
  return "";
}

/**
 * A first login created the person in the meantime. Such a person cannot register, so the call runs again and
 * finds that.
 */
const personExists = () => new StaleError();

/** The statements that create a person. */
const personWrites = (
  call: Call,
  newPerson: NewPerson,
  actor: CompleteEvent["actor"],
): [Statement, ...Statement[]] => [
  call.db.insert(identities).values(identityColumns(call, newPerson)),
  insertPersonEvent(call, newPerson.person, { actor, path: restPath }),
  ...displayNameStatements(call, {
    person: newPerson.person,
    displayName: toDisplayName(newPerson.claims),
    actor,
    path: restPath,
  }),
];

/** Accepts the invite. A caller who is not known yet is registered only together with that. */
async function registerWithInvite(anywhere: Call, registrant: Registrant): Promise<string> {
  const { newPerson, identity, act } = registrant;
  const invite = requireInvite(anywhere, registrant.invites, registrant);
  const call = callAt(anywhere, invite.group);
  const others = await call.databases.othersThan(call.db);
  const isElsewhere = others.includes(call.databases.first);
  const actor = { identity: identity.uid, act };
  const { deletePending, insertBinding, deleteInvite, binding } = acceptanceStatements(
    call,
    invite,
    registrant,
  );
  const event = registrationEvent(registrant, invite.group);
  const person = newPerson ? identityColumns(call, newPerson) : registrant.known;
  const writes: [Statement, ...Statement[]] = [
    onlyIf(call.db, isInviteUnchanged(invite)),
    ...(isElsewhere && person ? copyPerson(call, person) : []),
    // If the identity now accepts other tokens, their bearers would have the role. Those of a person never change.
    ...(isElsewhere && parentOf(identity.uid) === ""
      ? []
      : newPerson
        ? personWrites(call, newPerson, actor)
        : [onlyIf(call.db, isUnchanged(identities, identity))]),
    deletePending,
    insertBinding,
    insertBindingEvent(call, { actor, path: restPath }, binding),
    // A known person who already had the binding has joined nothing. A new person is registered in any case.
    newPerson ? insertEvent(call, ...event) : insertEventIfChanged(call, ...event),
    deleteInvite,
  ];
  await commit(call, writes, personExists);
  if (isElsewhere && person) await registerFirst(anywhere, registrant, person, actor);
  return invite.group;
}

/**
 * Gives the first database the person who has joined an organization of another one. If this is interrupted, the next
 * registration with an invite does it.
 */
async function registerFirst(
  call: Call,
  { newPerson }: Registrant,
  person: typeof identities.$inferInsert,
  actor: CompleteEvent["actor"],
): Promise<void> {
  const [copy] = copyPerson(call, person);
  try {
    if (newPerson) await commit(call, personWrites(call, newPerson, actor), personExists);
    else if (copy) await commit(call, [copy]);
  } catch (thrown) {
    // They have just registered or logged in elsewhere too.
    if (!(thrown instanceof StaleError)) throw thrown;
  }
}

/** The issuer and the subject are columns too, so that tokens of this person can be exchanged from now on. */
function identityColumns({ now }: Call, { person, issuer, claims }: NewPerson) {
  const token = { issuer, subject: claims.sub };
  const times = { lastSeenTime: now, lastUsedTime: now };
  return { ...person, ...token, relationshipType: claimMatchType, ...times };
}

/** The event of the RPC itself. */
const registrationEvent = ({ identity, act }: Registrant, group: string): [Caller, EventDraft] => [
  { identity: identity.uid, name: identity.name, act, grants: [] },
  {
    subject: identity.uid,
    group,
    body: { desc: SessionSchema, message: { identity: identity.uid, group } },
  },
];
