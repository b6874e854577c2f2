import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, ne, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { Capability } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import {
  type Group,
  GroupSchema,
  GroupsService,
  OrgKind,
} from "../../../schema/gen/platform/iam/v2/groups_pb.js";
import { GROUP_LEVELS } from "../../../schema/tables/columns.ts";
import { groups } from "../../../schema/tables/iam/groups.ts";
import { roleBindings } from "../../../schema/tables/iam/role_bindings.ts";
import { OWNER_ROLE } from "../../../schema/tables/iam/roles.ts";
import type { RowOf } from "../../../schema/tables/list_indexes.ts";
import { failedPrecondition, failedPreconditions, invalidArgument } from "../../aip/errors.ts";
import { isUnchanged } from "../../aip/stale.ts";
import { isUid, newUid, parentOf, rootOf, uidDepth } from "../../aip/uid_path.ts";
import { wholeMessage } from "../../aip/whole_message.ts";
import { missingCapabilities } from "../../auth/access.ts";
import { accessDenied } from "../../auth/access_decision.ts";
import { type Call, callAt, callAtCaller } from "../../auth/call.ts";
import { type Caller, holds } from "../../auth/grants.ts";
import { commit, onlyIf } from "../../outbox/commit.ts";
import { list } from "../../paging/list.ts";
import { defineListing } from "../../paging/listing.ts";
import { conflictOf, createdMessage, creation, newMessage } from "../../resource/create.ts";
import { writeDelete } from "../../resource/delete.ts";
import { find, selectRow } from "../../resource/find.ts";
import { resource } from "../../resource/resource.ts";
import type { Stored } from "../../resource/stored_row.ts";
import { maskedUpdate, writeUpdate } from "../../resource/update.ts";
import { service } from "../../rpc/service.ts";
import { limitFounding } from "../quotas/founding.ts";
import { findOwnOrganization, mayRequestAccess, requestGroupAccess } from "./access_requests.ts";
import {
  blockingKinds,
  deletionAtOnce,
  deletionInBatches,
  isUnblocked,
  selectBlockingChildren,
  selectHasManyRows,
} from "./deletion.ts";
import { authorizeFounding, findParentByName } from "./parent.ts";
import { forgetOrganization, locateOrganization, releaseName, reserveName } from "./placement.ts";

type Statement = BatchItem<"sqlite">;

type Row = RowOf<typeof groups>;

const listing = defineListing({
  table: groups,
});

function toGroup(row: Stored<typeof groups>): Group {
  return wholeMessage(GroupSchema, {
    uid: row.uid,
    name: row.name,
    description: row.description,
    resourceLimits: row.resourceLimits,
    verified: row.verified,
    kind: row.kind,
    status: row.status,
    keysDisabled: row.keysDisabled,
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.updateTime),
  });
}

/** The fields of a group that a client sets. */
const toColumns = (group: Group) => ({
  name: group.name,
  description: group.description,
  verified: group.verified,
  kind: group.kind as number,
  keysDisabled: group.keysDisabled,
});

const group = resource({
  type: "iam/Group",
  schema: GroupSchema,
  table: groups,
  select: selectRow(groups),
  toMessage: toGroup,
  toColumns,
  otherFields: { status: "computed", resourceLimits: "computed" },
  groupOf: (uid) => uid,
  unique: ({ name }) => name,
});

/**
 * The new group, and the statements that write it and its event. Without a parent it is an organization, and
 * the caller gets the role `owner` there.
 */
export function newGroup(
  call: Call,
  caller: Caller,
  input: Group,
  { parentGroup, uid = newUid(parentGroup?.uid) }: { parentGroup?: Row | undefined; uid?: string },
): { message: Group; statements: [Statement, ...Statement[]] } {
  const times = { createTime: call.now, updateTime: call.now };
  const inherited = parentGroup
    ? { kind: parentGroup.kind, status: parentGroup.status }
    : { status: 2 };
  const row = { uid, ...toColumns(input), ...inherited, ...times };
  const { message, statements } = creation(call, group, caller, row);
  if (parentGroup) return { message, statements };
  const binding = { uid: newUid(uid), identityUid: caller.identity, roleUid: OWNER_ROLE };
  const owner = call.db.insert(roleBindings).values({ ...binding, ...times });
  return { message, statements: [...statements, owner] };
}

/**
 * Only the operator, who has the capability `internal`, can set `verified`. The name of a verified
 * organization cannot change.
 */
function checkVerified(caller: Caller, before: Group | undefined, after: Group): void {
  const uid = before?.uid ?? "";
  if (after.verified !== (before?.verified ?? false)) {
    if (uid === "" || !holds(caller, [Capability.CAP_INTERNAL], uid)) {
      const text = "only the operator of the platform can change verified";
      throw accessDenied(text, { capabilities: [Capability.CAP_INTERNAL], resource: uid });
    }
    if (parentOf(uid) !== "")
      throw invalidArgument("verified", "only an organization can be verified");
  }
  if (before?.verified && after.verified && after.name !== before.name) {
    throw failedPrecondition("VERIFIED", "the name of a verified organization cannot change", uid);
  }
  if (uid !== "" && parentOf(uid) !== "" && after.kind !== before?.kind) {
    throw invalidArgument(
      "kind",
      "kind cannot be set on a group below an organization, which passes its kind on",
    );
  }
}

/** Throws INVALID_ARGUMENT if a group below an organization forbids keys. */
function checkKeysDisabled({ keysDisabled }: Group, isBelow: boolean): void {
  if (!keysDisabled || !isBelow) return;
  throw invalidArgument("keys_disabled", "keys_disabled can be set only on an organization");
}

/** Throws PERMISSION_DENIED unless the caller still has access to the organization that they created. */
function requireSeen(call: Call, caller: Caller, { uid }: Group): void {
  if (!caller.grants.some((grant) => grant.group === uid))
    throw missingCapabilities(call.capabilities, "");
}

export const groupsService = service(GroupsService, {
  async getGroup({ uid }, call) {
    return toGroup((await find(call, group, uid)).row);
  },

  async listGroups(request, call) {
    const named = request.name === "" ? undefined : eq(groups.name, request.name);
    const page = await list(call, request, listing, {
      filters: [named],
      index: named ? "scope_index" : "order_index",
      namePrefix: request.namePrefix,
    });
    return { groups: page.rows.map(toGroup), ...page.envelope };
  },

  async createGroup({ parent, group: wanted }, asked) {
    const anywhere = callAtCaller(asked);
    const parentRead =
      parent === ""
        ? await authorizeFounding(anywhere, [])
        : isUid(parent)
          ? await find(callAt(anywhere, parent), group, parent)
          : await findParentByName(anywhere, parent);
    if (parent === "")
      await anywhere.idempotency?.replay((answer: Group) =>
        requireSeen(anywhere, parentRead.caller, answer),
      );
    const parentGroup = "row" in parentRead ? parentRead.row : undefined;
    if (parentGroup && uidDepth(parentGroup.uid) >= GROUP_LEVELS) {
      throw failedPrecondition(
        "DEPTH_LIMIT",
        `groups can be nested at most ${GROUP_LEVELS} levels deep`,
        parentGroup.uid,
      );
    }
    const input = newMessage(group, wanted);
    checkVerified(parentRead.caller, undefined, input);
    checkKeysDisabled(input, parentGroup !== undefined);
    if (parentGroup && input.kind !== 0)
      throw invalidArgument(
        "kind",
        "kind cannot be set on a group below an organization, which passes its kind on",
      );
    const uid = newUid(parentGroup?.uid);
    const { call, before } = parentGroup
      ? { call: callAt(anywhere, uid), before: [] }
      : await locateOrganization(anywhere, parentRead.caller, uid);
    const within = parentGroup ? [] : await limitFounding(call, parentRead.caller);
    // The new group has the kind and status of its parent.
    if (parentGroup)
      call.guards.set("group above", () => onlyIf(call.db, isUnchanged(groups, parentGroup)));
    const { message, statements } = newGroup(call, parentRead.caller, input, { parentGroup, uid });
    const all = [...within, ...before, ...statements] as typeof statements;
    await commit(call, all, conflictOf(group, message));
    return createdMessage(call, message);
  },

  /**
   * The groups below an organization have its kind. They change with it, and its event covers all of them.
   */
  async updateGroup({ group: input = create(GroupSchema), updateMask }, call) {
    const { caller, row } = await find(call, group, input.uid);
    const update = maskedUpdate(call, group, row, input, updateMask);
    const { before, after } = update;
    // A subgroup has the kind of its organization, so a mask that clears the kind has no effect.
    if (parentOf(row.uid) !== "" && after.kind === OrgKind.UNSPECIFIED) after.kind = before.kind;
    checkVerified(caller, before, after);
    checkKeysDisabled(after, parentOf(row.uid) !== "");
    if (after.verified && !before.verified) await reserveName(call, row.uid, after.name);
    const inherit = call.db
      .update(groups)
      .set({ kind: after.kind, updateTime: sql`max(${call.now}, ${groups.updateTime} + 1)` })
      .where(and(eq(groups.ancestor0, rootOf(row.uid)), ne(groups.kind, after.kind)));
    const updated = await writeUpdate(call, group, caller, update, {
      extraWrites: after.kind === before.kind ? [] : [inherit],
    });
    if (before.verified && !after.verified) await releaseName(call, row.uid);
    return updated;
  },

  /**
   * Every child keeps the group from being deleted, except those that {@link deletionAtOnce} deletes.
   * The event belongs to the parent group.
   */
  async deleteGroup(request, call) {
    const { uid } = request;
    const { caller, extraReads } = await find(call, group, uid, {
      extraReads: [selectBlockingChildren(call, uid), selectHasManyRows(call, uid)],
    });
    const blocking = blockingKinds(extraReads[0], caller, uid);
    if (blocking.length > 0) {
      throw failedPreconditions(blocking.map((kind) => notEmptyViolation(uid, kind)));
    }
    const contents = extraReads[1][0]?.isLarge ? deletionInBatches : deletionAtOnce;
    const ofParent = { ...group, groupOf: (groupUid: string) => parentOf(groupUid) || "/" };
    const deleted = await writeDelete(call, ofParent, caller, request, {
      condition: isUnblocked(call, caller, uid),
      ...contents(call, caller, uid),
    });
    if (!call.validateOnly) await forgetOrganization(call, uid);
    return deleted;
  },

  lookupGroup: async (_, call) => ({ group: toGroup(await findOwnOrganization(call)) }),

  async requestGroupAccess(request, call) {
    await requestGroupAccess(request, call);
    return {};
  },

  checkEligibility: async (_, call) => ({ eligible: await mayRequestAccess(callAtCaller(call)) }),
});

const notEmptyViolation = (subject: string, kind: string) => ({
  type: "RESOURCE_NOT_EMPTY",
  subject,
  description: `cannot delete group with child ${kind.replaceAll("_", " ")}`,
});
