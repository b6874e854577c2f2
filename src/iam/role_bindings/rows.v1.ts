/** Role bindings in the form of a List of version 1, with all fields of their group and role. */
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { type Group, GroupSchema } from "../../../schema/gen/platform/iam/groups_pb.js";
import {
  type RoleBindingList_Binding,
  RoleBindingList_BindingSchema,
} from "../../../schema/gen/platform/iam/role_bindings_pb.js";
import type { Role } from "../../../schema/gen/platform/iam/roles_pb.js";
import { groups } from "../../../schema/tables/iam/groups.ts";
import { identities } from "../../../schema/tables/iam/identities.ts";
import { roleBindings } from "../../../schema/tables/iam/role_bindings.ts";
import { roles } from "../../../schema/tables/iam/roles.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import type { Database } from "../../auth/call.ts";
import { defineListing } from "../../paging/listing.ts";
import { toRoleV1 } from "../roles/roles.v1.ts";
import { identityColumns, placeColumns, roleColumns } from "./parts.ts";

/** D1 returns the rows of a batch by column name, so columns of joined tables need different names. */
const columnAs = <Column extends SQLiteColumn>(column: Column, name: string) =>
  sql<Column["_"]["data"] | null>`${column}`.mapWith(column).as(name);

const columns = {
  uid: roleBindings.uid,
  parent: roleBindings.parent,
  identityUid: roleBindings.identityUid,
  roleUid: roleBindings.roleUid,
  createTime: roleBindings.createTime,
  email: identityColumns.identityEmail,
  emailUnverified: columnAs(identities.emailUnverified, "identity_email_unverified"),
  issuer: identityColumns.identityIssuer,
  subject: identityColumns.identitySubject,
  groupName: placeColumns.groupName,
  groupDescription: placeColumns.groupDescription,
  resourceLimits: columnAs(groups.resourceLimits, "group_resource_limits"),
  verified: columnAs(groups.verified, "group_verified"),
  kind: columnAs(groups.kind, "group_kind"),
  status: columnAs(groups.status, "group_status"),
  roleName: roleColumns.roleName,
  roleDescription: roleColumns.roleDescription,
  capabilities: columnAs(roles.capabilities, "role_capabilities"),
};

const select = (db: Database, from = roleBindings) =>
  db
    .select(columns)
    .from(from)
    .leftJoin(
      identities,
      and(eq(identities.uid, roleBindings.identityUid), eq(roleBindings.accepted, true)),
    )
    .leftJoin(groups, eq(groups.uid, roleBindings.parent))
    .leftJoin(repos, eq(repos.uid, roleBindings.parent))
    .leftJoin(roles, eq(roles.uid, roleBindings.roleUid))
    .$dynamic();

type Row = Awaited<ReturnType<typeof select>>[number];

/** The most rows of a List. Each contains all capabilities of its role. */
export const maxRows = 10_000;

/** The listing of version 2, with its one order and more columns. */
export const listingV1 = defineListing({
  table: roleBindings,
  select,
  mayBeLeft: true,
  orders: { uid: "uid" },
});

/** The group of a binding. Version 1 has no other place, so a repository has the form of a group. */
const toGroup = (row: Row): Group =>
  create(GroupSchema, {
    id: row.parent,
    name: row.groupName ?? "",
    description: row.groupDescription ?? "",
    resourceLimits: row.resourceLimits ?? {},
    verified: row.verified ?? false,
    kind: row.kind ?? 0,
    status: row.status ?? 0,
  });

const toRole = (row: Row): Role =>
  toRoleV1({
    uid: row.roleUid,
    name: row.roleName ?? "",
    description: row.roleDescription ?? "",
    capabilities: row.capabilities ?? [],
  });

/** One value for each key, created from the first row with that key. */
function oneByKey<T>(rows: Row[], key: "parent" | "roleUid", make: (row: Row) => T) {
  const made = new Map<string, T>();
  for (const row of rows) if (!made.has(row[key])) made.set(row[key], make(row));
  return made;
}

/**
 * The rows as items. Each group and role is created once, because all bindings are in memory at the same
 * time.
 */
export function toItems(rows: Row[]): RoleBindingList_Binding[] {
  const [inGroups, ofRoles] = [
    oneByKey(rows, "parent", toGroup),
    oneByKey(rows, "roleUid", toRole),
  ];
  return rows.map((row) =>
    create(RoleBindingList_BindingSchema, {
      id: row.uid,
      group: inGroups.get(row.parent),
      role: ofRoles.get(row.roleUid),
      identity: row.identityUid,
      email: row.email ?? "",
      claimMatchIssuer: row.issuer ?? "",
      claimMatchSubject: row.subject ?? "",
      createdAt: timestampFromMs(row.createTime),
      emailUnverified: row.emailUnverified ?? "",
    }),
  );
}
