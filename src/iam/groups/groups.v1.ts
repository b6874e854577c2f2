import { create } from "@bufbuild/protobuf";
import {
  DeleteGroupRequestSchema,
  type Group,
  GroupSchema,
  Groups,
} from "../../../schema/gen/platform/iam/groups_pb.js";
import type { Group as GroupV2 } from "../../../schema/gen/platform/iam/v2/groups_pb.js";
import { wholeMessage } from "../../aip/whole_message.ts";
import type { CallAnywhere } from "../../auth/call.ts";
import { service } from "../../rpc/service.ts";
import {
  bodyEvent,
  callV2,
  emptyIfNotFound,
  filterOf,
  listV2,
  requestEvent,
} from "../../rpc/version1.ts";
import { groupsService } from "./groups.ts";

/** The numbers of the enums are those of version 2. */
function toV1(group: GroupV2): Group {
  const { uid: id, name, description, resourceLimits, verified, kind, status } = group;
  return wholeMessage(GroupSchema, {
    id,
    name,
    description,
    resourceLimits,
    verified,
    kind: kind as number,
    status: status as number,
  });
}

function toV2({ id: uid, name, description, verified, kind, status, resourceLimits }: Group) {
  return {
    uid,
    name,
    description,
    resourceLimits,
    verified,
    kind: kind as number,
    status: status as number,
  };
}

/** The fields that a PUT replaces: everything that a client can set. */
const updateMask = { paths: ["name", "description", "verified", "kind"] };

/** The event of a group's creation or change. */
export const groupEvent = bodyEvent(GroupSchema, toV1);

async function lookup(call: CallAnywhere) {
  const { group } = await callV2(groupsService, "lookupGroup", {}, call);
  return group ? { group: toV1(group) } : {};
}

export const groupsV1 = service(Groups, {
  async create({ parent, group = create(GroupSchema) }, call) {
    const request = { parent, group: toV2(group) };
    return toV1(await callV2(groupsService, "createGroup", request, call, { event: groupEvent }));
  },

  async update(group, call) {
    const request = { group: toV2(group), updateMask };
    return toV1(await callV2(groupsService, "updateGroup", request, call, { event: groupEvent }));
  },

  async list({ id, uidp, name }, call) {
    const { keeps, names, ...filter } = filterOf(id, uidp);
    const { groups } = await listV2(groupsService, "listGroups", { ...filter, name }, call, {
      names,
    });
    return { items: groups.filter(({ uid }) => keeps(uid)).map(toV1) };
  },

  delete: (request, call) =>
    callV2(groupsService, "deleteGroup", { uid: request.id }, call, {
      event: requestEvent(DeleteGroupRequestSchema, request),
    }),

  lookupGroup: (_, call) => emptyIfNotFound(lookup(call)),

  async requestGroupAccess({ groupId: groupUid }, call) {
    const names = { group_uid: "group_id" };
    await callV2(groupsService, "requestGroupAccess", { groupUid }, call, { names });
    return {};
  },

  async checkEligibility(_, call) {
    const { eligible } = await callV2(groupsService, "checkEligibility", {}, call);
    return { eligible };
  },
});
