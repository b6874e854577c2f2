import { create } from "@bufbuild/protobuf";
import { type Duration, durationMs, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { eq, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import {
  type GroupInvite,
  GroupInviteRoleSchema,
  GroupInviteSchema,
  GroupInvitesService,
} from "../../../schema/gen/platform/iam/v2/group_invites_pb.js";
import { groupInvites } from "../../../schema/tables/iam/group_invites.ts";
import { roles } from "../../../schema/tables/iam/roles.ts";
import { invalidArgument } from "../../aip/errors.ts";
import { newUid, parentOf } from "../../aip/uid_path.ts";
import { wholeMessage } from "../../aip/whole_message.ts";
import type { Call, Database } from "../../auth/call.ts";
import type { Caller } from "../../auth/grants.ts";
import { commit } from "../../outbox/commit.ts";
import { list } from "../../paging/list.ts";
import { defineListing, times } from "../../paging/listing.ts";
import { creation } from "../../resource/create.ts";
import { writeDelete } from "../../resource/delete.ts";
import { find, parentGroup } from "../../resource/find.ts";
import { resource } from "../../resource/resource.ts";
import { maskedUpdate, writeUpdate } from "../../resource/update.ts";
import { service } from "../../rpc/service.ts";
import { requireGrantableRole } from "../role_bindings/parts.ts";
import { acceptGroupInvite } from "./acceptance.ts";
import { newInviteCode, toInviteKey } from "./invites.ts";

type Statement = BatchItem<"sqlite">;

/** The readable part of an invite. Its role is shown too if it still exists. */
const inviteColumns = {
  uid: groupInvites.uid,
  roleUid: groupInvites.roleUid,
  email: groupInvites.email,
  expirationTime: groupInvites.expirationTime,
  singleUse: groupInvites.singleUse,
  keyId: groupInvites.keyId,
  createTime: groupInvites.createTime,
  updateTime: groupInvites.updateTime,
};

const roleColumns = {
  roleName: roles.name,
  roleDescription: roles.description,
  capabilities: roles.capabilities,
};

const selectInvites = (db: Database, from = groupInvites) =>
  db
    .select({ ...inviteColumns, ...roleColumns })
    .from(from)
    .leftJoin(roles, eq(roles.uid, groupInvites.roleUid))
    .$dynamic();

type Row = Awaited<ReturnType<typeof selectInvites>>[number];

const listing = defineListing({
  table: groupInvites,
  select: selectInvites,
  orders: { uid: "uid", ...times, expiration_time: "expirationTime" },
  defaultOrder: "create_time desc",
});

function toInvite(row: Row): GroupInvite {
  const { roleName, roleDescription, capabilities } = row;
  const role = {
    uid: row.roleUid,
    name: roleName ?? "",
    description: roleDescription ?? "",
    capabilities: capabilities ?? [],
  };
  const hasRole = roleName !== null && capabilities !== null;
  return wholeMessage(GroupInviteSchema, {
    uid: row.uid,
    roleUid: row.roleUid,
    role: hasRole ? wholeMessage(GroupInviteRoleSchema, role) : undefined,
    email: row.email,
    ttl: undefined,
    code: "",
    expirationTime: timestampFromMs(row.expirationTime),
    singleUse: row.singleUse,
    keyId: row.keyId,
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.updateTime),
  });
}

/** Its event contains only the invite's existence and expiry (contract: events). */
const invite = resource({
  type: "iam/GroupInvite",
  schema: GroupInviteSchema,
  table: groupInvites,
  select: (db: Database, uid: string) => selectInvites(db).where(eq(groupInvites.uid, uid)),
  toMessage: toInvite,
  toColumns: ({ roleUid, email, singleUse }: GroupInvite) => ({ roleUid, email, singleUse }),
  otherFields: {
    role: "computed",
    ttl: "computed",
    expirationTime: "computed",
    code: "computed",
    keyId: "computed",
  },
  groupOf: parentOf,
  eventBody: (message) => ({
    desc: GroupInviteSchema,
    message,
    only: ["uid", "expirationTime"],
  }),
});

/** The statement that reads a role and, with `existing`, the current role of this invite. */
const selectRoles = (db: Database, role: string, existing = "") =>
  db
    .select({
      uid: roles.uid,
      roleName: roles.name,
      roleDescription: roles.description,
      capabilities: roles.capabilities,
    })
    .from(roles)
    .where(
      sql`${roles.uid} in (${role}, (select ${groupInvites.roleUid} from ${groupInvites} where ${groupInvites.uid} = ${existing}))`,
    );

/** A role in the form that an invite shows. */
type RoleRow = Awaited<ReturnType<typeof selectRoles>>[number];

export const ttlRequired = () => invalidArgument("ttl", "ttl is required");

/**
 * An invite into the group with a new code, which appears only in the message. Also returns the statements
 * that write the invite and its event.
 */
export async function newInvite(
  call: Call,
  caller: Caller,
  group: string,
  { input, ttl, role }: { input: GroupInvite; ttl: Duration; role: RoleRow },
): Promise<{ message: GroupInvite; statements: [Statement, ...Statement[]] }> {
  const code = newInviteCode();
  const { keyId, codeDigest } = await toInviteKey(code);
  const row = {
    ...role,
    uid: newUid(group),
    roleUid: role.uid,
    email: input.email,
    expirationTime: call.now + durationMs(ttl),
    singleUse: input.singleUse,
    keyId,
    codeDigest,
    inviterUid: caller.identity,
    createTime: call.now,
    updateTime: call.now,
  };
  const { message, statements } = creation(call, invite, caller, row);
  return { message: create(GroupInviteSchema, { ...message, code }), statements };
}

export const groupInvitesService = service(GroupInvitesService, {
  async getGroupInvite({ uid }, call) {
    return toInvite((await find(call, invite, uid)).row);
  },

  async listGroupInvites(request, call) {
    const { keyId } = request;
    const page = await list(call, request, listing, {
      filters: [keyId === "" ? undefined : eq(groupInvites.keyId, keyId)],
      index: keyId === "" ? "order_index" : "filter_index",
    });
    return { groupInvites: page.rows.map(toInvite), ...page.envelope };
  },

  async createGroupInvite({ parent, groupInvite: input }, call) {
    if (!input?.ttl) throw ttlRequired();
    const { ttl } = input;
    const { caller, extraReads } = await find(call, parentGroup, parent, {
      extraReads: [selectRoles(call.db, input.roleUid)],
    });
    const [[roleRow]] = extraReads;
    const role = requireGrantableRole(roleRow, caller, parent, "role_uid");
    const { message, statements } = await newInvite(call, caller, parent, { input, ttl, role });
    await commit(call, statements);
    return call.validateOnly ? Object.assign(message, { uid: "", keyId: "", code: "" }) : message;
  },

  async updateGroupInvite({ groupInvite: input = create(GroupInviteSchema), updateMask }, call) {
    const { caller, row, extraReads } = await find(call, invite, input.uid, {
      extraReads: [selectRoles(call.db, input.roleUid, input.uid)],
    });
    const [roleRows] = extraReads;
    const update = maskedUpdate(call, invite, row, input, updateMask);
    const { after } = update;
    const isTtlNamed = updateMask?.paths.some((path) => path === "ttl" || path === "*");
    if (isTtlNamed && !after.ttl) throw ttlRequired();
    const wanted = roleRows.find((role) => role.uid === after.roleUid);
    const { uid: _, ...role } = requireGrantableRole(wanted, caller, parentOf(row.uid), "role_uid");
    const expirationTime = after.ttl ? call.now + durationMs(after.ttl) : row.expirationTime;
    return writeUpdate(call, invite, caller, update, { columns: { ...role, expirationTime } });
  },

  async deleteGroupInvite(request, call) {
    const { caller } = await find(call, invite, request.uid);
    return writeDelete(call, invite, caller, request);
  },

  acceptGroupInvite,
});
