/** What a caller may do, read from D1 with every call and kept from none. */
import { NEVER_USED } from "../../schema/tables/iam/identities.ts";
import { unauthenticated } from "../aip/errors.ts";
import { isAtOrAbove, parentOf, rootOf } from "../aip/uid_path.ts";
import type { Credential } from "./call.ts";
import { type GrantRow, type GrantScope, uidOfScope } from "./grant_rows.ts";
import { type Candidate, chooseCandidate } from "./subject.ts";

/** Capabilities held at a group and everything below it. */
export interface Grant {
  group: string;
  /** Uid of the role that gives them. */
  role: string;
  capabilities: ReadonlySet<number>;
}

/** The identity behind a call and its grants, narrowed as its token is. */
export interface Caller {
  identity: string;
  name: string;
  act: Record<string, string>;
  grants: Grant[];
}

/**
 * Reads the rows of {@link selectGrants}. Several organizations may name the same issuer and subject: a call
 * that names a resource is made as all identities that its organization has of them, and without any grant
 * where it has none; a call that names nothing as the one that {@link chooseCandidate} finds. Throws UNAUTHENTICATED
 * when the identity is gone, and when nothing says which of several is meant.
 */
export function toCaller(found: GrantRow[], credential: Credential, scope?: GrantScope): Caller {
  const { act } = credential;
  const [secondCandidate] = found;
  if (!secondCandidate) {
    throw unauthenticated(
      "the token's identity does not exist (any more), or a login or identity that the token was exchanged from was deleted, deactivated or changed",
    );
  }
  const rows = rowsOfCaller(found, credential, scope);
  const candidates = candidatesOf(rows);
  const one = chooseCandidate(candidates) ?? firstOf(candidates);
  const { uid: identity, name } = one ?? {
    uid: secondCandidate.identity,
    name: secondCandidate.name,
  };
  const grants = rows.flatMap((row) => grantsOf(row, credential));
  return { identity, name, act, grants };
}

/** The identities of the rows, once each. */
const candidatesOf = (rows: GrantRow[]) =>
  [...Map.groupBy(rows, ({ identity }) => identity)].map(([uid, some]) => ({
    uid,
    name: some[0]?.name ?? "",
    firstUsedTime: some[0]?.firstUsedTime ?? NEVER_USED,
    isBound: some.some(({ group }) => group !== null),
  }));

/** Of several in one organization one that holds a role: the call has the grants of all of them. */
const firstOf = <One extends Candidate>(candidates: One[]): One | undefined =>
  candidates.toSorted(
    (a, b) => Number(b.isBound) - Number(a.isBound) || (a.uid < b.uid ? -1 : 1),
  )[0];

function rowsOfCaller(found: GrantRow[], { bearer }: Credential, scope: GrantScope): GrantRow[] {
  if ("uid" in bearer) return found;
  if (scope !== undefined) return found.filter(isUserOrOfOrganization(uidOfScope(scope)));
  const one = chooseCandidate(candidatesOf(found));
  if (!one) throw unauthenticated("several identities match the token: exchange it and name one");
  return found.filter(({ identity }) => identity === one.uid);
}

/** What a row grants, as far as the identity and the token reach. */
function grantsOf(
  { identity, group, role, capabilities }: GrantRow,
  credential: Credential,
): Grant[] {
  if (group === null || role === null || capabilities === null) return [];
  const held = credential.capabilities
    ? capabilities.filter((one) => credential.capabilities?.includes(one))
    : capabilities;
  const at = lowerUid(group, parentOf(identity));
  if (at === undefined) return [];
  const reached = credential.scopes?.flatMap((scope) => lowerUid(at, scope) ?? []) ?? [at];
  return reached.map((one) => ({ group: one, role, capabilities: new Set(held) }));
}

/** Whether an identity is a user or one of the organization of the uid. */
const isUserOrOfOrganization = (uid: string) => (row: GrantRow) =>
  parentOf(row.identity) === "" || rootOf(row.identity) === rootOf(uid);

/** Whether the uid lies within the groups that the token was narrowed to, if it was to any. */
export const isWithin = ({ scopes }: Credential, uid: string) =>
  scopes?.some((scope) => isAtOrAbove(scope, uid)) ?? true;

/**
 * As {@link isWithin}, but a login that was narrowed no further than all logins are counts as not
 * narrowed: for what gives nothing to whoever runs the identity provider.
 */
export const isWithinUnlessWholeLogin = (credential: Credential, uid: string): boolean =>
  isUnnarrowedLogin(credential) || isWithin(credential, uid);

/** Whether the token is of a login and reaches all that the login does. */
export const isUnnarrowedLogin = ({ scopes = [], login }: Credential): boolean =>
  login !== undefined && scopes.length === 1 && scopes[0] === parentOf(login.identityProvider);

/** The lower of two uids on one path; undefined when neither is above the other. */
function lowerUid(one: string, other: string): string | undefined {
  if (other === "" || isAtOrAbove(other, one)) return one;
  return isAtOrAbove(one, other) ? other : undefined;
}

/** Whether the caller holds every capability at the uid, each by whatever grant. */
export function holds(caller: Caller, capabilities: readonly number[], uid: string): boolean {
  const here = caller.grants.filter((grant) => isAtOrAbove(grant.group, uid));
  return capabilities.every((one) => here.some((grant) => grant.capabilities.has(one)));
}

/**
 * The groups at and below which the caller holds every capability, none of them below another.
 * Ascending by uid.
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
