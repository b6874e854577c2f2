import { create } from "@bufbuild/protobuf";
import {
  BatchDeleteExternalGroupRoleMappingsResponseSchema,
  type ExternalGroupRoleMapping,
  ExternalGroupRoleMappingSchema,
  ExternalGroupRoleMappings,
} from "../../../schema/gen/platform/iam/external_group_role_mappings_pb.js";
import type {
  BatchDeleteExternalGroupRoleMappingsResponse as BatchDeleteResponseV2,
  ExternalGroupRoleMapping as MappingV2,
} from "../../../schema/gen/platform/iam/v2/external_group_role_mappings_pb.js";
import { wholeMessage } from "../../aip/whole_message.ts";
import type { EventDraft } from "../../auth/call.ts";
import { service } from "../../rpc/service.ts";
import { bodyEvent, callV2, emptyIfNotFound, listV2 } from "../../rpc/version1.ts";
import { externalGroupRoleMappingsService as mappingsService } from "./external_group_role_mappings.ts";

function toV1(mapping: MappingV2): ExternalGroupRoleMapping {
  const { uid: id, identityProviderUid, externalGroupId, roleUid, scope, createTime } = mapping;
  return wholeMessage(ExternalGroupRoleMappingSchema, {
    id,
    identityProviderUidp: identityProviderUid,
    externalGroupId,
    roleUidp: roleUid,
    scope,
    createdAt: createTime,
  });
}

const toV2 = ({ externalGroupId, roleUidp: roleUid, scope }: ExternalGroupRoleMapping) => ({
  externalGroupId,
  roleUid,
  scope,
});

const toBatchDeleteResponse = ({
  parent: parentId,
  externalGroupRoleMappings,
}: BatchDeleteResponseV2) =>
  create(BatchDeleteExternalGroupRoleMappingsResponseSchema, {
    parentId,
    items: externalGroupRoleMappings.map(toV1),
  });

/** Field paths of version 2 that have another name here. */
const fieldNames = {
  parent: "parent_id",
  external_group_role_mapping: "mapping",
  role_uid: "role_uidp",
};

const toCreatedEvent = bodyEvent(ExternalGroupRoleMappingSchema, toV1);

/** Without a body (contract: v1 event table). */
const toDeletedEvent = ({ body: _, ...draft }: EventDraft): EventDraft => draft;

const toBatchDeletedEvent = bodyEvent(
  BatchDeleteExternalGroupRoleMappingsResponseSchema,
  toBatchDeleteResponse,
);

export const externalGroupRoleMappingsV1 = service(ExternalGroupRoleMappings, {
  async create({ parentId: parent, mapping }, call) {
    const request = { parent, ...(mapping && { externalGroupRoleMapping: toV2(mapping) }) };
    const v1 = { names: fieldNames, event: toCreatedEvent };
    return toV1(await callV2(mappingsService, "createExternalGroupRoleMapping", request, call, v1));
  },

  get: ({ uid }, call) =>
    emptyIfNotFound(
      callV2(mappingsService, "getExternalGroupRoleMapping", { uid }, call, {
        names: { uid: "uid" },
      }).then(toV1),
    ),

  async list({ uidp, identityProviderUidp: identityProviderUid }, call) {
    const request = { uidp, identityProviderUid };
    const { externalGroupRoleMappings } = await listV2(
      mappingsService,
      "listExternalGroupRoleMappings",
      request,
      call,
      { names: { identity_provider_uid: "identity_provider_uidp" } },
    );
    return { items: externalGroupRoleMappings.map(toV1) };
  },

  async delete({ id: uid }, call) {
    await callV2(mappingsService, "deleteExternalGroupRoleMapping", { uid }, call, {
      event: toDeletedEvent,
    });
    return {};
  },

  async batchDelete({ parentId: parent, ids }, call) {
    const request = { parent, names: ids };
    const v1 = { names: { parent: "parent_id", names: "ids" }, event: toBatchDeletedEvent };
    return toBatchDeleteResponse(
      await callV2(mappingsService, "batchDeleteExternalGroupRoleMappings", request, call, v1),
    );
  },
});
