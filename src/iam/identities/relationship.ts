/** The matchers of an identity: the tokens that it accepts (contract: identity kinds). */
import { type JsonValue, toJson } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { createLocalJWKSet, type JSONWebKeySet } from "jose";
import {
  type Identity,
  Identity_AWSIdentitySchema,
  type Identity_ClaimMatch,
  Identity_ClaimMatchSchema,
  type Identity_StaticKeys,
  Identity_StaticKeysSchema,
  RelationshipType,
} from "../../../schema/gen/platform/iam/v2/identities_pb.js";
import type { Relationship } from "../../../schema/tables/iam/identities.ts";
import { invalidArgument } from "../../aip/errors.ts";
import { messageFromStored } from "../../aip/well_formed.ts";
import { staticKeysExpiry, staticKeysLifetime } from "../../auth/identity_matchers.ts";
import { issuerRefusal } from "../../auth/outgoing/destination.ts";
import { findExcess, type NamedPattern } from "../../auth/patterns/bounds.ts";
import { awsPatterns, claimMatchPatterns } from "../../auth/patterns/identity_patterns.ts";
import { compilePattern } from "../../auth/patterns/pattern.ts";
import type { Config } from "../../config.ts";

/** The most characters in the names and values of further claims, and also in claim patterns. */
const maxEntriesLength = 16_384;

const privateParameters = ["d", "p", "q", "dp", "dq", "qi", "k"];

/** The column values of an identity's matchers. */
export interface RelationshipColumns {
  relationshipType: number;
  relationship: Relationship | null;
  issuer: string | null;
  subject: string | null;
  /** The time when the static keys expire. */
  keyExpireTime: number | null;
}

const noRelationship: RelationshipColumns = {
  relationshipType: RelationshipType.UNSPECIFIED,
  relationship: null,
  issuer: null,
  subject: null,
  keyExpireTime: null,
};

/** The oneof as columns. `issuer` and `subject` are set only if they alone decide. */
export function relationshipColumns({ relationship: sent }: Identity): RelationshipColumns {
  const stored = (type: RelationshipType, value: JsonValue): RelationshipColumns => ({
    ...noRelationship,
    relationshipType: type,
    relationship: { case: sent.case as Relationship["case"], value },
  });
  switch (sent.case) {
    case "claimMatch": {
      const { iss, sub, aud, claims, claimPatterns } = sent.value;
      const exact = iss.case === "issuer" && sub.case === "subject";
      const alone =
        aud.case === undefined && Object.keys({ ...claims, ...claimPatterns }).length === 0;
      const columns = stored(
        RelationshipType.CLAIM_MATCH,
        toJson(Identity_ClaimMatchSchema, sent.value),
      );
      return exact && alone ? { ...columns, issuer: iss.value, subject: sub.value } : columns;
    }
    case "staticKeys": {
      const { expirationTime } = sent.value;
      return {
        ...stored(RelationshipType.STATIC, toJson(Identity_StaticKeysSchema, sent.value)),
        keyExpireTime: expirationTime ? timestampMs(expirationTime) : null,
      };
    }
    case "awsIdentity":
      return stored(RelationshipType.AWS_IDENTITY, toJson(Identity_AWSIdentitySchema, sent.value));
    case "servicePrincipal":
      return stored(RelationshipType.SERVICE_PRINCIPAL, sent.value);
    default:
      return noRelationship;
  }
}

/** The stored columns as the oneof. */
export function toRelationship(stored: Relationship | null): Identity["relationship"] {
  const value = stored?.value;
  switch (stored?.case) {
    case "claimMatch":
      return { case: "claimMatch", value: messageFromStored(Identity_ClaimMatchSchema, value) };
    case "staticKeys":
      return { case: "staticKeys", value: messageFromStored(Identity_StaticKeysSchema, value) };
    case "awsIdentity":
      return { case: "awsIdentity", value: messageFromStored(Identity_AWSIdentitySchema, value) };
    case "servicePrincipal":
      return { case: "servicePrincipal", value: value as number };
    default:
      return { case: undefined };
  }
}

/**
 * Checks what the rules of the proto cannot express, and sets the default expiry of static keys. `created` is
 * the creation time of the identity in milliseconds. `issuer` is the issuer that it already accepts. That one
 * is allowed even if it is older than the rules for destinations, because each request to it is checked
 * again. Throws INVALID_ARGUMENT for the member.
 */
export function checkRelationship(
  config: Config,
  identity: Identity,
  { created, issuer }: { created: number; issuer?: string | undefined },
): void {
  const { relationship } = identity;
  if (relationship.case === "claimMatch") {
    checkIssuer(config, relationship.value, issuer);
    checkClaimMatch(relationship.value);
  }
  if (relationship.case === "staticKeys") checkStaticKeys(relationship.value, created);
  if (relationship.case === "awsIdentity") {
    const { awsArn, awsUserId } = relationship.value;
    checkPatterns(awsPatterns(relationship.value));
    const matchers = { arn: awsArn, user_id: awsUserId };
    for (const [name, matcher] of Object.entries(matchers)) {
      const field = `aws_identity.${name}`;
      if (!matcher.case) throw invalidArgument(field, `${field} or ${field}_pattern is required`);
    }
  }
}

/** The issuer in a stored matcher, or undefined. */
export function issuerOfRelationship(stored: Relationship | null): string | undefined {
  const { case: kind, value } = toRelationship(stored);
  return kind === "claimMatch" && value.iss.case === "issuer" ? value.iss.value : undefined;
}

function checkIssuer(config: Config, { iss }: Identity_ClaimMatch, stored?: string): void {
  if (iss.case !== "issuer" || iss.value === stored) return;
  const refusal = issuerRefusal(config, iss.value);
  if (refusal === undefined) return;
  throw invalidArgument("claim_match.issuer", `claim_match.issuer ${refusal}`);
}

function checkClaimMatch(match: Identity_ClaimMatch): void {
  const { claims, claimPatterns } = match;
  checkSize("claim_match.claims", claims);
  checkSize("claim_match.claim_patterns", claimPatterns);
  checkPatterns(claimMatchPatterns(match));
}

function checkSize(field: string, entries: Record<string, string>): void {
  const size = Object.entries(entries).flat().join("").length;
  if (size <= maxEntriesLength) return;
  throw invalidArgument(
    field,
    `${field} must have at most ${maxEntriesLength} characters in its names and values; you sent ${size}`,
  );
}

/** All of them are read before the first one is compiled. */
function checkPatterns(patterns: NamedPattern[]): void {
  const excess = findExcess(patterns);
  if (excess) throw invalidArgument(excess.field, excess.description);
  for (const { field, pattern } of patterns) {
    try {
      compilePattern(pattern);
    } catch (error) {
      const why = (error as Error).message;
      throw invalidArgument(field, `${field} must be a regular expression: ${why}`);
    }
  }
}

function checkStaticKeys(keys: Identity_StaticKeys, created: number): void {
  const field = "static_keys.issuer_keys";
  let document: JSONWebKeySet;
  try {
    document = JSON.parse(keys.issuerKeys);
    createLocalJWKSet(document);
  } catch {
    throw invalidArgument(field, `${field} must be a JWKS document`);
  }
  const secret = document.keys?.some((key) => privateParameters.some((name) => name in key));
  if (!document.keys?.length || secret)
    throw invalidArgument(
      field,
      `${field} must contain at least one public key, and no private keys`,
    );
  const latest = created + staticKeysLifetime;
  const expires = staticKeysExpiry(keys, { createTime: created });
  if (expires > latest || expires <= created) {
    const path = "static_keys.expiration_time";
    throw invalidArgument(
      path,
      `${path} must be within 365 days after the creation of the identity`,
    );
  }
  keys.expirationTime = timestampFromMs(expires);
}
