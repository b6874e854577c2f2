/** The fields of a form about the tokens that an identity accepts, and how they become a request. */
import type { IdentityInput, ServicePrincipal } from "../../client/index.ts";
import { localTime } from "../elements/time_field.tsx";
import type { Relationship } from "./kinds.ts";

/** An exact value or a pattern. An empty text is none. */
export interface MatcherDraft {
  value: string;
  isPattern: boolean;
}

/** A further claim that a token must have. */
export interface ClaimDraft extends MatcherDraft {
  name: string;
}

/** The kinds that a form offers. */
export type DraftKind = "claimMatch" | "staticKeys" | "awsIdentity" | "servicePrincipal" | "none";

/** The fields of all kinds, so that a change of the kind loses nothing. */
export interface Draft {
  kind: DraftKind;
  issuer: MatcherDraft;
  subject: MatcherDraft;
  audience: MatcherDraft;
  claims: ClaimDraft[];
  /** A JSON Web Key Set. */
  keys: string;
  /** Local time, as an input of the type `datetime-local` has it. Empty for the latest possible time. */
  expiration: string;
  account: string;
  arn: MatcherDraft;
  userId: MatcherDraft;
  principal: ServicePrincipal;
}

const none: MatcherDraft = { value: "", isPattern: false };

export const emptyDraft: Draft = {
  kind: "claimMatch",
  issuer: none,
  subject: none,
  audience: none,
  claims: [],
  keys: "",
  expiration: "",
  account: "",
  arn: none,
  userId: none,
  principal: "SERVICE_PRINCIPAL_COSIGNED",
};

const matcher = (exact: string | undefined, pattern: string | undefined): MatcherDraft => ({
  value: exact ?? pattern ?? "",
  isPattern: pattern !== undefined,
});

/** Returns the fields of a form for what an identity accepts now. */
export function draftOf(relationship: Relationship): Draft {
  const { claimMatch, staticKeys, awsIdentity, servicePrincipal } = relationship;
  if (claimMatch) {
    const { claims = {}, claimPatterns = {} } = claimMatch;
    const toDrafts = (all: Record<string, string>, isPattern: boolean) =>
      Object.entries(all).map(([name, value]) => ({ name, value, isPattern }));
    return {
      ...emptyDraft,
      issuer: matcher(claimMatch.issuer, claimMatch.issuerPattern),
      subject: matcher(claimMatch.subject, claimMatch.subjectPattern),
      audience: matcher(claimMatch.audience, claimMatch.audiencePattern),
      claims: [...toDrafts(claims, false), ...toDrafts(claimPatterns, true)],
    };
  }
  if (staticKeys)
    return {
      ...emptyDraft,
      kind: "staticKeys",
      keys: staticKeys.issuerKeys,
      issuer: matcher(staticKeys.issuer, undefined),
      subject: matcher(staticKeys.subject, undefined),
      audience: matcher(staticKeys.audiences?.[0], undefined),
      expiration: staticKeys.expirationTime ? localTime(Date.parse(staticKeys.expirationTime)) : "",
    };
  if (awsIdentity)
    return {
      ...emptyDraft,
      kind: "awsIdentity",
      account: awsIdentity.awsAccount,
      arn: matcher(awsIdentity.arn, awsIdentity.arnPattern),
      userId: matcher(awsIdentity.userId, awsIdentity.userIdPattern),
    };
  return servicePrincipal
    ? { ...emptyDraft, kind: "servicePrincipal", principal: servicePrincipal }
    : { ...emptyDraft, kind: "none" };
}

/** The members of the request for a matcher. `name` is that of the exact value, such as `subject`. */
function members<Name extends string>(name: Name, { value, isPattern }: MatcherDraft) {
  const member = isPattern ? `${name}Pattern` : name;
  return (value === "" ? {} : { [member]: value }) as { [Key in typeof member]?: string };
}

const claimsOf = (claims: readonly ClaimDraft[], pattern: boolean) =>
  Object.fromEntries(
    claims
      .filter(({ name, isPattern }) => name !== "" && isPattern === pattern)
      .map(({ name, value }) => [name, value]),
  );

/** Returns the members of a request for what the form has. */
export function relationshipOf(
  draft: Draft,
): Pick<IdentityInput, "claimMatch" | "staticKeys" | "awsIdentity" | "servicePrincipal"> {
  const { kind, issuer, subject, audience, claims, account, arn, userId } = draft;
  switch (kind) {
    case "claimMatch":
      return {
        claimMatch: {
          ...members("issuer", issuer),
          ...members("subject", subject),
          ...members("audience", audience),
          claims: claimsOf(claims, false),
          claimPatterns: claimsOf(claims, true),
        },
      };
    case "staticKeys":
      return {
        staticKeys: {
          issuer: issuer.value,
          subject: subject.value,
          issuerKeys: draft.keys,
          ...(audience.value === "" ? {} : { audiences: [audience.value] }),
          ...(draft.expiration === ""
            ? {}
            : { expirationTime: new Date(draft.expiration).toISOString() }),
        },
      };
    case "awsIdentity":
      return {
        awsIdentity: { awsAccount: account, ...members("arn", arn), ...members("userId", userId) },
      };
    case "servicePrincipal":
      return { servicePrincipal: draft.principal };
    default:
      return {};
  }
}

/** All members that hold a relationship, so that an update replaces one of another kind. */
export const relationshipMask = ["claimMatch", "staticKeys", "awsIdentity", "servicePrincipal"];
