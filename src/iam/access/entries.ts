/** Role bindings and role mappings as messages, and as the grants of a call. */
import { create } from "@bufbuild/protobuf";
import {
  type AccessEntry,
  AccessEntrySchema,
  AccessState,
} from "../../../schema/gen/platform/iam/access/v2/access_pb.js";
import { isAtOrAbove, parentOf } from "../../aip/uid_path.ts";
import type { GrantRow } from "../../auth/grant_rows.ts";
import type { BindingRow, MappingRow } from "./evidence.ts";

/** Whether a group is above the nearest group of the resource. */
const isInherited = (group: string, nearest: string) =>
  group !== nearest && isAtOrAbove(group, nearest);

/** The nearest of the groups on one path. Undefined for no groups. */
export const nearestOf = (groups: { uid: string }[]): string | undefined =>
  groups.map(({ uid }) => uid).toSorted((a, b) => b.length - a.length)[0];

/** Whether an identity can have access to the resource. `home` is its group, which is empty for a person. */
export const reaches = (home: string, resource: string) =>
  home === "" || isAtOrAbove(home, resource);

/** A role of an identity as the row that a call reads for it, as if it were accepted and not blocked. */
export const toGrantRow = ({
  identity,
  group,
  role,
  capabilities,
}: Pick<BindingRow, "identity" | "group" | "role" | "capabilities">): GrantRow => ({
  identity,
  group,
  role,
  capabilities,
  name: "",
  firstUsedTime: 0,
  lastUsedTime: 0,
  binding: null,
  bindingUsedTime: null,
});

/** Whether a role binding gives its role on the resource, or why it does not. */
export function stateOf({ accepted, isOpen, identity }: BindingRow, resource: string): AccessState {
  if (!reaches(parentOf(identity), resource)) return AccessState.OUT_OF_REACH;
  if (!accepted) return AccessState.PENDING;
  return isOpen === 0 ? AccessState.BLOCKED : AccessState.EFFECTIVE;
}

/** A role binding. `nearest` is the nearest group of the resource. */
export const bindingEntry = (row: BindingRow, resource: string, nearest: string): AccessEntry =>
  create(AccessEntrySchema, {
    identityUid: row.identity,
    // As in ListRoleBindings, a pending role binding reveals nothing about its person.
    identityName: row.accepted ? (row.identityName ?? "") : "",
    roleBindingUid: row.uid,
    groupUid: row.group,
    inherited: isInherited(row.group, nearest),
    roleUid: row.role,
    roleName: row.roleName ?? "",
    state: stateOf(row, resource),
  });

/** A role mapping. */
export function mappingEntry(row: MappingRow, nearest: string): AccessEntry {
  const [scimGroupUid = "", scimGroupName = ""] = JSON.parse(row.scimGroup ?? "[]") as string[];
  return create(AccessEntrySchema, {
    externalGroupRoleMappingUid: row.uid,
    externalGroupId: row.externalGroup,
    groupUid: row.group,
    inherited: isInherited(row.group, nearest),
    roleUid: row.role,
    roleName: row.roleName ?? "",
    state: AccessState.EFFECTIVE,
    scimGroupUid,
    scimGroupName,
  });
}

/** A grant on a group whose role bindings the person who asks cannot list. */
export const hiddenEntry = (group: string, nearest: string): AccessEntry =>
  create(AccessEntrySchema, {
    groupUid: group,
    inherited: isInherited(group, nearest),
    state: AccessState.EFFECTIVE,
    hidden: true,
  });
