/** What a role binding is about: its group, identity and role, read and checked. */

import { eq, type SQL, sql } from "drizzle-orm";
import type { BatchResponse } from "drizzle-orm/batch";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { groups } from "../../../schema/tables/iam/groups.ts";
import { identities } from "../../../schema/tables/iam/identities.ts";
import { roleBindings } from "../../../schema/tables/iam/role_bindings.ts";
import { roles } from "../../../schema/tables/iam/roles.ts";
import { invalidArgument, permissionDenied } from "../../aip/errors.ts";
import { isAtOrAbove, parentOf } from "../../aip/uid_path.ts";
import type { Database } from "../../auth/call.ts";
import { type Caller, holds } from "../../auth/grants.ts";
import { isMember, selectBindingCounts } from "./people.ts";

/** D1 answers a batch by column name, so columns of joined tables need names of their own. */
const columnAs = (column: SQLiteColumn, name: string) => sql<string | null>`${column}`.as(name);

export const identityColumns = {
  identityName: columnAs(identities.name, "identity_name"),
  identityDescription: columnAs(identities.description, "identity_description"),
  identityEmail: columnAs(identities.email, "identity_email"),
  identitySubject: relationshipMember("subject"),
  identityIssuer: relationshipMember("issuer"),
};

export const roleColumns = {
  roleName: columnAs(roles.name, "role_name"),
  roleDescription: columnAs(roles.description, "role_description"),
};

export const groupColumns = {
  groupName: columnAs(groups.name, "group_name"),
  groupDescription: columnAs(groups.description, "group_description"),
};

/** A member of the identity's matchers; kinds that have none such give null. */
function relationshipMember(name: "subject" | "issuer") {
  return sql<
    string | null
  >`json_extract(${identities.relationship}, ${sql.raw(`'$.value.${name}'`)})`.as(
    `identity_${name}`,
  );
}

/** The two uids a binding ties together. */
export interface RequestedBinding {
  identityUid: string;
  roleUid: string;
}

/**
 * Statements that read what the bindings are about: the group, the identities, the roles. With
 * `existing`, also those that binding is about now.
 */
export const selectBindingParts = (
  db: Database,
  group: string,
  requested: RequestedBinding[],
  existing = "",
) =>
  [
    db
      .select({ uid: groups.uid, ...groupColumns })
      .from(groups)
      .where(eq(groups.uid, group)),
    db
      .select({
        uid: identities.uid,
        updateTime: identities.updateTime,
        // Written out, as drizzle leaves out the table in a select of one.
        isMember: isMember(group, sql`"identities"."uid"`).as("is_member"),
        ...identityColumns,
      })
      .from(identities)
      .where(
        isOneOf(
          identities.uid,
          requested.map((one) => one.identityUid),
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
          requested.map((one) => one.roleUid),
          roleBindings.roleUid,
          existing,
        ),
      ),
    selectBindingCounts(
      db,
      group,
      requested.map((one) => one.identityUid),
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
  const given = sql`select value from json_each(${JSON.stringify(uids)})`;
  if (existing === "") return sql`${column} in (${given})`;
  return sql`${column} in (${given} union select ${reference} from ${roleBindings} where ${roleBindings.uid} = ${existing})`;
}

/**
 * The role that was found, if the caller may hand it out at the group: a built-in one or one of the
 * group or above it, all of whose capabilities the caller holds there. Throws INVALID_ARGUMENT naming
 * the field, PERMISSION_DENIED.
 */
export function requireGrantableRole<
  Role extends { uid: string; roleName: string | null; capabilities: number[] },
>(role: Role | undefined, caller: Caller, group: string, field: string): Role {
  const home = parentOf(role?.uid ?? "");
  if (!role || (home !== "" && !isAtOrAbove(home, group))) {
    throw invalidArgument(
      field,
      "role_uid names no built-in role and no role of the group or above it",
    );
  }
  if (!holds(caller, role.capabilities, group)) {
    throw permissionDenied(
      `role ${role.roleName} holds capabilities that you do not hold at the group`,
    );
  }
  return role;
}

export type BindingParts = BatchResponse<ReturnType<typeof selectBindingParts>>;

/**
 * Puts one binding together, and refuses one that names nothing, reaches nothing or grants what
 * the caller does not hold. A user may be bound before the first login, so its row may be absent.
 * `at` stands before the field in a violation; `before` is the binding, where it keeps its identity, which may
 * then be of a group below, as bindings of earlier releases are. It is not accepted where it names a person who has not come into the organization by themselves.
 */
export function hydrateBinding(
  parts: BindingParts,
  caller: Caller,
  group: string,
  requested: RequestedBinding,
  at: string,
  before?: { accepted: boolean },
) {
  const { identityUid, roleUid } = requested;
  const [[inGroup], foundIdentities, foundRoles] = parts;
  if (identityUid === "") throw invalidArgument(`${at}identity_uid`, "identity_uid is required");
  if (roleUid === "") throw invalidArgument(`${at}role_uid`, "role_uid is required");
  const identity = foundIdentities.find((one) => one.uid === identityUid);
  const home = parentOf(identityUid);
  const isKept = before !== undefined;
  if (!isKept && isAtOrAbove(group, home) && home !== group) {
    throw invalidArgument(
      `${at}identity_uid`,
      `identity_uid names an identity of a group below: it reaches nothing outside of ${home}, so bind it there or below`,
    );
  }
  const reaches = home === "" || isAtOrAbove(home, group) || isKept;
  if (!reaches || (home !== "" && !identity)) {
    throw invalidArgument(
      `${at}identity_uid`,
      "identity_uid names no user and no identity in reach of the group",
    );
  }
  const found = foundRoles.find((one) => one.uid === roleUid);
  const role = requireGrantableRole(found, caller, group, `${at}role_uid`);
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
  };
}
