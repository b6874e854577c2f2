/** The identity of a person who signs in, from what their provider says of them. */
import type { IdentityMetadata } from "../../schema/gen/platform/iam/v2/identities_pb.js";
import type { identities } from "../../schema/tables/iam/identities.ts";
import { truncate } from "../aip/well_formed.ts";
import type { Claims } from "../auth/claims.ts";
import { tokenRefusal } from "./upstream.ts";

type Row = typeof identities.$inferSelect;

/** The columns of a person that a sign-in sets or needs. */
export type Person = Pick<
  Row,
  | "uid"
  | "name"
  | "description"
  | "email"
  | "emailUnverified"
  | "company"
  | "relationship"
  | "createTime"
  | "updateTime"
>;

const maxNameLength = 255;
/** RFC 5321 allows no longer one. */
export const maxEmailLength = 320;

/** OpenID Connect Core 1.0 section 2 allows no longer one. */
const maxSubjectLength = 255;

/** Throws PERMISSION_DENIED for a subject that nobody has. */
export function checkSubject({ sub }: Claims): void {
  if (sub.length > maxSubjectLength) throw tokenRefusal("the token's subject is too long");
}

/** Numbers of RelationshipType. */
export const claimMatchType = 1;

/**
 * The person as they are once signed in. The name is taken once, the address each time: as the one
 * the provider vouches for, or as the one it does not.
 */
export function toPerson(given: {
  uid: string;
  issuer: string;
  claims: Claims;
  known: Row | undefined;
  now: number;
}): Person {
  const { uid, issuer, claims, known: existing, now } = given;
  const { email = "", email_verified: isVerified } = claims;
  const usable = email.length <= maxEmailLength ? email : "";
  const fresh = {
    uid,
    name: toIdentityName(claims, uid),
    description: "",
    email: "",
    emailUnverified: "",
    company: "",
    // Shown to everybody who lists the identity. It admits no foreign token: see refuseTokensWithoutProvider.
    relationship: {
      case: "claimMatch" as const,
      value: { issuer, subject: claims.sub },
    },
    createTime: now,
    updateTime: now,
  };
  const before = existing ?? fresh;
  const address = isVerified ? { email: usable } : { emailUnverified: usable };
  const after = { ...before, ...(usable === "" ? {} : address) };
  const isChanged =
    after.email !== before.email || after.emailUnverified !== before.emailUnverified;
  const updateTime =
    existing && isChanged ? Math.max(now, existing.updateTime + 1) : before.updateTime;
  return { ...after, updateTime };
}

const maxDisplayNameLength = 255;

/** The display name as the provider writes it, and its parts; undefined where it states none. */
export function toDisplayName({
  name: given = "",
}: Claims): Pick<IdentityMetadata, "name" | "givenName" | "familyName"> | undefined {
  if (given.trim() === "") return undefined;
  const name = truncate(given.trim(), maxDisplayNameLength);
  const [givenName = "", ...rest] = name.split(/\s+/);
  return { name, givenName, familyName: rest.join(" ") };
}

/** A name that the pattern of identities allows. */
function toIdentityName(
  { name, preferred_username: userName, email }: Claims,
  uid: string,
): string {
  const candidates = [name, userName, email].map((claim = "") => toNameCharacters(claim));
  return candidates.find((name) => name !== "") ?? `user-${uid.slice(0, 8)}`;
}

/** Accents are dropped, and what is left that a name may not have becomes a dash. */
const toNameCharacters = (text: string) =>
  text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9 ._-]+/g, "-")
    .replace(/^[ -]+|[ -]+$/g, "")
    .slice(0, maxNameLength);
