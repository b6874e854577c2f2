/**
 * Decides which identity a token of another issuer acts as (docs/decisions/0004). Any number of organizations
 * can have an identity with the same issuer and subject, and none of them decides for the others.
 */
import { type SQL, sql } from "drizzle-orm";
import { NEVER_USED } from "../../schema/tables/iam/identities.ts";
import { rootOf } from "../aip/uid_path.ts";

/**
 * The uids of the identities with exactly this issuer and subject, as a subquery. They are the person, and
 * the identities of the organizations (a JSON array of uids). Without organizations, they are the two
 * identities that were used first. The cost does not grow with the identities of other organizations.
 */
export function selectCandidates(
  { issuer, subject }: { issuer: string; subject: string },
  organizations: string | SQL | undefined,
): SQL {
  const named = sql`"identity"."issuer" = ${issuer} and "identity"."subject" = ${subject}`;
  const person = sql`select "identity"."uid" from "identities" as "identity" where ${named} and "identity"."parent" = ''`;
  const others = organizations
    ? sql`select "identity"."uid" from json_each(${organizations}) as "organization" cross join "identities" as "identity"
        on ${named} and "identity"."parent" >= "organization"."value" and "identity"."parent" < "organization"."value" || '0'`
    : sql`select "uid" from (${selectFirstUsed(named, 2)})`;
  return sql`${person} union all ${others}`;
}

/** One identity with this issuer and subject, of any organization, as a subquery of its uid. */
export const selectAnyCandidate = ({ issuer, subject }: { issuer: string; subject: string }): SQL =>
  selectFirstUsed(sql`"identity"."issuer" = ${issuer} and "identity"."subject" = ${subject}`, 1);

const selectFirstUsed = (named: SQL, limit: number) =>
  sql`select "identity"."uid" from "identities" as "identity" where ${named} and "identity"."parent" <> ''
    order by "identity"."first_used_time" limit ${sql.raw(String(limit))}`;

/** The properties of an identity that decide between several. */
export interface Candidate {
  uid: string;
  firstUsedTime: number;
  /** Whether the identity has a role. */
  isBound: boolean;
}

/**
 * The candidate that a token acts as if the call names none: the person, otherwise the identity that the
 * token's subject used first, otherwise the only one. Undefined if there are several and none was ever used.
 * Only the subject can choose one of them.
 */
export function chooseCandidate<SomeCandidate extends Candidate>(
  candidates: SomeCandidate[],
): SomeCandidate | undefined {
  const person = candidates.find(({ uid }) => !uid.includes("/"));
  if (person) return person;
  const [first, another] = candidates.toSorted((a, b) => a.firstUsedTime - b.firstUsedTime);
  return another && first?.firstUsedTime === NEVER_USED ? undefined : first;
}

/**
 * Of the candidates in one organization, the only one with a role. Creating another takes only
 * `identity.create`. Undefined if the candidates belong to several organizations.
 */
export function soleCandidateWithRole<SomeCandidate extends Candidate>(
  candidates: SomeCandidate[],
): SomeCandidate | undefined {
  const organizations = new Set(candidates.map(({ uid }) => rootOf(uid)));
  const [bound, more] = candidates.filter(({ isBound }) => isBound);
  return organizations.size === 1 && !more ? bound : undefined;
}
