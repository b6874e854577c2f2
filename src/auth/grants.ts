/** What a caller may do, read from D1 with every call and kept from none. */
import { unauthenticated } from "../aip/errors.ts";
import { isAtOrAbove, parentOf, rootOf } from "../aip/uid_path.ts";
import type { Credential } from "./call.ts";
import { type Row, type Scope, uidOf } from "./grant_rows.ts";

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
 * Reads the rows of {@link selectGrants}. Several organizations may trust the same issuer and
 * subject: a call that names a resource is made as the identity of its organization, and without
 * any grant where that has none. Throws UNAUTHENTICATED when the identity is gone, or when several
 * match and nothing says which is meant.
 */
export function toCaller(found: Row[], credential: Credential, scope?: Scope): Caller {
  const { act } = credential;
  const [stranger] = found;
  if (!stranger) throw unauthenticated("the token's identity does not exist (any more)");
  const rows = "uid" in credential.bearer || !scope ? found : found.filter(isOf(uidOf(scope)));
  const [first] = rows;
  if (!first) return { identity: stranger.identity, name: stranger.name, act, grants: [] };
  if (rows.some((row) => row.identity !== first.identity)) {
    throw unauthenticated("several identities match the token: exchange it and name one");
  }
  const home = parentOf(first.identity);
  const grants = rows.flatMap(({ group, role, capabilities }) => {
    if (group === null || role === null || capabilities === null) return [];
    const held = credential.capabilities
      ? capabilities.filter((one) => credential.capabilities?.includes(one))
      : capabilities;
    const reached = [deeper(group, home)].flatMap((at) =>
      at === undefined
        ? []
        : (credential.scopes?.flatMap((scope) => deeper(at, scope) ?? []) ?? [at]),
    );
    return reached.map((at) => ({ group: at, role, capabilities: new Set(held) }));
  });
  return { identity: first.identity, name: first.name, act, grants };
}

/** Whether an identity is a user or one of the organization of the uid. */
const isOf = (uid: string) => (row: Row) =>
  parentOf(row.identity) === "" || rootOf(row.identity) === rootOf(uid);

/** Whether the uid lies within the groups that the token was narrowed to, if it was to any. */
export const isWithin = ({ scopes }: Credential, uid: string) =>
  scopes?.some((scope) => isAtOrAbove(scope, uid)) ?? true;

/**
 * As {@link isWithin}, but a login that was narrowed no further than all logins are counts as not
 * narrowed: for what gives nothing to whoever runs the identity provider.
 */
export const isWithinAsked = (credential: Credential, uid: string): boolean =>
  isWholeLogin(credential) || isWithin(credential, uid);

/** Whether the token is of a login and reaches all that the login does. */
export const isWholeLogin = ({ scopes = [], login }: Credential): boolean =>
  login !== undefined && scopes.length === 1 && scopes[0] === parentOf(login.identityProvider);

/** The lower of two uids on one path; undefined when neither is above the other. */
function deeper(one: string, other: string): string | undefined {
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
