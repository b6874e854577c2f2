/** Which identity a token may act as (contract: STS exchange, identity kinds). */
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { and, eq, inArray, or, sql } from "drizzle-orm";
import {
  type Identity_ClaimMatch,
  Identity_ClaimMatchSchema,
  type Identity_StaticKeys,
  Identity_StaticKeysSchema,
} from "../../schema/gen/platform/iam/v2/identities_pb.js";
import { identities } from "../../schema/tables/iam/identities.ts";
import { failedPrecondition, permissionDenied, unimplemented } from "../aip/errors.ts";
import { isUid, parentOf } from "../aip/uid_path.ts";
import { messageFromStored } from "../aip/well_formed.ts";
import type { Database } from "../auth/call.ts";
import type { Claims } from "../auth/claims.ts";
import { chooseCandidate, selectCandidates, soleCandidateWithRole } from "../auth/subject.ts";
import { isForAudience } from "../auth/token.ts";
import type { ChainLink } from "../auth/token_chain.ts";
import type { Config } from "../config.ts";
import {
  findClaimMismatch,
  matchesIdentity,
  mayMatchIdentity,
  wrongAudiencesText,
} from "./claim_match.ts";
import { selectOrganizations } from "./exchange_parameters.ts";
import { tokenRefusal, verifyByKeys, verifyForeignToken } from "./upstream.ts";

const columns = {
  uid: identities.uid,
  createTime: identities.createTime,
  relationship: identities.relationship,
  issuer: identities.issuer,
  relationshipTime: identities.relationshipTime,
  firstUsedTime: identities.firstUsedTime,
};

/** What of an identity decides about a token. */
export type IdentityRow = Pick<typeof identities.$inferSelect, keyof typeof columns>;

/** The end of the chain of a token that becomes the identity. */
export const toChainLink = ({
  uid,
  relationshipTime,
}: Pick<IdentityRow, "uid" | "relationshipTime">): ChainLink => ({
  sub: uid,
  at: relationshipTime,
});

/** Life of static keys that say nothing of it (proto: StaticKeys.expiration_time). */
const staticKeysLifetime = 365 * 24 * 3600 * 1000;

/** The statement that reads identities by uid. */
export const selectIdentitiesByUid = (db: Database, ...uids: string[]) =>
  db.select(columns).from(identities).where(inArray(identities.uid, uids));

/**
 * The statement that reads the identities that a token of that issuer and subject may be, where it names none
 * itself: those of the organizations that the exchange names by its scopes, or of any.
 */
export const selectIdentitiesBySubject = (
  db: Database,
  issuer: string,
  subject: string,
  scopes: string[],
) => {
  const named = scopes.length > 0 ? organizationsOf(db, scopes) : undefined;
  // Only of those in the named organization: what holds a role elsewhere says nothing.
  const isBound = named
    ? sql<number>`exists (select 1 from "role_bindings" as "binding"
        where "binding"."identity_uid" = "identities"."uid" and "binding"."accepted" = 1)`
    : sql<number>`0`;
  return db
    .select({ ...columns, isBound: isBound.as("is_bound") })
    .from(identities)
    .where(sql`${identities.uid} in (${selectCandidates({ issuer, subject }, named)})`);
};

/** The statement that reads the person whom an issuer calls by a subject: registered, or of that uid. */
export const selectPerson = (db: Database, issuer: string, subject: string, uid: string) =>
  db
    .select(columns)
    .from(identities)
    .where(
      or(
        eq(identities.uid, uid),
        and(
          eq(identities.issuer, issuer),
          eq(identities.subject, subject),
          eq(identities.parent, ""),
        ),
      ),
    )
    .limit(1);

/** The organizations of scopes, uids or verified names, as a JSON array. */
const organizationsOf = (db: Database, scopes: string[]) =>
  sql`(select json_group_array(substr("uid", 1, 40)) from (
    select "value" as "uid" from json_each(${JSON.stringify(scopes.filter(isUid))})
    union select "uid" from (${selectOrganizations(db, scopes)})))`;

/** The same for an identity that does not exist and for one the token is not of. */
export const identityMismatch = (uid: string) =>
  permissionDenied(`the token does not match an identity with the uid ${uid}`);

/**
 * The identity that a proven token of ours acts as: its own, or another one whose claim match names
 * our issuer and the token's subject. Throws PERMISSION_DENIED.
 */
export function assumeByOwnToken(
  config: Config,
  claims: Pick<Claims, "sub" | "aud">,
  rows: IdentityRow[],
  identityUid: string,
): IdentityRow {
  const self = rows.find(({ uid }) => uid === claims.sub);
  if (!self) throw tokenRefusal("the token's identity does not exist (any more)");
  if (identityUid === "" || identityUid === self.uid) return self;
  const row = rows.find(({ uid }) => uid === identityUid);
  const match = claimMatchOf(row);
  const isNamedHere = match && acceptsOwnToken(match, claims.sub, row);
  if (!row || !isNamedHere || !matchesIdentity(match, config.issuerUrl, claims.sub))
    throw identityMismatch(identityUid);
  const differs = findClaimMismatch(match, claims, [config.audience, config.issuerUrl]);
  if (differs) throw tokenRefusal(differs);
  return row;
}

/**
 * Nobody becomes a person by another's token. And a pattern accepts our tokens of people only: whoever changes
 * an identity has to see all that it can become (src/iam/identities/takeover.ts), which exact subjects alone show.
 */
const acceptsOwnToken = (
  { iss, sub }: Identity_ClaimMatch,
  subject: string,
  row: IdentityRow | undefined,
) =>
  parentOf(row?.uid ?? "") !== "" &&
  (parentOf(subject) === "" || (iss.case === "issuer" && sub.case === "subject"));

/** A token of another issuer. */
export interface ForeignToken {
  token: string;
  issuer: string;
  /** Not verified. */
  claims: Claims;
}

/** An identity, the verified claims of the token that may act as it, and how long at most. */
export interface AssumedIdentity {
  row: IdentityRow;
  claims: Claims;
  /** Milliseconds since 1970 UTC; Infinity where the identity sets no end. */
  expires: number;
}

/**
 * The identity that a token of another issuer acts as. Nothing is fetched before the identity has
 * named the issuer and the subject, and no pattern is compiled before the signature is known to be good. Throws PERMISSION_DENIED; FAILED_PRECONDITION where several
 * identities match and none is named; UNIMPLEMENTED for the kinds that no JWT proves.
 */
export async function assumeByForeignToken(
  config: Config,
  foreign: ForeignToken,
  rows: (IdentityRow & { isBound?: number })[],
  identityUid: string,
  now: number,
): Promise<AssumedIdentity> {
  if (rows.length === 0) throw mismatchOrNone(identityUid, foreign);
  const candidates = rows.map((one) => ({ ...one, isBound: one.isBound === 1 }));
  const row = chooseCandidate(candidates) ?? soleCandidateWithRole(candidates);
  if (!row) throw ambiguousIdentity();
  refuseOtherKinds(row);
  const audiences = [config.issuerUrl, new URL(config.issuerUrl).host];
  if (needsIdentityProvider(row)) return refusePerson(config, row, foreign, audiences, now);
  const keys = staticKeysOf(row);
  if (keys) return assumeByStaticKeys(keys, row, foreign, audiences, now);
  const match = claimMatchOf(row);
  const subject = foreign.claims.sub;
  if (!match || !mayMatchIdentity(match, foreign.issuer, subject))
    throw mismatchOrNone(identityUid, foreign);
  const claims = await verifyForeignToken(config, foreign.issuer, foreign.token, now);
  if (!matchesIdentity(match, foreign.issuer, subject)) throw mismatchOrNone(identityUid, foreign);
  const differs = findClaimMismatch(match, claims, audiences);
  if (differs) throw tokenRefusal(differs);
  return { row, claims, expires: Number.POSITIVE_INFINITY };
}

const ambiguousIdentity = () =>
  failedPrecondition(
    "IDENTITY_AMBIGUOUS",
    "several identities match the token: name one of them with identity, or its organization with scopes",
  );

async function assumeByStaticKeys(
  keys: Identity_StaticKeys,
  row: IdentityRow,
  { token, issuer, claims: given }: ForeignToken,
  audiences: string[],
  now: number,
): Promise<AssumedIdentity> {
  if (keys.issuer !== issuer || keys.subject !== given.sub) throw identityMismatch(row.uid);
  const claims = await verifyByKeys(keys.issuerKeys, token, now);
  const accepted = keys.audiences.length > 0 ? keys.audiences : audiences;
  if (!isForAudience(claims, ...accepted)) {
    throw tokenRefusal(wrongAudiencesText(accepted));
  }
  const expires = keys.expirationTime
    ? timestampMs(keys.expirationTime)
    : row.createTime + staticKeysLifetime;
  if (expires <= now)
    throw tokenRefusal(`the identity's keys expired at ${new Date(expires).toISOString()}`);
  // Whoever brought the keys can write any address: nobody but them has verified it.
  return { row, claims: { ...claims, email_verified: false }, expires };
}

const mismatchOrNone = (identityUid: string, foreign: ForeignToken) =>
  identityUid === "" ? noIdentityMatches(foreign.issuer) : identityMismatch(identityUid);

const noIdentityMatches = (issuer: string) =>
  permissionDenied(
    `no identity matches issuer ${JSON.stringify(issuer)} with the token's subject; ` +
      "name one with identity if it matches by pattern or by further claims",
  );

function refuseOtherKinds({ relationship }: IdentityRow): void {
  if (relationship?.case === "servicePrincipal") {
    throw unimplemented(
      "service principals cannot be assumed: they are the operator's own services",
    );
  }
}

/**
 * People who came in through an identity provider come in that way only: by a bare token they would
 * get past their deactivation, and out of the organization that their logins reach.
 */
const needsIdentityProvider = ({ uid, issuer }: IdentityRow) =>
  parentOf(uid) === "" && issuer === null;

/** Throws PERMISSION_DENIED for people that no bare token lets in. It tells that they are there. */
export function refuseTokensWithoutProvider(row: IdentityRow): void {
  if (!needsIdentityProvider(row)) return;
  throw tokenRefusal(
    "the identity is a person's: name their identity provider with identity_provider",
  );
}

/**
 * Refuses one whom no bare token lets in. Their uid follows from issuer and subject, so whoever has not
 * proved to be them must not learn whether they use the platform.
 */
async function refusePerson(
  config: Config,
  row: IdentityRow,
  { token, issuer, claims }: ForeignToken,
  audiences: string[],
  now: number,
): Promise<never> {
  const match = claimMatchOf(row);
  const subject = claims.sub;
  if (match && mayMatchIdentity(match, issuer, subject)) {
    const proved = await verifyForeignToken(config, issuer, token, now).catch(() => undefined);
    const isTheirs = proved !== undefined && matchesIdentity(match, issuer, subject);
    if (isTheirs && findClaimMismatch(match, proved, audiences) === undefined)
      refuseTokensWithoutProvider(row);
  }
  throw identityMismatch(row.uid);
}

function claimMatchOf(row: IdentityRow | undefined): Identity_ClaimMatch | undefined {
  if (row?.relationship?.case !== "claimMatch") return undefined;
  return messageFromStored(Identity_ClaimMatchSchema, row.relationship.value);
}

function staticKeysOf({ relationship }: IdentityRow): Identity_StaticKeys | undefined {
  if (relationship?.case !== "staticKeys") return undefined;
  return messageFromStored(Identity_StaticKeysSchema, relationship.value);
}
