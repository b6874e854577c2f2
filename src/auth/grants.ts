/** Reads from D1 what a caller may do. This happens with every call, and nothing is cached. */
import { NEVER_USED } from "../../schema/tables/iam/identities.ts";
import { unauthenticated } from "../aip/errors.ts";
import { isAtOrAbove, parentOf, rootOf } from "../aip/uid_path.ts";
import type { Credential } from "./call.ts";
import { type GrantRow, type GrantScope, uidOfScope } from "./grant_rows.ts";
import { type Candidate, chooseCandidate } from "./subject.ts";

/** The capabilities that the caller has at a group or a repository, and everything below it. */
export interface Grant {
  group: string;
  /** The uid of the role that grants them. */
  role: string;
  capabilities: ReadonlySet<number>;
  /** The uid of the role binding. Undefined for a grant of a role mapping. */
  binding?: string;
}

/** The identity behind a call and its grants, narrowed like its token. */
export interface Caller {
  identity: string;
  name: string;
  act: Record<string, string>;
  grants: Grant[];
}

/**
 * Reads the rows of {@link selectGrants}. Several organizations can have an identity with the same issuer and
 * subject. A call that names a resource has the grants of all such identities in its organization, and none
 * if there are none. A call that names nothing acts as the identity that {@link chooseCandidate} finds.
 * Throws UNAUTHENTICATED if the identity no longer exists, or if nothing decides between several identities.
 */
export function toCaller(
  grantRows: GrantRow[],
  credential: Credential,
  scope?: GrantScope,
): Caller {
  const { act } = credential;
  const [secondCandidate] = grantRows;
  if (!secondCandidate) {
    throw unauthenticated(
      "the identity of the token no longer exists, or a login or identity behind the token was deleted, deactivated or changed; get a new token",
    );
  }
  const rows = rowsOfCaller(grantRows, credential, scope);
  const candidates = candidatesOf(rows);
  const candidate = chooseCandidate(candidates) ?? firstOf(candidates);
  const { uid: identity, name } = candidate ?? {
    uid: secondCandidate.identity,
    name: secondCandidate.name,
  };
  const grants = rows.flatMap((row) => grantsOf(row, credential));
  return { identity, name, act, grants };
}

/** The identities of the rows, each once. */
const candidatesOf = (rows: GrantRow[]) =>
  [...Map.groupBy(rows, ({ identity }) => identity)].map(([uid, rowsOfIdentity]) => ({
    uid,
    name: rowsOfIdentity[0]?.name ?? "",
    firstUsedTime: rowsOfIdentity[0]?.firstUsedTime ?? NEVER_USED,
    isBound: rowsOfIdentity.some(({ group }) => group !== null),
  }));

/** Of several identities in one organization, one that has a role. The call has the grants of all of them. */
const firstOf = <One extends Candidate>(candidates: One[]): One | undefined =>
  candidates.toSorted(
    (a, b) => Number(b.isBound) - Number(a.isBound) || (a.uid < b.uid ? -1 : 1),
  )[0];

function rowsOfCaller(
  grantRows: GrantRow[],
  { bearer }: Credential,
  scope: GrantScope,
): GrantRow[] {
  if ("uid" in bearer) return grantRows;
  if (scope !== undefined) return grantRows.filter(isUserOrOfOrganization(uidOfScope(scope)));
  const candidate = chooseCandidate(candidatesOf(grantRows));
  if (!candidate)
    throw unauthenticated("several identities match the token; exchange it, and name one of them");
  return grantRows.filter(({ identity }) => identity === candidate.uid);
}

/** The grant of a row, within the limits of the identity and the token. */
function grantsOf(
  { identity, group, role, capabilities, binding }: GrantRow,
  credential: Credential,
): Grant[] {
  if (group === null || role === null || capabilities === null) return [];
  const held = credential.capabilities
    ? capabilities.filter((capability) => credential.capabilities?.includes(capability))
    : capabilities;
  const scopeOfGrant = lowerUid(group, parentOf(identity));
  if (scopeOfGrant === undefined) return [];
  const reached = credential.scopes?.flatMap((scope) => lowerUid(scopeOfGrant, scope) ?? []) ?? [
    scopeOfGrant,
  ];
  const from = binding === null ? {} : { binding };
  return reached.map((scope) => ({ group: scope, role, capabilities: new Set(held), ...from }));
}

/** Whether an identity is a person or belongs to the organization of the uid. */
const isUserOrOfOrganization = (uid: string) => (row: GrantRow) =>
  parentOf(row.identity) === "" || rootOf(row.identity) === rootOf(uid);

/** Whether the uid is within the groups that the token is narrowed to, if there are any. */
export const isWithin = ({ scopes }: Credential, uid: string) =>
  scopes?.some((scope) => isAtOrAbove(scope, uid)) ?? true;

/**
 * Like {@link isWithin}, but a login without a further restriction does not count as narrowed. Use it only
 * for calls that give nothing to the operator of the identity provider.
 */
export const isWithinUnlessWholeLogin = (credential: Credential, uid: string): boolean =>
  isUnnarrowedLogin(credential) || isWithin(credential, uid);

/** Whether the token comes from a login and has the full scope of the login. */
export const isUnnarrowedLogin = ({ scopes = [], login }: Credential): boolean =>
  login !== undefined && scopes.length === 1 && scopes[0] === parentOf(login.identityProvider);

/** The lower of two uids on one path. Undefined if neither is above the other. */
export function lowerUid(uid: string, other: string): string | undefined {
  if (other === "" || isAtOrAbove(other, uid)) return uid;
  return isAtOrAbove(uid, other) ? other : undefined;
}

/** Whether the caller has every capability at the uid. Each can come from a different grant. */
export function holds(caller: Caller, capabilities: readonly number[], uid: string): boolean {
  const here = caller.grants.filter((grant) => isAtOrAbove(grant.group, uid));
  return capabilities.every((capability) =>
    here.some((grant) => grant.capabilities.has(capability)),
  );
}

/**
 * The groups and repositories where the caller has every capability, and in everything below them. None in the
 * list is below another. In ascending order of their uids.
 */
export function scopesOf(caller: Caller, capabilities: readonly number[]): string[] {
  const groups = [...new Set(caller.grants.map((grant) => grant.group))].sort();
  const scopes: string[] = [];
  for (const group of groups) {
    const covered = scopes.some((scope) => isAtOrAbove(scope, group));
    if (!covered && holds(caller, capabilities, group)) scopes.push(group);
  }
  return scopes;
}
