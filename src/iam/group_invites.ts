import { create } from "@bufbuild/protobuf";
import { type Duration, durationMs, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import {
  type GroupInvite,
  GroupInviteSchema,
  GroupInvitesService,
} from "../../schema/gen/platform/iam/v2/group_invites_pb.js";
import { groupInvites } from "../../schema/tables/group_invites.ts";
import { groups } from "../../schema/tables/groups.ts";
import { roles } from "../../schema/tables/roles.ts";
import { invalidArgument, notFound } from "../aip/errors.ts";
import { applyMask, changesNothing } from "../aip/field_mask.ts";
import { newUid, parentOf } from "../aip/uid_path.ts";
import { validate } from "../aip/validation.ts";
import { authorizeAndRead } from "../auth/access.ts";
import type { Call, Database } from "../auth/call.ts";
import type { Caller } from "../auth/grants.ts";
import { inviteKey, newCode } from "../auth/invites.ts";
import { commit, commitIfChanged, nextTime } from "../outbox/commit.ts";
import { insertEvent } from "../outbox/outbox.ts";
import { list } from "../paging/list.ts";
import { defineListing, times } from "../paging/listing.ts";
import { service } from "../rpc/service.ts";
import { acceptGroupInvite } from "./invite_acceptance.ts";
import { grantable } from "./role_binding_parts.ts";

type Statement = BatchItem<"sqlite">;

/** What of an invite may be read, with its role if that is still there. */
const columns = {
  uid: groupInvites.uid,
  roleUid: groupInvites.roleUid,
  email: groupInvites.email,
  expirationTime: groupInvites.expirationTime,
  singleUse: groupInvites.singleUse,
  keyId: groupInvites.keyId,
  createTime: groupInvites.createTime,
  updateTime: groupInvites.updateTime,
  roleName: roles.name,
  roleDescription: roles.description,
  capabilities: roles.capabilities,
};

const selectInvites = (db: Database) =>
  db
    .select(columns)
    .from(groupInvites)
    .leftJoin(roles, eq(roles.uid, groupInvites.roleUid))
    .$dynamic();

type Row = Awaited<ReturnType<typeof selectInvites>>[number];

const listing = defineListing({
  table: groupInvites,
  select: selectInvites,
  orders: { uid: "uid", ...times, expiration_time: "expirationTime" },
  defaultOrder: "create_time desc",
  longColumns: {
    email: groupInvites.email,
    roleName: roles.name,
    roleDescription: roles.description,
    capabilities: roles.capabilities,
  },
});

function toInvite(row: Row): GroupInvite {
  const { roleName, roleDescription, capabilities } = row;
  const role =
    roleName === null || capabilities === null
      ? {}
      : {
          role: {
            uid: row.roleUid,
            name: roleName,
            description: roleDescription ?? "",
            capabilities,
          },
        };
  return create(GroupInviteSchema, {
    uid: row.uid,
    roleUid: row.roleUid,
    ...role,
    email: row.email,
    expirationTime: timestampFromMs(row.expirationTime),
    singleUse: row.singleUse,
    keyId: row.keyId,
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.updateTime),
  });
}

const selectInvite = (db: Database, uid: string) =>
  selectInvites(db).where(eq(groupInvites.uid, uid));

/** The statement that reads a role and, with `invite`, the one that this invite is for now. */
const selectRoles = (db: Database, role: string, invite = "") =>
  db
    .select({
      uid: roles.uid,
      roleName: roles.name,
      roleDescription: roles.description,
      capabilities: roles.capabilities,
    })
    .from(roles)
    .where(
      sql`${roles.uid} in (${role}, (select ${groupInvites.roleUid} from ${groupInvites} where ${groupInvites.uid} = ${invite}))`,
    );

/** A role as an invite shows it. */
type RoleRow = Awaited<ReturnType<typeof selectRoles>>[number];

async function find(call: Call, uid: string) {
  const { caller, rows } = await authorizeAndRead(call, uid, [selectInvite(call.db, uid)]);
  const [row] = rows[0];
  if (!row) throw notFound("iam/GroupInvite", uid);
  return { caller, row };
}

export const ttlRequired = () => invalidArgument("ttl", "ttl is required");

/** The event tells no more than that there is an invite, and until when (contract: events). */
const recordInvite = (call: Call, caller: Caller, message: GroupInvite) =>
  insertEvent(call, caller, {
    subject: message.uid,
    group: parentOf(message.uid),
    body: { desc: GroupInviteSchema, message, only: ["uid", "expirationTime"] },
  });

/**
 * An invite into the group with a fresh code, which is in the message only; and the statements that write
 * the invite and tell of it.
 */
export async function newInvite(
  call: Call,
  caller: Caller,
  group: string,
  { given, ttl, role }: { given: GroupInvite; ttl: Duration; role: RoleRow },
): Promise<{ message: GroupInvite; statements: [Statement, ...Statement[]] }> {
  const code = newCode();
  const { keyId, codeDigest } = await inviteKey(code);
  const row = {
    uid: newUid(group),
    roleUid: role.uid,
    email: given.email,
    expirationTime: call.now + durationMs(ttl),
    singleUse: given.singleUse,
    keyId,
    createTime: call.now,
    updateTime: call.now,
  };
  const message = toInvite({ ...row, ...role, uid: row.uid });
  const statements: [Statement, ...Statement[]] = [
    call.db.insert(groupInvites).values({ ...row, codeDigest }),
    recordInvite(call, caller, message),
  ];
  return { message: create(GroupInviteSchema, { ...message, code }), statements };
}

export const groupInvitesService = service(GroupInvitesService, {
  async getGroupInvite({ uid }, call) {
    return toInvite((await find(call, uid)).row);
  },

  async listGroupInvites(request, call) {
    const { keyId } = request;
    const page = await list(call, request, listing, {
      filters: [keyId === "" ? undefined : eq(groupInvites.keyId, keyId)],
      index: keyId === "" ? "order_index" : "filter_index",
    });
    return { groupInvites: page.rows.map(toInvite), ...page.envelope };
  },

  async createGroupInvite({ parent, groupInvite: given }, call) {
    if (!given?.ttl) throw ttlRequired();
    const group = call.db.select({ uid: groups.uid }).from(groups).where(eq(groups.uid, parent));
    const { caller, rows } = await authorizeAndRead(call, parent, [
      group,
      selectRoles(call.db, given.roleUid),
    ]);
    if (!rows[0][0]) throw notFound("iam/Group", parent);
    const role = grantable(rows[1][0], caller, parent, "role_uid");
    const { message, statements } = await newInvite(call, caller, parent, {
      given,
      ttl: given.ttl,
      role,
    });
    await commit(call, statements);
    return message;
  },

  async updateGroupInvite({ groupInvite: change, updateMask }, call) {
    const given = change ?? create(GroupInviteSchema);
    const { caller, rows } = await authorizeAndRead(call, given.uid, [
      selectInvite(call.db, given.uid),
      selectRoles(call.db, given.roleUid, given.uid),
    ]);
    const [[before], found] = rows;
    if (!before) throw notFound("iam/GroupInvite", given.uid);
    const current = toInvite(before);
    const next = applyMask(GroupInviteSchema, current, given, updateMask);
    validate(GroupInviteSchema, next);
    const isTtlNamed = updateMask?.paths.some((path) => path === "ttl" || path === "*");
    if (isTtlNamed && !next.ttl) throw ttlRequired();
    const group = parentOf(given.uid);
    const wanted = found.find((one) => one.uid === next.roleUid);
    const role = grantable(wanted, caller, group, "role_uid");
    if (changesNothing(GroupInviteSchema, current, next)) return current;
    const changes = {
      roleUid: role.uid,
      email: next.email,
      singleUse: next.singleUse,
      expirationTime: next.ttl ? call.now + durationMs(next.ttl) : before.expirationTime,
      updateTime: nextTime(call, before.updateTime),
    };
    const message = toInvite({ ...before, ...role, ...changes, uid: before.uid });
    await commitIfChanged(call, [
      call.db
        .update(groupInvites)
        .set(changes)
        .where(
          and(eq(groupInvites.uid, before.uid), eq(groupInvites.updateTime, before.updateTime)),
        ),
      recordInvite(call, caller, message),
    ]);
    return message;
  },

  async deleteGroupInvite(request, call) {
    const { caller, row } = await find(call, request.uid);
    await commitIfChanged(call, [
      call.db.delete(groupInvites).where(eq(groupInvites.uid, row.uid)),
      insertEvent(call, caller, {
        subject: row.uid,
        group: parentOf(row.uid),
        body: { desc: call.method.input, message: request },
      }),
    ]);
    return {};
  },

  acceptGroupInvite,
});
