/**
 * Role bindings that wait for a person from outside the organization. They grant nothing and reveal nothing
 * about the person until the person accepts them. The person accepts a binding by its uid, or by a login
 * through an identity provider of the organization.
 */

import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import {
  type RoleBinding,
  RoleBindingSchema,
} from "../../../schema/gen/platform/iam/v2/role_bindings_pb.js";
import { groups } from "../../../schema/tables/iam/groups.ts";
import type { identities } from "../../../schema/tables/iam/identities.ts";
import { roleBindings } from "../../../schema/tables/iam/role_bindings.ts";
import { roles } from "../../../schema/tables/iam/roles.ts";
import type { RowOf } from "../../../schema/tables/list_indexes.ts";
import { isPresent } from "../../../schema/tables/platform/deletions.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { valuesSubselect } from "../../aip/any_of.ts";
import { wholeMessage } from "../../aip/whole_message.ts";
import type { Database } from "../../auth/call.ts";
import { placeColumns } from "./parts.ts";

const select = (db: Database, which: SQL | undefined) =>
  db
    .select({
      uid: roleBindings.uid,
      group: sql<string>`${roleBindings.parent}`.as("group_uid"),
      identityUid: roleBindings.identityUid,
      roleUid: roleBindings.roleUid,
      accepted: roleBindings.accepted,
      createTime: roleBindings.createTime,
      updateTime: roleBindings.updateTime,
      roleName: sql<string | null>`${roles.name}`.as("role_name"),
      roleDescription: sql<string | null>`${roles.description}`.as("role_description"),
      ...placeColumns,
    })
    .from(roleBindings)
    .leftJoin(groups, eq(groups.uid, roleBindings.parent))
    .leftJoin(repos, eq(repos.uid, roleBindings.parent))
    .leftJoin(roles, eq(roles.uid, roleBindings.roleUid))
    .where(which);

/** The statement that reads the binding of that uid, pending or not. */
export const selectBindingByUid = (db: Database, uid: string) =>
  select(db, and(eq(roleBindings.uid, uid), isPresent(roleBindings.parent)));

/** A binding, and the names of its group or repository, and of its role. */
export type PendingBinding = Awaited<ReturnType<typeof select>>[number];

/** Whether a binding waits for a person at a group or below it. A login there reaches no further. */
const isWaiting = (person: string, group: string) =>
  and(
    eq(roleBindings.identityUid, person),
    eq(roleBindings.accepted, false),
    gte(roleBindings.parent, group),
    lt(roleBindings.parent, `${group}0`),
    isPresent(roleBindings.parent),
  );

/** The statement that reads the bindings that wait for a person at a group and below it, at most 200. */
export const selectPendingBindings = (db: Database, person: string, group: string) =>
  select(db, isWaiting(person, group));

/** Whether no other binding has started to wait for the person since these were read. */
export const areAllPending = (person: string, group: string, read: PendingBinding[]): SQL =>
  sql`not exists (select 1 from ${roleBindings} where ${isWaiting(person, group)}
    and ${roleBindings.uid} not in ${valuesSubselect(read.map(({ uid }) => uid))})`;

/** The statement that accepts a binding if it is as it was read. Its event comes directly after it. */
export const acceptBindingStatement = (
  db: Database,
  { uid, updateTime }: PendingBinding,
  next: number,
) =>
  db
    .update(roleBindings)
    .set({ accepted: true, updateTime: next })
    .where(
      and(
        eq(roleBindings.uid, uid),
        eq(roleBindings.accepted, false),
        eq(roleBindings.updateTime, updateTime),
      ),
    );

/** The part of the identity that a binding shows, and the update time of that row. */
export type BoundIdentity = Pick<
  RowOf<typeof identities>,
  "uid" | "name" | "description" | "email" | "relationship" | "updateTime"
>;

/** A binding of a guest, as a response and an event show it. */
export function toAcceptedBinding(
  row: Omit<PendingBinding, "identityUid" | "accepted" | "isRepo"> & { isRepo?: number },
  { identity }: { identity: Omit<BoundIdentity, "updateTime"> },
): RoleBinding {
  const { uid, name, description, email, relationship } = identity;
  const { subject = "", issuer = "" } = (relationship?.value ?? {}) as Record<string, string>;
  const { groupName, groupDescription, roleName, roleDescription } = row;
  return wholeMessage(RoleBindingSchema, {
    uid: row.uid,
    identityUid: "",
    roleUid: "",
    pending: undefined,
    lastUsedTime: undefined,
    accessChanges: undefined,
    identity: { uid, name, description, email, subject, issuer },
    group: {
      uid: row.group,
      name: groupName ?? "",
      description: groupDescription ?? "",
      repo: row.isRepo === 1 ? true : undefined,
    },
    role: { uid: row.roleUid, name: roleName ?? "", description: roleDescription ?? "" },
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.updateTime),
  });
}
