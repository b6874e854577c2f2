/** Reads what decides about the access of an identity, and what comes near to it. */
import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { BatchResponse } from "drizzle-orm/batch";
import { externalGroupRoleMappings as mappings } from "../../../schema/tables/iam/external_group_role_mappings.ts";
import { groups } from "../../../schema/tables/iam/groups.ts";
import { identities } from "../../../schema/tables/iam/identities.ts";
import { roleBindings } from "../../../schema/tables/iam/role_bindings.ts";
import { roles } from "../../../schema/tables/iam/roles.ts";
import { scimUsers } from "../../../schema/tables/iam/scim_users.ts";
import { isPresent } from "../../../schema/tables/platform/deletions.ts";
import { valuesSubselect } from "../../aip/any_of.ts";
import { rootOf } from "../../aip/uid_path.ts";
import { isNotBlocked } from "../../auth/blocked_groups.ts";
import type { Credential, Database } from "../../auth/call.ts";
import { isBearer, peopleOfChain, possiblePlaces, selectGrants } from "../../auth/grant_rows.ts";
import { externalGroupsOf, scimGroupOfLogin } from "../../auth/scim_groups.ts";
import { selectCandidates } from "../../auth/subject.ts";
import { isMember } from "../role_bindings/people.ts";

/** The question whether a caller has capabilities on a resource. */
export interface Question {
  credential: Credential;
  capabilities: readonly number[];
  resource: string;
}

/** The own token of an identity, without limits. */
export const tokenOf = (uid: string): Credential => ({ bearer: { uid }, chain: [], act: {} });

/** The most role bindings outside the path, and the most roles, that are read for an explanation. */
const maxOthers = 200;

/** The identities of the bearer in the organization, for `in`. */
const bearerUids = ({ bearer }: Credential, resource: string): SQL =>
  "uid" in bearer
    ? valuesSubselect([bearer.uid])
    : sql`(${selectCandidates(bearer, JSON.stringify([rootOf(resource)]))})`;

/** Whether the role bindings of the people behind the token count, as a column. */
const isOpenTo = (people: SQL | undefined) =>
  (people ? sql<number>`(${isNotBlocked(people)})` : sql<number>`1`).as("is_open");

const bindingColumns = (people: SQL | undefined) => ({
  uid: roleBindings.uid,
  identity: roleBindings.identityUid,
  identityName: sql<string | null>`${identities.name}`.as("identity_name"),
  group: sql<string>`${roleBindings.parent}`.as("group_uid"),
  accepted: roleBindings.accepted,
  role: roleBindings.roleUid,
  roleName: sql<string | null>`${roles.name}`.as("role_name"),
  capabilities: roles.capabilities,
  isOpen: isOpenTo(people),
});

/** Role bindings with the names of their identity and role. */
const selectBindings = (db: Database, people: SQL | undefined) =>
  db
    .select(bindingColumns(people))
    .from(roleBindings)
    .leftJoin(identities, eq(identities.uid, roleBindings.identityUid))
    .leftJoin(roles, eq(roles.uid, roleBindings.roleUid));

/** A role binding that can decide about access. */
export type BindingRow = Awaited<ReturnType<typeof selectBindings>>[number];

/** The SCIM group of the login that a role mapping means, as a JSON list of its uid and its name. Null for none. */
function scimGroupOf({ bearer, login }: Credential) {
  if (!login || !("uid" in bearer)) return sql<null>`null`;
  return scimGroupOfLogin(bearer.uid, login.identityProvider, sql`${mappings.externalGroupId}`);
}

/** Role mappings with the name of their role. */
const selectMappings = (db: Database, credential: Credential) =>
  db
    .select({
      uid: mappings.uid,
      externalGroup: mappings.externalGroupId,
      scimGroup: sql<string | null>`${scimGroupOf(credential)}`.as("scim_group"),
      group: sql<string>`${mappings.scope}`.as("group_uid"),
      role: mappings.roleUid,
      roleName: sql<string | null>`${roles.name}`.as("role_name"),
      capabilities: roles.capabilities,
    })
    .from(mappings)
    .leftJoin(roles, eq(roles.uid, mappings.roleUid));

/** A role mapping that can decide about access. */
export type MappingRow = Awaited<ReturnType<typeof selectMappings>>[number];

/** Whether the path of the resource is open to the people behind the token, as a subquery. */
function isPathOpen(credential: Credential, resource: string, people: SQL | undefined): SQL {
  if (!people) return sql`1`;
  const path = possiblePlaces(resource).toReversed();
  const columns = [0, 1, 2, 3, 4].map(
    (depth) => sql`${path[depth] ?? null} as ${sql.identifier(`ancestor${depth}`)}`,
  );
  return sql`coalesce((select min(${isNotBlocked(people)}) from "identities"
    cross join (select ${sql.join(columns, sql`, `)}) as "role_bindings"
    where ${isBearer(credential, { everywhere: resource })}), 1)`;
}

/** The most identity providers that are asked about one person. */
const maxProvisioners = 3;

/** The identity providers of the resource's organization that provision the identity. */
function selectProvisioners(db: Database, { credential: { bearer }, resource }: Question) {
  const [organization, identity] = [rootOf(resource), "uid" in bearer ? bearer.uid : ""];
  return db
    .select({ uid: sql<string>`${scimUsers.parent}`.as("provider") })
    .from(scimUsers)
    .where(
      and(
        eq(scimUsers.identityUid, identity),
        sql`${scimUsers.parent} > ${`${organization}/`} and ${scimUsers.parent} < ${`${organization}0`}`,
        eq(scimUsers.active, true),
        isPresent(scimUsers.parent),
      ),
    )
    .orderBy(scimUsers.parent)
    .limit(maxProvisioners);
}

/** The statements, for one batch. The first one is that of every call. */
export function selectEvidence(db: Database, question: Question) {
  const { credential, resource } = question;
  const people = peopleOfChain(credential);
  const uids = bearerUids(credential, resource);
  const path = possiblePlaces(resource);
  const [organization, login] = [rootOf(resource), credential.login];
  const isHeld = sql`${roleBindings.identityUid} in ${uids} and ${isPresent(roleBindings.parent)}`;
  const isOnPath = sql`${roleBindings.parent} in ${valuesSubselect(path)}`;
  return [
    selectGrants(db, credential, resource),
    selectBindings(db, people).where(and(isHeld, isOnPath)),
    selectBindings(db, people)
      .where(
        sql`${isHeld} and ${roleBindings.parent} >= ${organization}
          and ${roleBindings.parent} < ${`${organization}0`} and not ${isOnPath}`,
      )
      .limit(maxOthers),
    selectMappings(db, credential).where(
      and(
        eq(mappings.parent, login?.identityProvider ?? ""),
        isPresent(mappings.parent),
        sql`${mappings.externalGroupId} in ${externalGroupsOf(credential) ?? sql`(select '' where false)`}`,
        sql`${mappings.scope} in ${valuesSubselect(path)}`,
      ),
    ),
    db.select({ uid: groups.uid }).from(groups).where(inArray(groups.uid, path)),
    db
      .select({ uid: roles.uid, name: roles.name, capabilities: roles.capabilities })
      .from(roles)
      .where(sql`${roles.parent} in ${valuesSubselect(["", ...path])}`)
      .orderBy(roles.parent)
      .limit(maxOthers),
    db
      .select({
        isMember: isMember(resource, uids).as("is_member"),
        isOpen: sql<number>`${isPathOpen(credential, resource, people)}`.as("is_open"),
      })
      .from(sql`(select 1)`),
    selectProvisioners(db, question),
  ] as const;
}

/** The result of {@link selectEvidence}. */
export type Evidence = BatchResponse<ReturnType<typeof selectEvidence>>;
