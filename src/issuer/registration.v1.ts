/** Coming in with the token of another issuer: as a person, by an invite, or both at once. */
import { and, eq, or, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import {
  type Auth,
  type RegistrationRequest,
  SessionSchema,
} from "../../schema/gen/platform/auth/auth_pb.js";
import { identities } from "../../schema/tables/identities.ts";
import { invalidArgument, permissionDenied } from "../aip/errors.ts";
import { isAsRead, Stale } from "../aip/stale.ts";
import type { Call, EventDraft } from "../auth/call.ts";
import type { Act, Claims } from "../auth/claims.ts";
import { plainAddress } from "../auth/email.ts";
import type { Caller } from "../auth/grants.ts";
import { personUid } from "../auth/person.ts";
import { bearerToken, isFor } from "../auth/token.ts";
import {
  acceptance,
  type Guest,
  type Invite,
  inviteKey,
  isOpen,
  openInvite,
  selectInvite,
} from "../iam/invites.ts";
import { commit, onlyIf } from "../outbox/commit.ts";
import { type CompleteEvent, insertEvent, insertEventIfChanged } from "../outbox/outbox.ts";
import type { Handlers } from "../rpc/service.ts";
import { checkUid } from "../rpc/version1.ts";
import { assumedByAws } from "./aws_identity.ts";
import { readSignedRequest, type SignedRequest } from "./aws_request.ts";
import { wrongAudience } from "./claim_match.ts";
import { assumedByForeign, type Foreign, refuseBareTokens } from "./identity.ts";
import { byClaimMatch, checkSubject, displayNameOf, type Person, personOf } from "./person.ts";
import { bindingEvent, nameWrites, personEvent } from "./sign_in_writes.ts";
import { open, proveForeign, refusal } from "./upstream.ts";

type Statement = BatchItem<"sqlite">;

const path = "/auth/v1/register";

/** A person to be made, and the claims that say who they are. */
interface Fresh {
  person: Person;
  issuer: string;
  claims: Claims;
}

/** Who came, and what is known of them. */
interface Comer extends Guest {
  /** Where there was no such person. */
  fresh?: Fresh;
  /** Claims of their token, as the actor of an event tells them. */
  act: Record<string, string>;
  invites: Invite[];
}

/**
 * The Register RPC. Two D1 round trips. The token is proved before anything else is told, of codes
 * and of people.
 */
export const register: Handlers<typeof Auth>["register"] = async (request, call) => {
  checkUid("identity_id", request.identityId);
  const comer = await identify(call, request, bearerToken(call.headers));
  const group = request.code === "" ? await enter(call, comer) : await join(call, comer);
  return { identity: comer.identity.uid, group };
};

async function identify(call: Call, request: RegistrationRequest, token: string): Promise<Comer> {
  const { identityId, code } = request;
  const signed = readSignedRequest(token);
  if (signed) return identifySigned(call, request, signed);
  const { issuer, claims } = await open(token);
  if (issuer === call.config.issuerUrl) throw refusal("the token is one of the platform's own");
  const subject = claims.sub;
  const uid = identityId === "" ? await personUid(issuer, subject) : identityId;
  const named = and(eq(identities.issuer, issuer), eq(identities.subject, subject));
  // The plus keeps the planner on the index of (issuer, subject).
  const isPerson = and(named, sql`+${identities.parent} = ''`);
  const [rows, invites] = await call.db.batch([
    call.db
      .select()
      .from(identities)
      .where(identityId === "" ? or(isPerson, eq(identities.uid, uid)) : eq(identities.uid, uid)),
    selectInvite(call.db, await inviteKey(code)),
  ]);
  const foreign = { token, issuer, claims };
  const known = rows.find((row) => row.issuer !== null) ?? rows[0];
  if (identityId === "" && !known?.issuer) {
    const proved = await proveNewcomer(call, foreign);
    // Only now, since it tells that there is such a person.
    if (known) refuseBareTokens(known);
    const person = personOf({ uid, issuer, claims: proved, known: undefined, now: call.now });
    const fresh = { person, issuer, claims: proved };
    return { identity: person, ...toldBy(issuer, proved), fresh, invites };
  }
  const { config, now } = call;
  const { claims: proved } = await assumedByForeign(
    config,
    foreign,
    known ? [known] : [],
    identityId,
    now,
  );
  // There, or it would have been refused.
  return { identity: known as NonNullable<typeof known>, ...toldBy(issuer, proved), invites };
}

/** The claims of who is not known yet. Nothing is fetched for an issuer that the operator does not name. */
async function proveNewcomer({ config, now }: Call, { issuer, token }: Foreign): Promise<Claims> {
  if (!config.registrationIssuers.includes(issuer)) {
    throw permissionDenied(`people of issuer ${JSON.stringify(issuer)} may not register here`);
  }
  const claims = await proveForeign(config, issuer, token, now);
  const audiences = [config.issuerUrl, new URL(config.issuerUrl).host];
  if (!isFor(claims, ...audiences)) throw refusal(wrongAudience(audiences));
  checkSubject(claims);
  return claims;
}

async function identifySigned(
  call: Call,
  { identityId, code }: RegistrationRequest,
  signed: SignedRequest,
): Promise<Comer> {
  if (identityId === "") {
    throw invalidArgument("identity_id", "identity_id is required with an AWS token");
  }
  const { db, config, now } = call;
  const key = await inviteKey(code);
  const [[identity], invites] = await db.batch([
    db.select().from(identities).where(eq(identities.uid, identityId)),
    selectInvite(db, key),
  ]);
  const binding = { config, identity: identityId, now };
  const { act } = await assumedByAws(signed, binding, async () => identity);
  // There, or it would have been refused.
  return { identity: identity as NonNullable<typeof identity>, act: textsOf(act), invites };
}

function toldBy(issuer: string, claims: Claims): Pick<Comer, "email" | "act"> {
  const { sub, aud, email, email_verified: isVerified } = claims;
  if (email === undefined) return { act: textsOf({ iss: issuer, sub, aud }) };
  const act = textsOf({ iss: issuer, sub, aud, email });
  return isVerified ? { act, email: { address: plainAddress(email), issuer } } : { act };
}

const textsOf = (claims: Act): Record<string, string> =>
  Object.fromEntries(Object.entries(claims).map(([name, value]) => [name, String(value)]));

/** Registers who is not known yet. Answers that they joined no group. */
async function enter(call: Call, comer: Comer): Promise<string> {
  const { fresh } = comer;
  if (!fresh) return "";
  const { identity, act } = comer;
  const writes: [Statement, ...Statement[]] = [
    ...personWrites(call, fresh, { identity: identity.uid, act }),
    insertEvent(call, ...registered(comer, "")),
  ];
  await commit(call, writes, madeMeanwhile);
  return "";
}

/**
 * A first login made the person in the meantime. Such a person may not register, so the call runs again
 * and finds that out.
 */
const madeMeanwhile = () => new Stale();

/** The statements that make a person. */
const personWrites = (
  call: Call,
  fresh: Fresh,
  actor: CompleteEvent["actor"],
): [Statement, ...Statement[]] => [
  call.db.insert(identities).values(columnsOf(call, fresh)),
  personEvent(call, fresh.person, actor, path),
  ...nameWrites(call, { person: fresh.person, displayName: displayNameOf(fresh.claims) }),
];

/** Accepts the invite, and registers who is not known yet only together with that. */
async function join(call: Call, comer: Comer): Promise<string> {
  const { fresh, identity, act } = comer;
  const invite = openInvite(call, comer.invites, comer);
  const { clear, bind, useUp, binding } = acceptance(call, invite, comer);
  const actor = { identity: identity.uid, act };
  const event = registered(comer, invite.group);
  const writes: [Statement, ...Statement[]] = [
    onlyIf(call.db, isOpen(invite)),
    // If the identity takes other tokens now, the role would be their bearer's.
    ...(fresh
      ? personWrites(call, fresh, actor)
      : [onlyIf(call.db, isAsRead(identities, identity))]),
    clear,
    bind,
    bindingEvent(call, { actor }, binding, path),
    // Somebody known who was bound before has joined nothing. Somebody new has registered in any case.
    fresh ? insertEvent(call, ...event) : insertEventIfChanged(call, ...event),
    useUp,
  ];
  await commit(call, writes, madeMeanwhile);
  return invite.group;
}

/** Issuer and subject stand in columns too, so that their bare tokens are exchanged from now on. */
function columnsOf({ now }: Call, { person, issuer, claims }: Fresh) {
  const token = { issuer, subject: claims.sub };
  return { ...person, ...token, relationshipType: byClaimMatch, lastSeenTime: now };
}

/** The RPC's own event. */
const registered = ({ identity, act }: Comer, group: string): [Caller, EventDraft] => [
  { identity: identity.uid, name: identity.name, act, grants: [] },
  {
    subject: identity.uid,
    group,
    body: { desc: SessionSchema, message: { identity: identity.uid, group } },
  },
];
