/** Exchanges the token of another issuer. `/token` of the registry judges such a token in the same way. */
import { TokenExchange_Kind } from "../../schema/gen/platform/events/v2/occurrences_pb.js";
import { type Call, callAt, type WriteContext } from "../auth/call.ts";
import type { Claims } from "../auth/claims.ts";
import { isSpread, rowsOfEach } from "../auth/databases.ts";
import { personUid } from "../auth/person.ts";
import { selectOrganizations } from "./exchange_parameters.ts";
import {
  assumeByForeignToken,
  type ForeignToken,
  isIdentityServed,
  selectIdentitiesBySubject,
  selectIdentitiesByUid,
  selectPerson,
  toChainLink,
} from "./identity.ts";
import type { Exchanged } from "./issued_token.ts";

/** The part of a call that an exchange needs. A request to the registry has it too. */
export type ExchangeContext = WriteContext & Pick<Call, "databases">;

/** A token of another issuer, and the identity that the caller asks for. */
export interface ForeignExchange extends Omit<ForeignToken, "trace"> {
  /** The uid of the identity to act as, or empty. */
  identity: string;
  /** The organizations of the identity, as uids or verified names, if it is not named. */
  scopes: string[];
}

/**
 * The identity that the token acts as. D1 decides first whether an identity accepts its issuer and subject, and only
 * then are keys fetched. Takes one round trip, in the database of the identity if one is named. Throws
 * PERMISSION_DENIED and the other errors of {@link assumeByForeignToken}. `ends` is the end of the token that was
 * exchanged, in milliseconds since 1970.
 */
export async function exchangeForeignToken(
  context: ExchangeContext,
  { identity, scopes, ...foreign }: ForeignExchange,
): Promise<Exchanged & { ends: number }> {
  const { config, databases, db, now } = context;
  const { issuer } = foreign;
  const subject = foreign.claims.sub;
  const served = isSpread(databases) ? isIdentityServed : undefined;
  const select =
    identity === ""
      ? selectIdentitiesBySubject(db, issuer, subject, scopes, served)
      : selectIdentitiesByUid(db, identity);
  const person = selectPerson(db, issuer, subject, await personUid(issuer, subject));
  const [rows, organizations, people] = await callAt(context, identity).db.batch([
    select,
    selectOrganizations(db, scopes),
    person,
  ]);
  if (identity === "") rows.push(...(await findElsewhere(context, issuer, subject, scopes, rows)));
  const traced = { ...foreign, trace: databases.trace };
  const { row, claims, expires } = await assumeByForeignToken(config, traced, rows, identity, now);
  // A person who is blocked in a group must not come back as an identity of that group.
  const chain = [...people.filter(({ uid }) => uid !== row.uid).slice(0, 1), row].map(toChainLink);
  const carried = { ...actOf(issuer, claims), ...emailClaimsOf(claims), chain };
  const kind = TokenExchange_Kind.FOREIGN_TOKEN;
  const ends = Math.min(claims.exp * 1000, expires);
  return { kind, identity: row.uid, claims: carried, until: expires, organizations, ends };
}

/** With several databases, the identities of other databases that a token's issuer and subject can act as. */
async function findElsewhere(
  { db, databases }: ExchangeContext,
  issuer: string,
  subject: string,
  scopes: string[],
  known: { uid: string }[],
) {
  const others = await databases.othersThan(db);
  const rows = await rowsOfEach({ all: others }, (other) =>
    selectIdentitiesBySubject(other, issuer, subject, scopes, isIdentityServed),
  );
  // A person has a copy in several databases.
  const uids = new Set(known.map(({ uid }) => uid));
  return rows.filter(({ uid }) => !uids.has(uid) && uids.add(uid));
}

/** The claim of a new token about the one before it. */
export const actOf = (issuer: string, { sub, aud }: Claims) => ({ act: { iss: issuer, sub, aud } });

/** The address that a new token takes from the one before it. */
export function emailClaimsOf({ email, email_verified: isVerified }: Claims) {
  if (email === undefined) return {};
  return { email, ...(isVerified === undefined ? {} : { email_verified: isVerified }) };
}
