/** Reads and checks the parts of a role binding: its group or repository, its identity and its role. */

import { eq, type SQL, sql } from "drizzle-orm";
import type { BatchResponse } from "drizzle-orm/batch";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { groups } from "../../../schema/tables/iam/groups.ts";
import { identities } from "../../../schema/tables/iam/identities.ts";
import { roleBindings } from "../../../schema/tables/iam/role_bindings.ts";
import { roles } from "../../../schema/tables/iam/roles.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { invalidArgument } from "../../aip/errors.ts";
import { isAtOrAbove, parentOf } from "../../aip/uid_path.ts";
import { accessDenied } from "../../auth/access_decision.ts";
import type { Database } from "../../auth/call.ts";
import { type Caller, holds } from "../../auth/grants.ts";
import { isMember, selectBindingCounts } from "./people.ts";

/** D1 returns the rows of a batch by column name, so columns of joined tables need different names. */
const columnAs = (column: SQLiteColumn, name: string) => sql<string | null>`${column}`.as(name);

/** A member of the identity's matchers. Null for kinds without it. */
const relationshipMember = (name: "subject" | "issuer") =>
  sql<string | null>`json_extract(${identities.relationship}, ${sql.raw(`'$.value.${name}'`)})`;

export const identityColumns = {
  identityName: columnAs(identities.name, "identity_name"),
  identityDescription: columnAs(identities.description, "identity_description"),
  identityEmail: columnAs(identities.email, "identity_email"),
  identitySubject: relationshipMember("subject").as("identity_subject"),
  identityIssuer: relationshipMember("issuer").as("identity_issuer"),
};

export const roleColumns = {
  roleName: columnAs(roles.name, "role_name"),
  roleDescription: columnAs(roles.description, "role_description"),
};

const ofEither = (group: SQLiteColumn, repo: SQLiteColumn) =>
  sql<string | null>`coalesce(${group}, ${repo})`;

/** The columns of the group or repository of a binding, in a select that joins both tables. */
export const placeColumns = {
  groupName: ofEither(groups.name, repos.name).as("group_name"),
  groupDescription: ofEither(groups.description, repos.description).as("group_description"),
  isRepo: sql<number>`(${repos.uid} is not null)`.as("is_repo"),
};

/** The two uids that a binding connects. */
export interface RequestedBinding {
  identityUid: string;
  roleUid: string;
}

/**
 * Statements that read the parts of bindings: the group or repository, the identities, the roles. With `existing`, also
 * the current parts of that binding.
 */
export const selectBindingParts = (
  db: Database,
  group: string,
  requested: RequestedBinding[],
  existing = "",
) =>
  [
    db
      .select(placeColumns)
      .from(sql`(select ${group} as "uid") as "place"`)
      .leftJoin(groups, eq(groups.uid, sql`"place"."uid"`))
      .leftJoin(repos, eq(repos.uid, sql`"place"."uid"`))
      .where(sql`coalesce(${groups.uid}, ${repos.uid}) is not null`),
    db
      .select({
        uid: identities.uid,
        updateTime: identities.updateTime,
        // Written as SQL, because drizzle leaves out the table name in a select from one table.
        isMember: isMember(group, sql`"identities"."uid"`).as("is_member"),
        ...identityColumns,
      })
      .from(identities)
      .where(
        isOneOf(
          identities.uid,
          requested.map((binding) => binding.identityUid),
          roleBindings.identityUid,
          existing,
        ),
      ),
    db
      .select({ uid: roles.uid, capabilities: roles.capabilities, ...roleColumns })
      .from(roles)
      .where(
        isOneOf(
          roles.uid,
          requested.map((binding) => binding.roleUid),
          roleBindings.roleUid,
          existing,
        ),
      ),
    selectBindingCounts(
      db,
      group,
      requested.map((binding) => binding.identityUid),
    ),
  ] as const;

type Column = typeof roles.uid | typeof identities.uid;
type ReferenceColumn = typeof roleBindings.identityUid | typeof roleBindings.roleUid;

function isOneOf(
  column: Column,
  uids: string[],
  reference: ReferenceColumn,
  existing: string,
): SQL {
  const requestedUids = sql`select value from json_each(${JSON.stringify(uids)})`;
  if (existing === "") return sql`${column} in (${requestedUids})`;
  return sql`${column} in (${requestedUids} union select ${reference} from ${roleBindings} where ${roleBindings.uid} = ${existing})`;
}

/**
 * Returns the role if the caller may bind it at the group. It must be a built-in role, or a role of the group
 * or of a group above it, and the caller needs all its capabilities there. Throws INVALID_ARGUMENT for the
 * field, and PERMISSION_DENIED.
 */
export function requireGrantableRole<
  Role extends { uid: string; roleName: string | null; capabilities: number[] },
>(role: Role | undefined, caller: Caller, group: string, field: string): Role {
  const home = parentOf(role?.uid ?? "");
  if (!role || (home !== "" && !isAtOrAbove(home, group))) {
    throw invalidArgument(
      field,
      "role_uid must be a built-in role, or a role of the group or of a group above it",
    );
  }
  if (!holds(caller, role.capabilities, group)) {
    const text = `the role ${role.roleName} has capabilities that you do not have on the group`;
    throw accessDenied(text, {
      capabilities: role.capabilities,
      resource: group,
    });
  }
  return role;
}

export type BindingParts = BatchResponse<ReturnType<typeof selectBindingParts>>;

/**
 * Builds one binding. Refuses one whose parts do not exist, whose identity cannot reach the group, or whose
 * role the caller does not have. A person can be bound before their first login, so their row can be absent.
 * `fieldPrefix` begins the name of the field in a violation. `before` is the current binding if it keeps its identity.
 * The binding is not accepted if its person has not come into the organization on their own.
 */
export function hydrateBinding(
  parts: BindingParts,
  caller: Caller,
  group: string,
  requested: RequestedBinding,
  fieldPrefix: string,
  before?: { accepted: boolean },
) {
  const { identityUid, roleUid } = requested;
  const [[inGroup], foundIdentities, foundRoles] = parts;
  if (identityUid === "")
    throw invalidArgument(`${fieldPrefix}identity_uid`, "identity_uid is required");
  if (roleUid === "") throw invalidArgument(`${fieldPrefix}role_uid`, "role_uid is required");
  const identity = foundIdentities.find((row) => row.uid === identityUid);
  const home = parentOf(identityUid);
  if (isAtOrAbove(group, home) && home !== group) {
    throw invalidArgument(
      `${fieldPrefix}identity_uid`,
      `identity_uid names an identity of a group below, which has no access outside ${home}; bind it there or below`,
    );
  }
  const reaches = home === "" || isAtOrAbove(home, group);
  if (!reaches || (home !== "" && !identity)) {
    throw invalidArgument(
      `${fieldPrefix}identity_uid`,
      "identity_uid must be a person, or an identity of the group or of a group above it",
    );
  }
  const roleRow = foundRoles.find((row) => row.uid === roleUid);
  const role = requireGrantableRole(roleRow, caller, group, `${fieldPrefix}role_uid`);
  const accepted =
    before?.accepted === true ||
    home !== "" ||
    identityUid === caller.identity ||
    identity?.isMember === 1;
  const shown = accepted ? identity : undefined;
  return {
    parent: group,
    groupName: inGroup?.groupName ?? null,
    groupDescription: inGroup?.groupDescription ?? null,
    isRepo: inGroup?.isRepo ?? 0,
    identityUid,
    identityName: shown?.identityName ?? null,
    identityDescription: shown?.identityDescription ?? null,
    identityEmail: shown?.identityEmail ?? null,
    identitySubject: shown?.identitySubject ?? null,
    identityIssuer: shown?.identityIssuer ?? null,
    accepted,
    roleUid,
    roleName: role.roleName,
    roleDescription: role.roleDescription,
    capabilities: role.capabilities,
  };
}
