/** What a caller may do, read from D1 with every call and kept from none. */
import { and, eq, gt, inArray, lt, or, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { externalGroupRoleMappings as mappings } from "../../schema/tables/external_group_role_mappings.ts";
import { identities } from "../../schema/tables/identities.ts";
import { identityProviders } from "../../schema/tables/identity_providers.ts";
import { roleBindings } from "../../schema/tables/role_bindings.ts";
import { roles } from "../../schema/tables/roles.ts";
import { scimUsers } from "../../schema/tables/scim_users.ts";
import { signIns } from "../../schema/tables/sign_ins.ts";
import { unauthenticated } from "../aip/errors.ts";
import { ancestry, isAtOrAbove, parentOf, rootOf } from "../aip/uid_path.ts";
import type { Credential, Database } from "./call.ts";

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
 * What a call is about, as far as grants go: a uid, decided by the bindings at it and above; or a
 * List around a uid, for which those below count as well. Undefined: nothing named, all bindings.
 */
export type Scope = string | { around: string } | undefined;

/**
 * The statement that reads the caller and those of its grants that decide about the scope: role
 * bindings and, in a login that told of external groups, the mappings of those groups.
 */
export function selectGrants(db: Database, credential: Credential, scope?: Scope) {
  const binding = and(
    eq(roleBindings.identityUid, identities.uid),
    decides(roleBindings.parent, scope),
    credential.login ? undefined : isLetIn(credential),
  );
  const bound = db
    .select({
      identity: identities.uid,
      name: identities.name,
      group: roleBindings.parent,
      role: roleBindings.roleUid,
      capabilities: roles.capabilities,
    })
    .from(identities)
    .leftJoin(roleBindings, binding)
    .leftJoin(roles, eq(roles.uid, roleBindings.roleUid))
    .where(isBearer(credential));
  if (!credential.login || credential.login.groups.length === 0) return bound;
  const { identityProvider, groups } = credential.login;
  const told = sql`(select value from json_each(${JSON.stringify(groups)}))`;
  return bound.unionAll(
    db
      .select({
        identity: identities.uid,
        name: identities.name,
        group: sql<string | null>`${mappings.scope}`.as("group"),
        role: sql<string | null>`${mappings.roleUid}`.as("role"),
        capabilities: roles.capabilities,
      })
      .from(identities)
      .innerJoin(
        mappings,
        and(
          eq(mappings.parent, identityProvider),
          inArray(mappings.externalGroupId, told),
          decides(mappings.scope, scope),
        ),
      )
      // Left, for the columns' types to be those of the select above.
      .leftJoin(roles, eq(roles.uid, mappings.roleUid))
      .where(isBearer(credential)),
  );
}

/**
 * Where an identity provider provisions its users, whoever came in through it needs to be one of them:
 * a person who can also come in by a token of their own does not get past a deactivation with it. The
 * groups shut to them do not depend on the binding, so SQLite reads them once, and for such people only.
 */
function isLetIn(credential: Credential): SQL {
  const { bearer } = credential;
  const person =
    "uid" in bearer
      ? sql`(${bearer.uid})`
      : sql`(select ${identities.uid} from ${identities} where ${isBearer(credential)} and +${identities.parent} = '')`;
  const shut = sql`(select ${identityProviders.parent}
    from ${signIns} cross join ${identityProviders}
      on ${identityProviders.uid} = ${signIns.identityProviderUid} and ${identityProviders.scimEnabled} = 1
    where ${signIns.identityUid} in ${person}
      and not exists (select 1 from ${scimUsers} where ${scimUsers.parent} = ${identityProviders.uid}
        and ${scimUsers.identityUid} = ${signIns.identityUid} and ${scimUsers.active} = 1))`;
  const above = sql`json_array(${roleBindings.ancestor0}, ${roleBindings.ancestor1},
    ${roleBindings.ancestor2}, ${roleBindings.ancestor3}, ${roleBindings.ancestor4})`;
  // Asked for any first, so that nobody else pays for taking their bindings' groups apart.
  return sql`not (${identities.parent} = '' and ${identities.issuer} is not null and exists ${shut}
    and exists (select 1 from json_each(${above}) where value in ${shut}))`;
}

const uidOf = (scope: string | { around: string }) =>
  typeof scope === "string" ? scope : scope.around;

/** The condition on the column with a grant's group that leaves those which decide about the scope. */
function decides(group: SQLiteColumn, scope: Scope): SQL | undefined {
  if (scope === undefined) return undefined;
  const uid = uidOf(scope);
  const above = inArray(group, ancestry(uid));
  if (typeof scope === "string") return above;
  return or(above, and(gt(group, `${uid}/`), lt(group, `${uid}0`)));
}

/** The condition on `identities` that finds the bearer. It may find one in each organization. */
export function isBearer({ bearer }: Credential): SQL | undefined {
  if ("uid" in bearer) return eq(identities.uid, bearer.uid);
  return and(eq(identities.issuer, bearer.issuer), eq(identities.subject, bearer.subject));
}

type Row = Awaited<ReturnType<typeof selectGrants>>[number];

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
