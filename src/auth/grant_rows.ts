/** The statement that reads who calls and what they may do. */
import { and, eq, gt, inArray, lt, or, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { GROUP_LEVELS } from "../../schema/tables/columns.ts";
import { externalGroupRoleMappings as mappings } from "../../schema/tables/external_group_role_mappings.ts";
import { identities } from "../../schema/tables/identities.ts";
import { roleBindings } from "../../schema/tables/role_bindings.ts";
import { roles } from "../../schema/tables/roles.ts";
import { writeGuards } from "../../schema/tables/write_guards.ts";
import { type BatchStatement, Prepared } from "../aip/prepared.ts";
import { ancestry, rootOf } from "../aip/uid_path.ts";
import type { Credential, Database } from "./call.ts";
import { isLetIn } from "./shut_groups.ts";
import { selectAnyCandidate, selectCandidates } from "./subject.ts";
import { isUnbroken, peopleOf } from "./token_chain.ts";

/**
 * What a call is about, as far as grants go: a uid, decided by the bindings at it and above; a List around a
 * uid, for which those below count as well; or everything, as the identity of the uid's organization.
 * Undefined: nothing named, all bindings.
 */
export type GrantScope = string | { around: string } | { everywhere: string } | undefined;

/** What the text of the statement depends on. Everything else are its parameters. */
interface Shape {
  isOurs: boolean;
  /** Whether an organization is named. */
  isNamed: boolean;
  /** Number of groups that {@link groupsOver} the scope; 0 without a scope. */
  steps: number;
  /** Those below the scope count as well. */
  isAround: boolean;
  /** Whether the token is of a login, and of one that names external groups. */
  login: "none" | "plain" | "mapped";
  /** Whether the token has a chain to check. */
  isChained: boolean;
  /** Whether a person may be behind it who came in without a login: the bearer, or another. */
  person: "none" | "bearer" | "other";
}

/** The uid that a scope names. */
export function uidOf(scope: NonNullable<GrantScope>): string {
  if (typeof scope === "string") return scope;
  return "around" in scope ? scope.around : scope.everywhere;
}

/**
 * The uids on the path of a uid that may be groups, nearest first: grants are at groups only. A caller may
 * name a uid of any depth, and must not get a shape of its own with it.
 */
const groupsOver = (uid: string) => ancestry(uid).slice(-(1 + GROUP_LEVELS));

function shapeOf(credential: Credential, path: string[], scope: GrantScope): Shape {
  const { bearer, login, chain } = credential;
  return {
    isOurs: "uid" in bearer,
    isNamed: scope !== undefined,
    steps: path.length,
    isAround: typeof scope === "object" && "around" in scope,
    login: !login ? "none" : login.groups.length === 0 ? "plain" : "mapped",
    isChained: chain.length > 0,
    person: personBehind(credential),
  };
}

function personBehind(credential: Credential): Shape["person"] {
  const { bearer } = credential;
  if (!("uid" in bearer)) return "bearer";
  const people = peopleBehind(credential);
  if (people.length === 0) return "none";
  return people.every((uid) => uid === bearer.uid) ? "bearer" : "other";
}

/** The people without a login who may be behind a token of ours. */
function peopleBehind({ bearer, login, chain }: Credential): string[] {
  if (!("uid" in bearer)) return [];
  const isSelf = !login && !bearer.uid.includes("/");
  return [...new Set([...peopleOf(chain), ...(isSelf ? [bearer.uid] : [])])];
}

const prepared = new Prepared<Row>();

/**
 * The statement, for a batch, that reads the caller and those of its grants that decide about the scope:
 * role bindings and, in a login that told of external groups, the mappings of those groups.
 */
export function selectGrants(
  db: Database,
  credential: Credential,
  scope?: GrantScope,
): BatchStatement<Row> {
  const { shape, values } = statementOf(credential, scope);
  const text = Object.values(shape).join(" ");
  return prepared.with(db, text, (desk) => grantsOf(desk, shape), values);
}

/** The shape of the statement, and what its placeholders stand for. */
function statementOf(credential: Credential, scope: GrantScope) {
  const uid = scope === undefined ? "" : uidOf(scope);
  const isEverywhere = typeof scope === "object" && "everywhere" in scope;
  const path = scope === undefined || isEverywhere ? [] : groupsOver(uid);
  const values = {
    ...credential.bearer,
    ...Object.fromEntries(path.map((one, at) => [`above${at}`, one])),
    organizations: JSON.stringify([rootOf(uid)]),
    from: `${uid}/`,
    to: `${uid}0`,
    identityProvider: credential.login?.identityProvider,
    groups: JSON.stringify(credential.login?.groups ?? []),
    chain: JSON.stringify(credential.chain),
    people: JSON.stringify(peopleBehind(credential)),
  };
  return { shape: shapeOf(credential, path, scope), values };
}

/**
 * The statement that undoes its batch unless the caller still has all the grants that
 * {@link selectGrants} found. So nobody writes with access that was taken away while the call ran.
 */
export function guardGrants(
  db: Database,
  credential: Credential,
  scope: GrantScope,
  found: Row[],
): BatchStatement<never> {
  const { shape, values } = statementOf(credential, scope);
  const granted = JSON.stringify(
    found.flatMap(({ identity, group, role, capabilities }) =>
      capabilities ? [[identity, group, role, JSON.stringify(capabilities)]] : [],
    ),
  );
  const isLost = (desk: Database) =>
    sql`exists (select 1 from json_each(${sql.placeholder("granted")})
      where ("value" ->> 0, "value" ->> 1, "value" ->> 2, json("value" ->> 3)) not in (
        select "now"."uid", "now"."parent", "now"."role_uid", json("now"."capabilities")
        from (${grantsOf(desk, shape)}) as "now" where "now"."capabilities" is not null))`;
  return guards.with(
    db,
    Object.values(shape).join(" "),
    (desk) => desk.insert(writeGuards).select(sql`select 'grants' where ${isLost(desk)}`),
    { ...values, granted },
  );
}

const guards = new Prepared<never>();

/** The select of a shape, with placeholders named as in {@link statementOf}. */
function grantsOf(db: Database, shape: Shape) {
  const isOfBearer = and(
    shape.isOurs ? eq(identities.uid, sql.placeholder("uid")) : isCandidate(shape),
    shape.isChained ? isUnbroken(sql.placeholder("chain")) : undefined,
  );
  const binding = and(
    eq(roleBindings.identityUid, identities.uid),
    eq(roleBindings.accepted, true),
    decides(roleBindings.parent, shape),
    shape.person === "none" ? undefined : isLetIn(peopleOfShape(shape)),
  );
  const bound = db
    .select({
      identity: identities.uid,
      name: identities.name,
      firstUsedTime: identities.firstUsedTime,
      group: roleBindings.parent,
      role: roleBindings.roleUid,
      capabilities: roles.capabilities,
    })
    .from(identities)
    .leftJoin(roleBindings, binding)
    .leftJoin(roles, eq(roles.uid, roleBindings.roleUid))
    .where(isOfBearer);
  if (shape.login !== "mapped") return bound;
  const told = sql`(select value from json_each(${sql.placeholder("groups")}))`;
  return bound.unionAll(
    db
      .select({
        identity: identities.uid,
        name: identities.name,
        firstUsedTime: identities.firstUsedTime,
        group: sql<string | null>`${mappings.scope}`.as("group"),
        role: sql<string | null>`${mappings.roleUid}`.as("role"),
        capabilities: roles.capabilities,
      })
      .from(identities)
      .innerJoin(
        mappings,
        and(
          eq(mappings.parent, sql.placeholder("identityProvider")),
          inArray(mappings.externalGroupId, told),
          decides(mappings.scope, shape),
        ),
      )
      // Left, for the columns' types to be those of the select above.
      .leftJoin(roles, eq(roles.uid, mappings.roleUid))
      .where(isOfBearer),
  );
}

/** The people behind a token who came in without a login: the bearer, or those of the chain. */
function peopleOfShape({ isOurs, person }: Shape): SQL {
  if (isOurs && person === "bearer") return sql`(${sql.placeholder("uid")})`;
  if (isOurs) return sql`(select value from json_each(${sql.placeholder("people")}))`;
  return sql`(select ${sql.placeholder("person")} union all select "person"."uid" from ${identities} as "person"
    where "person"."issuer" = ${sql.placeholder("issuer")} and "person"."subject" = ${sql.placeholder("subject")}
      and "person"."parent" = '')`;
}

/** The condition on the column with a grant's group that leaves those which decide about the scope. */
function decides(group: SQLiteColumn, { steps, isAround }: Shape): SQL | undefined {
  if (steps === 0) return undefined;
  const path = Array.from({ length: steps }, (_, at) => sql.placeholder(`above${at}`));
  const above = inArray(group, path);
  if (!isAround) return above;
  return or(above, and(gt(group, sql.placeholder("from")), lt(group, sql.placeholder("to"))));
}

/**
 * Whether an identity is one that the token's issuer and subject may be. Where an organization is named that
 * has none, another one stands for the caller, whose grants are not there.
 */
function isCandidate({ isNamed }: Shape): SQL {
  const named = { issuer: sql.placeholder("issuer"), subject: sql.placeholder("subject") };
  if (!isNamed) return sql`${identities.uid} in (${selectCandidates(named, undefined)})`;
  const here = selectCandidates(named, sql.placeholder("organizations"));
  return sql`${identities.uid} in (${here} union all select "uid" from (${selectAnyCandidate(named)}))`;
}

/** The condition on `identities` that finds the bearer, as the grants of the same scope do. */
export function isBearer({ bearer }: Credential, scope?: { everywhere: string }): SQL {
  if ("uid" in bearer) return eq(identities.uid, bearer.uid);
  const organizations = scope && JSON.stringify([rootOf(scope.everywhere)]);
  return sql`${identities.uid} in (${selectCandidates(bearer, organizations)})`;
}

/** One grant of an identity, or none: the last three are null then. */
export interface Row {
  identity: string;
  name: string;
  firstUsedTime: number;
  group: string | null;
  role: string | null;
  capabilities: number[] | null;
}
