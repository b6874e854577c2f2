import { create } from "@bufbuild/protobuf";
import {
  DeleteRoleRequestSchema,
  type Role,
  RoleSchema,
  Roles,
} from "../../../schema/gen/platform/iam/roles_pb.js";
import type { Role as RoleV2 } from "../../../schema/gen/platform/iam/v2/roles_pb.js";
import { UIDPFilterSchema } from "../../../schema/gen/platform/uidp/v1/uidp_filter_pb.js";
import { wholeMessage } from "../../aip/whole_message.ts";
import { service } from "../../rpc/service.ts";
import {
  bodyEvent,
  callV2,
  checkOptionalUid,
  filterOf,
  listV2,
  requestEvent,
} from "../../rpc/version1.ts";
import { toCapabilities, toCapabilityNames } from "./capability_names.ts";
import { rolesService } from "./roles.ts";

/** Converts a role of version 2, or a role within another resource, to version 1. */
export const toRoleV1 = ({
  uid: id,
  name,
  description,
  capabilities,
}: Pick<RoleV2, "uid" | "name" | "description" | "capabilities">): Role =>
  wholeMessage(RoleSchema, {
    id,
    name,
    description,
    capabilities: toCapabilityNames(capabilities),
  });

const toV2 = ({ id: uid, name, description, capabilities }: Role) => ({
  uid,
  name,
  description,
  capabilities: toCapabilities(capabilities),
});

/** The fields that a PUT replaces: everything that a client of version 1 can set. */
const updateMask = { paths: ["name", "description", "capabilities"] };

const toEventV1 = bodyEvent(RoleSchema, toRoleV1);

/** The filter for the roles with this parent. `/` is the parent of the built-in roles. */
function parentFilter(parent: string) {
  if (parent === "") return undefined;
  if (parent === "/") return create(UIDPFilterSchema, { inRoot: true });
  checkOptionalUid("parent", parent);
  return create(UIDPFilterSchema, { childrenOf: parent });
}

export const rolesV1 = service(Roles, {
  async create({ parentId: parent, role = create(RoleSchema) }, call) {
    const mapping = { names: { parent: "parent_id" }, event: toEventV1 };
    const request = { parent, role: toV2(role) };
    return toRoleV1(await callV2(rolesService, "createRole", request, call, mapping));
  },

  async update(role, call) {
    const request = { role: toV2(role), updateMask };
    return toRoleV1(await callV2(rolesService, "updateRole", request, call, { event: toEventV1 }));
  },

  async list({ id, name, parent, uidp: uidpFilter }, call) {
    const { uidp, keeps, names } = filterOf(id, parentFilter(parent), uidpFilter);
    const { roles } = await listV2(rolesService, "listRoles", { uidp, name }, call, { names });
    return { items: roles.filter(({ uid }) => keeps(uid)).map(toRoleV1) };
  },

  async delete(request, call) {
    await callV2(rolesService, "deleteRole", { uid: request.id }, call, {
      event: requestEvent(DeleteRoleRequestSchema, request),
    });
    return {};
  },
});
