/** The statement that reads the caller and what the caller may do. */
import { eq, type SQL, sql } from "drizzle-orm";
import { GROUP_LEVELS } from "../../schema/tables/columns.ts";
import { identities } from "../../schema/tables/iam/identities.ts";
import { isPresent } from "../../schema/tables/platform/deletions.ts";
import { STALE_WRITE, writeGuards } from "../../schema/tables/write_guards.ts";
import { valuesSubselect } from "../aip/any_of.ts";
import { type Given, preparedSelect } from "../aip/prepared_select.ts";
import { ancestry, rootOf } from "../aip/uid_path.ts";
import { isNotBlocked } from "./blocked_groups.ts";
import type { Credential, Database, ForeignBearer } from "./call.ts";
import { externalGroupsOf } from "./scim_groups.ts";
import { selectAnyCandidate, selectCandidates } from "./subject.ts";
import { isChainValid, isChainValidIn, peopleOf } from "./token_chain.ts";

/**
 * The part of the tree that a call is about, which decides what grants to read. For a uid, these are the
 * bindings at it and above it. For a List around a uid, the bindings below it count as well. For everything,
 * the caller is the identity of the uid's organization. Undefined means that the call names nothing, and
 * reads all bindings.
 */
export type GrantScope = string | { around: string } | { everywhere: string } | undefined;

/** The uid that a scope names. */
export function uidOfScope(scope: NonNullable<GrantScope>): string {
  if (typeof scope === "string") return scope;
  return "around" in scope ? scope.around : scope.everywhere;
}

/**
 * The uids on the path of a uid that can be groups or a repository, nearest first. Nothing else has grants. A caller can
 * send a uid of any depth, and that must not change the shape of the statement.
 */
export const possiblePlaces = (uid: string) => ancestry(uid).slice(-(2 + GROUP_LEVELS));

/** The columns of the statement, and the type of each value. A null stays null. */
const columns = {
  identity: sql`"identity"`.mapWith(readText),
  name: sql`"name"`.mapWith(readText),
  firstUsedTime: sql`"first_used_time"`.mapWith(readNumber),
  group: sql`"group"`.mapWith((value): string | null => readText(value)),
  role: sql`"role"`.mapWith((value): string | null => readText(value)),
  capabilities: sql`"capabilities"`.mapWith((value): number[] | null => readNumbers(value)),
  /** The last recorded use of the identity, and of the role binding. 0 for none. */
  lastUsedTime: sql`"last_used_time"`.mapWith(readNumber),
  /** The uid of the role binding. Null for a grant of a role mapping. */
  binding: sql`"binding"`.mapWith((value): string | null => readText(value)),
  bindingUsedTime: sql`"binding_used_time"`.mapWith((value): number | null => readNumber(value)),
};

function readText(value: unknown): string {
  if (typeof value !== "string")
    throw new TypeError(`a grant has ${typeof value} where a string should be`);
  return value;
}

function readNumber(value: unknown): number {
  if (typeof value !== "number")
    throw new TypeError(`a grant has ${typeof value} where a number should be`);
  return value;
}

function readNumbers(value: unknown): number[] {
  const list: unknown = JSON.parse(readText(value));
  if (!Array.isArray(list)) throw new TypeError("the capabilities of a grant must be a list");
  return list.map(readNumber);
}

/**
 * The statement, for a batch, that reads the caller and the grants that decide about the scope. They are role
 * bindings and, in a login, the role mappings of its external groups. These are the
 * groups in the claims of the token, and the SCIM groups of the person.
 */
export function selectGrants(db: Database, credential: Credential, scope?: GrantScope) {
  const { bearer, login, chain, linksHere = chain } = credential;
  // All programs that pull: no person or external group is behind them, and they ask for all bindings.
  const isProgram = "uid" in bearer && !login && !peopleOfChain(credential);
  if (!isProgram || scope !== undefined) return buildGrants(db, credential, scope);
  const values = { uid: bearer.uid, chain: JSON.stringify(linksHere) };
  return grantsOfProgram(db, { hasChain: linksHere.length > 0 }, values);
}

/** The same as {@link selectGrants}, for a further condition. */
export const buildGrants = (db: Database, credential: Credential, scope?: GrantScope) =>
  db.select(columns).from(sql`(${selectGrantsOfShape(credential, scope)})`);

const grantsOfProgram = preparedSelect(
  (db: Database, { hasChain }: { hasChain: boolean }, { uid, chain }: Given<"uid" | "chain">) => {
    const isBearerSql = sql`"identities"."uid" = ${uid}`;
    const isOfBearer = hasChain ? sql`${isBearerSql} and ${isChainValidIn(chain)}` : isBearerSql;
    return db.select(columns).from(sql`(${boundGrants(isOfBearer, undefined, undefined)})`);
  },
);

/**
 * The statement that undoes its batch unless the caller still has all the grants that {@link selectGrants}
 * found. No call can therefore write with access that was removed while it ran.
 */
export function guardGrants(
  db: Database,
  credential: Credential,
  scope: GrantScope,
  grantRows: GrantRow[],
) {
  const granted = JSON.stringify(
    grantRows.flatMap(({ identity, group, role, capabilities }) =>
      capabilities ? [[identity, group, role, JSON.stringify(capabilities)]] : [],
    ),
  );
  return db.insert(writeGuards).select(sql`select ${STALE_WRITE} where exists (
    select 1 from json_each(${granted})
    where ("value" ->> 0, "value" ->> 1, "value" ->> 2, json("value" ->> 3)) not in (
      select "now"."identity", "now"."group", "now"."role", json("now"."capabilities")
      from (${selectGrantsOfShape(credential, scope)}) as "now" where "now"."capabilities" is not null))`);
}

/**
 * The select itself, in plain SQL. It runs with every call, and generating it from the tables' columns takes
 * ten times as long.
 */
function selectGrantsOfShape(credential: Credential, scope: GrantScope): SQL {
  const { bearer, login, chain, linksHere = chain } = credential;
  const isOfBearer = sql`${
    "uid" in bearer ? sql`"identities"."uid" = ${bearer.uid}` : isCandidate(bearer, scope)
  }${linksHere.length > 0 ? sql` and ${isChainValid(linksHere)}` : undefined}`;
  const bound = boundGrants(isOfBearer, scope, peopleOfChain(credential));
  const externalGroups = externalGroupsOf(credential);
  if (!login || !externalGroups) return bound;
  return sql`${bound} union all
    select "identities"."uid", "identities"."name", "identities"."first_used_time",
      "external_group_role_mappings"."scope", "external_group_role_mappings"."role_uid", "roles"."capabilities",
      "identities"."last_used_time", null, null
    from "identities"
    join "external_group_role_mappings"
      on "external_group_role_mappings"."parent" = ${login.identityProvider}
      and "external_group_role_mappings"."external_group_id"
        in ${externalGroups}${decidesAboutScope(sql`"external_group_role_mappings"."scope"`, scope)}
    left join "roles" on "roles"."uid" = "external_group_role_mappings"."role_uid"
    where ${isOfBearer}`;
}

/** The role bindings of an identity. `people` are those behind it. */
function boundGrants(isOfBearer: SQL, scope: GrantScope, people: SQL | undefined): SQL {
  return sql`select "identities"."uid" as "identity", "identities"."name" as "name",
      "identities"."first_used_time" as "first_used_time", "role_bindings"."parent" as "group",
      "role_bindings"."role_uid" as "role", "roles"."capabilities" as "capabilities",
      "identities"."last_used_time" as "last_used_time", "role_bindings"."uid" as "binding",
      "role_bindings"."last_used_time" as "binding_used_time"
    from "identities"
    left join "role_bindings" on "role_bindings"."identity_uid" = "identities"."uid"
      and "role_bindings"."accepted" = 1 and ${isPresent(sql`"role_bindings"."parent"`)}${decidesAboutScope(
        sql`"role_bindings"."parent"`,
        scope,
      )}${people && sql` and ${isNotBlocked(people)}`}
    left join "roles" on "roles"."uid" = "role_bindings"."role_uid"
    where ${isOfBearer}`;
}

/**
 * The people behind a token who came in without a login, as a subquery of uids: the bearer, or people in the
 * chain. Undefined if there cannot be any.
 */
export function peopleOfChain({ bearer, login, chain }: Credential): SQL | undefined {
  if (!("uid" in bearer)) {
    return sql`(select ${bearer.person} union all select "person"."uid" from "identities" as "person"
      where "person"."issuer" = ${bearer.issuer} and "person"."subject" = ${bearer.subject}
        and "person"."parent" = '')`;
  }
  const isSelf = !login && !bearer.uid.includes("/");
  const people = [...new Set([...peopleOf(chain), ...(isSelf ? [bearer.uid] : [])])];
  if (people.length === 0) return undefined;
  if (people.every((uid) => uid === bearer.uid)) return sql`(${bearer.uid})`;
  return valuesSubselect(people);
}

/**
 * A further condition on the column with a grant's place: a group or a repository. It selects those that decide about the
 * scope.
 */
function decidesAboutScope(group: SQL, scope: GrantScope): SQL | undefined {
  if (scope === undefined || (typeof scope === "object" && "everywhere" in scope)) return undefined;
  const uid = uidOfScope(scope);
  const above = sql`${group} in ${possiblePlaces(uid)}`;
  if (typeof scope === "string") return sql` and ${above}`;
  return sql` and (${above} or (${group} > ${`${uid}/`} and ${group} < ${`${uid}0`}))`;
}

/**
 * Whether an identity is one that the token's issuer and subject can act as. If the call names an
 * organization that has no such identity, another one represents the caller, without its grants there.
 */
function isCandidate(bearer: ForeignBearer, scope: GrantScope): SQL {
  if (scope === undefined)
    return sql`"identities"."uid" in (${selectCandidates(bearer, undefined)})`;
  const here = selectCandidates(bearer, JSON.stringify([rootOf(uidOfScope(scope))]));
  return sql`"identities"."uid" in (${here} union all select "uid" from (${selectAnyCandidate(bearer)}))`;
}

/** The condition on `identities` that finds the bearer, in the same way as the grants of this scope. */
export function isBearer({ bearer }: Credential, scope?: { everywhere: string }): SQL {
  if ("uid" in bearer) return eq(identities.uid, bearer.uid);
  const organizations = scope && JSON.stringify([rootOf(scope.everywhere)]);
  return sql`${identities.uid} in (${selectCandidates(bearer, organizations)})`;
}

/** One grant of an identity, or none: everything about the grant is then null. */
export type GrantRow = Awaited<ReturnType<typeof buildGrants>>[number];
