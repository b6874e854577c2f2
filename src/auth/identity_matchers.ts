/**
 * The matchers of an identity, and what they decide about a token. The exchange of a token and its diagnosis
 * both decide here (contract: identity kinds).
 */

import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { JWTPayload } from "jose";
import {
  type Identity_ClaimMatch,
  Identity_ClaimMatchSchema,
  type Identity_StaticKeys,
  Identity_StaticKeysSchema,
} from "../../schema/gen/platform/iam/v2/identities_pb.js";
import type { identities } from "../../schema/tables/iam/identities.ts";
import type { RowOf } from "../../schema/tables/list_indexes.ts";
import { parentOf } from "../aip/uid_path.ts";
import { messageFromStored } from "../aip/well_formed.ts";
import type { Config } from "../config.ts";
import { findClaimMismatch, matchesIdentity, mayMatchIdentity } from "./claim_match.ts";

type Row = Pick<RowOf<typeof identities>, "uid" | "createTime" | "relationship">;

/** The longest lifetime of static keys, and the one without an expiry (proto: StaticKeys.expiration_time). */
export const staticKeysLifetime = 365 * 24 * 3600 * 1000;

export function claimMatchOf({ relationship }: Pick<Row, "relationship">) {
  if (relationship?.case !== "claimMatch") return undefined;
  return messageFromStored(Identity_ClaimMatchSchema, relationship.value);
}

export function staticKeysOf({ relationship }: Pick<Row, "relationship">) {
  if (relationship?.case !== "staticKeys") return undefined;
  return messageFromStored(Identity_StaticKeysSchema, relationship.value);
}

/** The audiences of another issuer's token that an exchange accepts if the identity names none. */
export const exchangeAudiences = ({ issuerUrl }: Config): string[] => [
  issuerUrl,
  new URL(issuerUrl).host,
];

/** The audiences of another issuer's token that the registry accepts if the identity names none. */
export const registryAudiences = ({ registryAudience, registryUrl }: Config): string[] => [
  ...new Set([registryAudience, new URL(registryUrl).host]),
];

/** The audiences of our own token that an exchange accepts. */
export const ownTokenAudiences = ({ audience, issuerUrl }: Config): string[] => [
  audience,
  issuerUrl,
];

/** The audiences that static keys accept. Those of keys that name none are given. */
export const staticKeysAudiences = (keys: Identity_StaticKeys, audiences: string[]): string[] =>
  keys.audiences.length > 0 ? keys.audiences : audiences;

/** The end of static keys, in milliseconds since 1970. */
export const staticKeysExpiry = (
  keys: Identity_StaticKeys,
  { createTime }: Pick<Row, "createTime">,
): number =>
  keys.expirationTime ? timestampMs(keys.expirationTime) : createTime + staticKeysLifetime;

/**
 * No one becomes a person with the token of another identity. A pattern accepts our tokens only for people.
 * Anyone who changes an identity must see everything that it can become (src/iam/identities/takeover.ts), and
 * only exact subjects show that.
 */
export const acceptsOwnToken = (
  { iss, sub }: Identity_ClaimMatch,
  subject: string,
  identityUid: string,
): boolean =>
  parentOf(identityUid) !== "" &&
  (parentOf(subject) === "" || (iss.case === "issuer" && sub.case === "subject"));

/**
 * Whether an exchange accepts a verified token for an identity with this claim match. `audiences` are the
 * accepted audiences of an identity that names none.
 */
export const acceptsClaims = (
  match: Identity_ClaimMatch,
  issuer: string,
  claims: JWTPayload & { sub: string },
  audiences: string[],
): boolean =>
  mayMatchIdentity(match, issuer, claims.sub) &&
  matchesIdentity(match, issuer, claims.sub) &&
  findClaimMismatch(match, claims, audiences) === undefined;
