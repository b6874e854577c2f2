import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, ne, sql } from "drizzle-orm";
import { Capability } from "../../schema/gen/platform/capabilities/v1/capability_pb.js";
import {
  type Group,
  GroupSchema,
  GroupsService,
  OrgKind,
} from "../../schema/gen/platform/iam/v2/groups_pb.js";
import { GROUP_LEVELS } from "../../schema/tables/columns.ts";
import { groups } from "../../schema/tables/groups.ts";
import {
  alreadyExists,
  failedPrecondition,
  failedPreconditions,
  invalidArgument,
  notFound,
  permissionDenied,
} from "../aip/errors.ts";
import { applyMask, changesNothing } from "../aip/field_mask.ts";
import { isAsRead } from "../aip/stale.ts";
import { depthOf, isUid, parentOf, rootOf } from "../aip/uid_path.ts";
import { validate } from "../aip/validation.ts";
import { authorizeAndRead } from "../auth/access.ts";
import type { Call } from "../auth/call.ts";
import { type Caller, holds } from "../auth/grants.ts";
import { commit, commitIfChanged, nextTime, onlyIf } from "../outbox/commit.ts";
import { insertEvent } from "../outbox/outbox.ts";
import { list } from "../paging/list.ts";
import { defineListing } from "../paging/listing.ts";
import { service } from "../rpc/service.ts";
import { findOwn, isEligible, requestAccess } from "./group_access.ts";
import { blockingOf, deleteAlong, deleteUnblocked, selectBlocking } from "./group_deletion.ts";
import { findNamed, founder } from "./group_parent.ts";
import { newGroup, toColumns } from "./new_group.ts";

type Row = typeof groups.$inferSelect;

const listing = defineListing({
  table: groups,
  longColumns: {
    name: groups.name,
    description: groups.description,
    resourceLimits: groups.resourceLimits,
  },
});

function toGroup(row: Row): Group {
  return create(GroupSchema, {
    uid: row.uid,
    name: row.name,
    description: row.description,
    resourceLimits: row.resourceLimits,
    verified: row.verified,
    kind: row.kind,
    status: row.status,
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.updateTime),
  });
}

const selectGroup = (call: Call, uid: string) =>
  call.db.select().from(groups).where(eq(groups.uid, uid));

async function find(call: Call, uid: string) {
  const { caller, rows } = await authorizeAndRead(call, uid, [selectGroup(call, uid)]);
  const [row] = rows[0];
  if (!row) throw notFound("iam/Group", uid);
  return { caller, row };
}

/** `verified` is for the operator, who holds `internal`; a verified name is for keeps. */
function checkVerified(caller: Caller, before: Group | undefined, after: Group): void {
  const uid = before?.uid ?? "";
  if (after.verified !== (before?.verified ?? false)) {
    if (uid === "" || !holds(caller, [Capability.CAP_INTERNAL], uid)) {
      throw permissionDenied("only the operator of the platform changes verified");
    }
    if (parentOf(uid) !== "")
      throw invalidArgument("verified", "only an organization can be verified");
  }
  if (before?.verified && after.verified && after.name !== before.name) {
    throw failedPrecondition("VERIFIED", "a verified organization keeps its name", uid);
  }
  if (uid !== "" && parentOf(uid) !== "" && after.kind !== before?.kind) {
    throw invalidArgument("kind", "kind is inherited from the organization");
  }
}

const conflict = (name: string) => () => alreadyExists("iam/Group", name);

export const groupsService = service(GroupsService, {
  async getGroup({ uid }, call) {
    return toGroup((await find(call, uid)).row);
  },

  async listGroups(request, call) {
    const named = request.name === "" ? undefined : eq(groups.name, request.name);
    const page = await list(call, request, listing, {
      filters: [named],
      index: named ? "scope_index" : "order_index",
    });
    return { groups: page.rows.map(toGroup), ...page.envelope };
  },

  async createGroup({ parent, group: given }, call) {
    const found =
      parent === ""
        ? await founder(call, [])
        : await (isUid(parent) ? find(call, parent) : findNamed(call, parent));
    const above = "row" in found ? found.row : undefined;
    if (above && depthOf(above.uid) >= GROUP_LEVELS) {
      throw failedPrecondition(
        "DEPTH_LIMIT",
        `groups nest at most ${GROUP_LEVELS} levels deep`,
        above.uid,
      );
    }
    const group = applyMask(
      GroupSchema,
      create(GroupSchema),
      given ?? create(GroupSchema),
      undefined,
    );
    checkVerified(found.caller, undefined, group);
    if (above && group.kind !== 0)
      throw invalidArgument("kind", "kind is inherited from the organization");
    // The new group takes its kind and status from the one above.
    if (above) call.guards.set("group above", () => onlyIf(call.db, isAsRead(groups, above)));
    const { message, statements } = newGroup(call, found.caller, group, { above });
    await commit(call, statements, conflict(group.name));
    return message;
  },

  /** The groups below an organization take its kind. They change with it, and its event stands for all. */
  async updateGroup({ group: change, updateMask }, call) {
    const given = change ?? create(GroupSchema);
    const { caller, row } = await find(call, given.uid);
    const before = toGroup(row);
    const group = applyMask(GroupSchema, before, given, updateMask);
    // A subgroup has its organization's kind, so a mask that clears it says nothing.
    if (parentOf(row.uid) !== "" && group.kind === OrgKind.UNSPECIFIED) group.kind = before.kind;
    validate(GroupSchema, group);
    checkVerified(caller, before, group);
    if (changesNothing(GroupSchema, before, group)) return before;
    const updateTime = nextTime(call, row.updateTime);
    group.updateTime = timestampFromMs(updateTime);
    const inherit = call.db
      .update(groups)
      .set({ kind: group.kind, updateTime: sql`max(${call.now}, ${groups.updateTime} + 1)` })
      .where(and(eq(groups.ancestor0, rootOf(row.uid)), ne(groups.kind, group.kind)));
    await commitIfChanged(
      call,
      [
        call.db
          .update(groups)
          .set({ ...toColumns(group), updateTime })
          .where(and(eq(groups.uid, row.uid), eq(groups.updateTime, row.updateTime))),
        insertEvent(call, caller, {
          subject: row.uid,
          group: row.uid,
          body: { desc: GroupSchema, message: group },
        }),
        ...(group.kind === row.kind ? [] : [inherit]),
      ],
      conflict(group.name),
    );
    return group;
  },

  /** Every child refuses the call but what {@link deleteAlong} takes along. */
  async deleteGroup(request, call) {
    const { uid } = request;
    const statements = [selectGroup(call, uid), selectBlocking(call, uid)] as const;
    const { caller, rows } = await authorizeAndRead(call, uid, statements);
    if (!rows[0][0]) throw notFound("iam/Group", uid);
    const blocking = blockingOf(rows[1], caller, uid);
    if (blocking.length > 0) {
      throw failedPreconditions(blocking.map((kind) => notEmpty(uid, kind)));
    }
    await commitIfChanged(call, [
      deleteUnblocked(call, caller, uid),
      insertEvent(call, caller, {
        subject: uid,
        group: parentOf(uid) || "/",
        body: { desc: call.method.input, message: request },
      }),
      ...deleteAlong(call, uid),
    ]);
    return {};
  },

  lookupGroup: async (_, call) => ({ group: toGroup(await findOwn(call)) }),

  async requestGroupAccess(request, call) {
    await requestAccess(request, call);
    return {};
  },

  checkEligibility: async (_, call) => ({ eligible: await isEligible(call) }),
});

const notEmpty = (subject: string, kind: string) => ({
  type: "RESOURCE_NOT_EMPTY",
  subject,
  description: `cannot delete group with child ${kind.replaceAll("_", " ")}`,
});
