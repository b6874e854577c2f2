import { create } from "@bufbuild/protobuf";
import {
  DeleteGroupInviteRequestSchema,
  type GroupInvite,
  type GroupInviteRequest,
  GroupInviteSchema,
  GroupInvites,
  type StoredGroupInvite,
  StoredGroupInviteSchema,
} from "../../../schema/gen/platform/iam/group_invites_pb.js";
import type { GroupInvite as GroupInviteV2 } from "../../../schema/gen/platform/iam/v2/group_invites_pb.js";
import { UIDPFilterSchema } from "../../../schema/gen/platform/uidp/v1/uidp_filter_pb.js";
import { wholeMessage } from "../../aip/whole_message.ts";
import type { EventDraft } from "../../auth/call.ts";
import { service } from "../../rpc/service.ts";
import { callV2, checkOptionalUid, filterOf, listV2, requestEvent } from "../../rpc/version1.ts";
import { createGroupWithInvite } from "../groups/with_invite.ts";
import { toRoleV1 } from "../roles/roles.v1.ts";
import { groupInvitesService } from "./group_invites.ts";

/** The part that the response to a create shares with a row of a list. */
function commonFields({ uid: id, expirationTime: expiration, keyId, role }: GroupInviteV2) {
  return { id, expiration, keyId, role: role && toRoleV1(role) };
}

const toV1 = (invite: GroupInviteV2): GroupInvite =>
  wholeMessage(GroupInviteSchema, { ...commonFields(invite), code: invite.code });

const toStored = (invite: GroupInviteV2): StoredGroupInvite => {
  const { email, singleUse, createTime: createdAt } = invite;
  return wholeMessage(StoredGroupInviteSchema, {
    ...commonFields(invite),
    email,
    singleUse,
    createdAt,
  });
};

const toV2 = ({ role: roleUid, ttl, email, singleUse }: GroupInviteRequest) => ({
  roleUid,
  email,
  singleUse,
  ...(ttl ? { ttl } : {}),
});

/** The event contains only the invite's existence and expiry (contract: events). */
const toEventV1 = (draft: EventDraft): EventDraft => ({
  ...draft,
  body: {
    desc: GroupInviteSchema,
    message: toV1(draft.body?.message as GroupInviteV2),
    only: ["id", "expiration"],
  },
});

export const groupInvitesV1 = service(GroupInvites, {
  async create(request, call) {
    const requestV2 = { parent: request.group, groupInvite: toV2(request) };
    const fieldNames = { parent: "group", role_uid: "role" };
    const mapping = { names: fieldNames, event: toEventV1 };
    return toV1(await callV2(groupInvitesService, "createGroupInvite", requestV2, call, mapping));
  },

  async createWithGroup(request, call) {
    const founding = { name: request.group, invite: toV2(request), event: toEventV1 };
    return toV1(await createGroupWithInvite(founding, call));
  },

  async list({ group, id, keyId }, call) {
    checkOptionalUid("group", group);
    const below = group === "" ? undefined : create(UIDPFilterSchema, { descendantsOf: group });
    const { uidp, keeps, names: fieldNames } = filterOf(id, below);
    const request = { uidp, keyId };
    const { groupInvites } = await listV2(groupInvitesService, "listGroupInvites", request, call, {
      names: fieldNames,
    });
    return { items: groupInvites.filter(({ uid }) => keeps(uid)).map(toStored) };
  },

  delete: (request, call) =>
    callV2(groupInvitesService, "deleteGroupInvite", { uid: request.id }, call, {
      event: requestEvent(DeleteGroupInviteRequestSchema, request),
    }),
});
