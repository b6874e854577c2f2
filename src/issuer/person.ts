/** The identity of a person who logs in, from the claims of their provider. */

import type { IdentityMetadata } from "../../schema/gen/platform/iam/v2/identities_pb.js";
import type { identities } from "../../schema/tables/iam/identities.ts";
import type { RowOf } from "../../schema/tables/list_indexes.ts";
import { truncate } from "../aip/well_formed.ts";
import type { Claims } from "../auth/claims.ts";
import { tokenRefusal } from "./upstream.ts";

type Row = RowOf<typeof identities>;

/** The columns of a person that a login sets or needs. */
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
/** The longest address that RFC 5321 allows. */
export const maxEmailLength = 320;

/** The longest subject that OpenID Connect Core 1.0 section 2 allows. */
const maxSubjectLength = 255;

/** Throws PERMISSION_DENIED for a subject that no person can have. */
export function checkSubject({ sub }: Claims): void {
  if (sub.length > maxSubjectLength)
    throw tokenRefusal(`the subject of the token has more than ${maxSubjectLength} characters`);
}

/** Numbers of RelationshipType. */
export const claimMatchType = 1;

/**
 * The person after the login. The name is set once. The address is set each time, as a verified one or an
 * unverified one.
 */
export function toPerson(login: {
  uid: string;
  issuer: string;
  claims: Claims;
  known: Row | undefined;
  now: number;
}): Person {
  const { uid, issuer, claims, known: existing, now } = login;
  const { email = "", email_verified: isVerified } = claims;
  const usable = email.length <= maxEmailLength ? email : "";
  const fresh = {
    uid,
    name: toIdentityName(claims, uid),
    description: "",
    email: "",
    emailUnverified: "",
    company: "",
    // Everyone who lists the identity sees this. It does not let any foreign token in: see
    // refuseTokensWithoutProvider.
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

/** The display name from the provider, and its parts. Undefined if the provider sends none. */
export function toDisplayName({
  name: sentName = "",
}: Claims): Pick<IdentityMetadata, "name" | "givenName" | "familyName"> | undefined {
  if (sentName.trim() === "") return undefined;
  const name = truncate(sentName.trim(), maxDisplayNameLength);
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

/** Accents are removed, and other characters that a name cannot contain become a dash. */
const toNameCharacters = (text: string) =>
  text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9 ._-]+/g, "-")
    .replace(/^[ -]+|[ -]+$/g, "")
    .slice(0, maxNameLength);
