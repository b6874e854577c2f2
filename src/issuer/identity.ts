/** Decides which identity a token can act as (contract: STS exchange, identity kinds). */
import { and, eq, inArray, or, type SQL, sql } from "drizzle-orm";
import type { Identity_StaticKeys } from "../../schema/gen/platform/iam/v2/identities_pb.js";
import { identities } from "../../schema/tables/iam/identities.ts";
import type { RowOf } from "../../schema/tables/list_indexes.ts";
import { isPresent } from "../../schema/tables/platform/deletions.ts";
import { failedPrecondition, permissionDenied, unimplemented } from "../aip/errors.ts";
import { isUid, parentOf } from "../aip/uid_path.ts";
import type { Database } from "../auth/call.ts";
import {
  findClaimMismatch,
  matchesIdentity,
  mayMatchIdentity,
  wrongAudiencesText,
} from "../auth/claim_match.ts";
import type { Claims } from "../auth/claims.ts";
import { isServed } from "../auth/databases.ts";
import {
  acceptsOwnToken,
  claimMatchOf,
  ownTokenAudiences,
  staticKeysAudiences,
  staticKeysExpiry,
  staticKeysOf,
} from "../auth/identity_matchers.ts";
import { chooseCandidate, selectCandidates, soleCandidateWithRole } from "../auth/subject.ts";
import { isForAudience } from "../auth/token.ts";
import type { ChainLink } from "../auth/token_chain.ts";
import type { Config } from "../config.ts";
import type { Trace } from "../telemetry/trace.ts";
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

/** The columns of an identity that decide about a token. */
export type IdentityRow = Pick<RowOf<typeof identities>, keyof typeof columns>;

/** The end of the chain in a token that becomes the identity. */
export const toChainLink = ({
  uid,
  relationshipTime,
}: Pick<IdentityRow, "uid" | "relationshipTime">): ChainLink => ({
  sub: uid,
  at: relationshipTime,
});

/** The statement that reads identities by uid. */
export const selectIdentitiesByUid = (db: Database, ...uids: string[]) =>
  db.select(columns).from(identities).where(inArray(identities.uid, uids));

/** Leaves out identities that a move has left in a database. */
export const isIdentityServed = isServed(sql`${identities.uid}`);

/** Like {@link selectIdentitiesByUid}, without identities that a move has left in this database. */
export const selectServedIdentities = (db: Database, uids: string[]) =>
  db
    .select(columns)
    .from(identities)
    .where(and(inArray(identities.uid, uids), isIdentityServed));

/**
 * The statement that reads the identities with that issuer and subject, for a token that names none itself.
 * They belong to the organizations that the exchange names in its scopes, or to any organization.
 */
export const selectIdentitiesBySubject = (
  db: Database,
  issuer: string,
  subject: string,
  scopes: string[],
  served?: SQL,
) => {
  const named = scopes.length > 0 ? organizationsOf(db, scopes) : undefined;
  // Only within the named organization: a role elsewhere does not count.
  const isBound = named
    ? sql<number>`exists (select 1 from "role_bindings" as "binding"
        where "binding"."identity_uid" = "identities"."uid" and "binding"."accepted" = 1
          and ${isPresent(sql`"binding"."parent"`)})`
    : sql<number>`0`;
  return db
    .select({ ...columns, isBound: isBound.as("is_bound") })
    .from(identities)
    .where(
      and(sql`${identities.uid} in (${selectCandidates({ issuer, subject }, named)})`, served),
    );
};

/**
 * The statement that reads the person with this issuer and subject. The person is registered or has the uid
 * that follows from them.
 */
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

/** The organizations of scopes, which are uids or verified names, as a JSON array. */
const organizationsOf = (db: Database, scopes: string[]) =>
  sql`(select json_group_array(substr("uid", 1, 40)) from (
    select "value" as "uid" from json_each(${JSON.stringify(scopes.filter(isUid))})
    union select "uid" from (${selectOrganizations(db, scopes)})))`;

/** The same error for an identity that does not exist and for one that the token does not match. */
export const identityMismatch = (uid: string) =>
  permissionDenied(`the token does not match an identity with the uid ${uid}`);

/**
 * The identity that our verified token acts as. It is the token's own identity, or another one whose claim
 * match names our issuer and the token's subject. Throws PERMISSION_DENIED.
 */
export function assumeByOwnToken(
  config: Config,
  claims: Pick<Claims, "sub" | "aud">,
  rows: IdentityRow[],
  identityUid: string,
): IdentityRow {
  const self = rows.find(({ uid }) => uid === claims.sub);
  if (!self) throw tokenRefusal("the identity of the token no longer exists");
  if (identityUid === "" || identityUid === self.uid) return self;
  const row = rows.find(({ uid }) => uid === identityUid);
  const match = row && claimMatchOf(row);
  const isNamedHere = match && acceptsOwnToken(match, claims.sub, row.uid);
  if (!isNamedHere || !matchesIdentity(match, config.issuerUrl, claims.sub))
    throw identityMismatch(identityUid);
  const differs = findClaimMismatch(match, claims, ownTokenAudiences(config));
  if (differs) throw tokenRefusal(differs);
  return row;
}

/** A token of another issuer. */
export interface ForeignToken {
  token: string;
  issuer: string;
  /** Not verified. */
  claims: Claims;
  /** The accepted audiences of an identity that names none. */
  audiences: string[];
  /** The trace of the call that the token came with. */
  trace?: Trace | undefined;
}

/** An identity, the verified claims of the token that can act as it, and the end of its validity. */
export interface AssumedIdentity {
  row: IdentityRow;
  claims: Claims;
  /** Milliseconds since 1970 in UTC. Infinity if the identity sets no end. */
  expires: number;
}

/**
 * The identity that a token of another issuer acts as. Nothing is fetched before an identity with this issuer
 * and subject is found, and no pattern is compiled before the signature is verified. Throws
 * PERMISSION_DENIED. Throws FAILED_PRECONDITION if several identities match and none is named, and
 * UNIMPLEMENTED for kinds that no JWT proves.
 */
export async function assumeByForeignToken(
  config: Config,
  foreign: ForeignToken,
  rows: (IdentityRow & { isBound?: number })[],
  identityUid: string,
  now: number,
): Promise<AssumedIdentity> {
  if (rows.length === 0) throw mismatchOrNone(identityUid, foreign);
  const candidates = rows.map((candidate) => ({ ...candidate, isBound: candidate.isBound === 1 }));
  const row = chooseCandidate(candidates) ?? soleCandidateWithRole(candidates);
  if (!row) throw ambiguousIdentity();
  refuseOtherKinds(row);
  if (needsIdentityProvider(row)) return refusePerson(config, row, foreign, now);
  const keys = staticKeysOf(row);
  if (keys) return assumeByStaticKeys(keys, row, foreign, now);
  const match = claimMatchOf(row);
  const subject = foreign.claims.sub;
  if (!match || !mayMatchIdentity(match, foreign.issuer, subject))
    throw mismatchOrNone(identityUid, foreign);
  const claims = await verifyForeignToken({ config, ...foreign }, foreign.token, now);
  if (!matchesIdentity(match, foreign.issuer, subject)) throw mismatchOrNone(identityUid, foreign);
  const differs = findClaimMismatch(match, claims, foreign.audiences);
  if (differs) throw tokenRefusal(differs);
  return { row, claims, expires: Number.POSITIVE_INFINITY };
}

const atRegistry = "at the registry, the uid of the identity is the user name";

const ambiguousIdentity = () =>
  failedPrecondition(
    "IDENTITY_AMBIGUOUS",
    `several identities match the token; name one of them in identity, or its organization in scopes; ${atRegistry}`,
  );

async function assumeByStaticKeys(
  keys: Identity_StaticKeys,
  row: IdentityRow,
  { token, issuer, claims: unverified, audiences }: ForeignToken,
  now: number,
): Promise<AssumedIdentity> {
  if (keys.issuer !== issuer || keys.subject !== unverified.sub) throw identityMismatch(row.uid);
  const claims = await verifyByKeys(keys.issuerKeys, token, now);
  const accepted = staticKeysAudiences(keys, audiences);
  if (!isForAudience(claims, ...accepted)) {
    throw tokenRefusal(wrongAudiencesText(accepted));
  }
  const expires = staticKeysExpiry(keys, row);
  if (expires <= now)
    throw tokenRefusal(`the keys of the identity expired at ${new Date(expires).toISOString()}`);
  // The owner of the static keys can write any address, and no one else has verified it.
  return { row, claims: { ...claims, email_verified: false }, expires };
}

const mismatchOrNone = (identityUid: string, foreign: ForeignToken) =>
  identityUid === "" ? noIdentityMatches(foreign.issuer) : identityMismatch(identityUid);

const noIdentityMatches = (issuer: string) =>
  permissionDenied(
    `no identity matches the issuer ${JSON.stringify(issuer)} and the subject of the token; ` +
      `name the identity if it matches them by a pattern, or requires other claims; ${atRegistry}`,
  );

function refuseOtherKinds({ relationship }: IdentityRow): void {
  if (relationship?.case === "servicePrincipal") {
    throw unimplemented(
      "a service principal cannot be assumed: it belongs to the operator of the platform",
    );
  }
}

/**
 * People who came in through an identity provider can only come in that way. With their own token they would
 * get around their deactivation, and outside the organization that their logins reach.
 */
const needsIdentityProvider = ({ uid, issuer }: IdentityRow) =>
  parentOf(uid) === "" && issuer === null;

/**
 * Throws PERMISSION_DENIED for people who cannot come in with their own token. The error reveals that they
 * exist.
 */
export function refuseTokensWithoutProvider(row: IdentityRow): void {
  if (!needsIdentityProvider(row)) return;
  throw tokenRefusal(
    "the identity belongs to a person; name their identity provider in identity_provider",
  );
}

/**
 * Refuses a person who cannot come in with their own token. Their uid follows from the issuer and the
 * subject. A caller who has not proved to be that person must not learn whether they use the platform.
 */
async function refusePerson(
  config: Config,
  row: IdentityRow,
  { token, issuer, claims, audiences, trace }: ForeignToken,
  now: number,
): Promise<never> {
  const match = claimMatchOf(row);
  const subject = claims.sub;
  if (match && mayMatchIdentity(match, issuer, subject)) {
    const proved = await verifyForeignToken({ config, issuer, trace }, token, now).catch(
      () => undefined,
    );
    const isTheirs = proved !== undefined && matchesIdentity(match, issuer, subject);
    if (isTheirs && findClaimMismatch(match, proved, audiences) === undefined)
      refuseTokensWithoutProvider(row);
  }
  throw identityMismatch(row.uid);
}
