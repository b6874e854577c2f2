import { create } from "@bufbuild/protobuf";
import {
  type CreateRoleBindingBatchRequest,
  DeleteRoleBindingRequestSchema,
  type RoleBinding,
  RoleBindingBatchSchema,
  RoleBindingSchema,
  RoleBindings,
} from "../../../schema/gen/platform/iam/role_bindings_pb.js";
import type {
  BatchCreateRoleBindingsResponse,
  RoleBinding as RoleBindingV2,
} from "../../../schema/gen/platform/iam/v2/role_bindings_pb.js";
import { parentOf } from "../../aip/uid_path.ts";
import { wholeMessage } from "../../aip/whole_message.ts";
import type { EventDraft } from "../../auth/call.ts";
import { list } from "../../paging/list.ts";
import { service } from "../../rpc/service.ts";
import { bodyEvent, callV2, filterOf, invokeV2, requestEvent } from "../../rpc/version1.ts";
import { roleBindingsService } from "./role_bindings.ts";
import { listingV1, maxRows, toItems } from "./rows.v1.ts";

const toV1 = ({ uid: id, identity, role }: RoleBindingV2): RoleBinding =>
  wholeMessage(RoleBindingSchema, {
    id,
    identity: identity?.uid ?? "",
    group: parentOf(id),
    role: role?.uid ?? "",
  });

/** The group in the message is ignored: the parent is the group (contract: v1-messages, RoleBinding). */
const toV2 = ({ id: uid, identity: identityUid, role: roleUid }: RoleBinding) => ({
  uid,
  identityUid,
  roleUid,
});

const toBatch = ({ roleBindings }: BatchCreateRoleBindingsResponse) =>
  create(RoleBindingBatchSchema, { roleBindings: roleBindings.map(toV1) });

const fieldNames = { identity_uid: "identity", role_uid: "role" };

/** The fields that a PUT replaces: everything that a client of version 1 can set. */
const updateMask = { paths: ["identity_uid", "role_uid"] };

const toEventV1 = bodyEvent(RoleBindingSchema, toV1);

/** One event for all bindings. Its subject is their ids, separated by commas (contract: events). */
function toBatchEventV1(draft: EventDraft): EventDraft {
  const message = toBatch(draft.body?.message as BatchCreateRoleBindingsResponse);
  const subject = message.roleBindings.map(({ id }) => id).join(",");
  return { ...draft, subject, body: { desc: RoleBindingBatchSchema, message } };
}

/** The fields of each binding in a batch, by their paths in version 2. */
function namesInBatch({ roleBindings }: CreateRoleBindingBatchRequest): Record<string, string> {
  const ofEach = roleBindings.flatMap((_, index) =>
    Object.entries(fieldNames).map(([v2, v1]) => [
      `requests[${index}].role_binding.${v2}`,
      `role_bindings[${index}].${v1}`,
    ]),
  );
  return { requests: "role_bindings", ...Object.fromEntries(ofEach) };
}

export const roleBindingsV1 = service(RoleBindings, {
  async create({ parent, roleBinding = create(RoleBindingSchema) }, call) {
    const request = { parent, roleBinding: toV2(roleBinding) };
    const mapping = { names: fieldNames, event: toEventV1 };
    return toV1(await callV2(roleBindingsService, "createRoleBinding", request, call, mapping));
  },

  async createBatch(request, call) {
    const requests = request.roleBindings.map((roleBinding) => ({
      roleBinding: toV2(roleBinding),
    }));
    const requestV2 = { parent: request.parent, requests };
    const mapping = { names: namesInBatch(request), event: toBatchEventV1 };
    return toBatch(
      await callV2(roleBindingsService, "batchCreateRoleBindings", requestV2, call, mapping),
    );
  },

  async update(roleBinding, call) {
    const request = { roleBinding: toV2(roleBinding), updateMask };
    const mapping = { names: fieldNames, event: toEventV1 };
    return toV1(await callV2(roleBindingsService, "updateRoleBinding", request, call, mapping));
  },

  async list({ id, uidp: uidpFilter }, call) {
    const { uidp, keeps, names: fieldNames } = filterOf(id, uidpFilter);
    const unpaged = { ...call, unpaged: true, mapping: { names: fieldNames } };
    const rows = await invokeV2(
      roleBindingsService,
      "listRoleBindings",
      { uidp },
      unpaged,
      async (request, callOfV2) => (await list(callOfV2, request, listingV1, { maxRows })).rows,
    );
    return { items: toItems(rows.filter(({ uid }) => keeps(uid))) };
  },

  async delete(request, call) {
    await callV2(roleBindingsService, "deleteRoleBinding", { uid: request.id }, call, {
      event: requestEvent(DeleteRoleBindingRequestSchema, request),
    });
    return {};
  },
});
