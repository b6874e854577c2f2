import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, or, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import {
  Capability,
  CapabilitySchema,
} from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import {
  type Role,
  RoleSchema,
  RolesService,
} from "../../../schema/gen/platform/iam/v2/roles_pb.js";
import { isInternalOnly } from "../../../schema/options.ts";
import { externalGroupRoleMappings as mappings } from "../../../schema/tables/iam/external_group_role_mappings.ts";
import { identityProviders } from "../../../schema/tables/iam/identity_providers.ts";
import { roles } from "../../../schema/tables/iam/roles.ts";
import type { RowOf } from "../../../schema/tables/list_indexes.ts";
import { isPresent } from "../../../schema/tables/platform/deletions.ts";
import {
  failedPrecondition,
  invalidArgument,
  notFound,
  permissionDenied,
} from "../../aip/errors.ts";
import { parentOf, rootOf } from "../../aip/uid_path.ts";
import { wholeMessage } from "../../aip/whole_message.ts";
import { capabilityLabel, missingCapabilities, readWithGrants } from "../../auth/access.ts";
import { accessDenied } from "../../auth/access_decision.ts";
import type { Call } from "../../auth/call.ts";
import { type Caller, holds, scopesOf } from "../../auth/grants.ts";
import { selectIfOwned } from "../../auth/owners.ts";
import { keepOwner } from "../../outbox/commit.ts";
import { list } from "../../paging/list.ts";
import { defineListing } from "../../paging/listing.ts";
import { newMessage, writeCreate } from "../../resource/create.ts";
import { writeDelete } from "../../resource/delete.ts";
import { find, parentGroup, selectRow } from "../../resource/find.ts";
import { resource } from "../../resource/resource.ts";
import type { Stored } from "../../resource/stored_row.ts";
import { maskedUpdate, writeUpdate } from "../../resource/update.ts";
import { service } from "../../rpc/service.ts";
import { withAccessChanges } from "../access_changes/access_changes.ts";
import { selectBindingsOf } from "../role_bindings/of_role.ts";

type Row = RowOf<typeof roles>;

/** Version 1 returns the names of the capabilities, which are much longer than the stored numbers. */
const bytesPerCapability = 6;

const listing = defineListing({
  table: roles,
  weights: { capabilities: bytesPerCapability },
});

function toRole(row: Stored<typeof roles>): Role {
  return wholeMessage(RoleSchema, {
    uid: row.uid,
    name: row.name,
    description: row.description,
    capabilities: row.capabilities,
    accessChanges: undefined,
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.updateTime),
  });
}

const toColumns = ({ name, description, capabilities }: Role) => ({
  name,
  description,
  capabilities: capabilities as number[],
});

const isBuiltIn = (uid: string) => parentOf(uid) === "";

const role = resource({
  type: "iam/Role",
  schema: RoleSchema,
  table: roles,
  select: selectRow(roles),
  toMessage: toRole,
  toColumns,
  otherFields: { accessChanges: "computed" },
  groupOf: parentOf,
  unique: ({ name }) => name,
});

/** Reads a role that the call changes. No one can change a built-in role. */
async function findOwn<const S extends readonly BatchItem<"sqlite">[]>(
  call: Call,
  uid: string,
  extraReads: S,
) {
  if (isBuiltIn(uid)) {
    const { rows } = await readWithGrants(call, undefined, [role.select(call.db, uid)]);
    if (rows[0][0]) throw permissionDenied("built-in roles cannot be changed or deleted");
  }
  return find(call, role, uid, { extraReads });
}

function isInternalCapability(capability: number): boolean {
  const value = CapabilitySchema.values.find(({ number }) => number === capability);
  return value !== undefined && isInternalOnly(value);
}

/** Sorts the capabilities and removes duplicates. Refuses those that a role cannot have. */
function normalizeCapabilities(role: Role, caller: Caller, group: string): void {
  const capabilities = [...new Set(role.capabilities as number[])].sort((a, b) => a - b);
  if (capabilities.length === 0)
    throw invalidArgument("capabilities", "capabilities must contain at least one capability");
  if (capabilities.includes(Capability.UNKNOWN)) {
    throw invalidArgument("capabilities", "capabilities must not contain UNKNOWN");
  }
  const reserved = capabilities.find(isInternalCapability);
  if (reserved !== undefined && !capabilities.includes(Capability.CAP_INTERNAL)) {
    const text = "is internal, and only the operator of the platform can grant it";
    throw invalidArgument("capabilities", `capabilities: ${capabilityLabel(reserved)} ${text}`);
  }
  if (
    capabilities.includes(Capability.CAP_INTERNAL) &&
    !holds(caller, [Capability.CAP_INTERNAL], group)
  ) {
    const text = "only the operator of the platform can grant internal capabilities";
    throw accessDenied(text, {
      capabilities: [Capability.CAP_INTERNAL],
      resource: group,
    });
  }
  role.capabilities = capabilities;
}

/** The statement that finds the uses of a role: its bindings, and identity providers that give it. */
function selectRoleUses({ db }: Call, uid: string) {
  const columns = { one: sql`1` };
  const uses = [
    sql`(${selectBindingsOf(uid, sql`1`)})`,
    db
      .select(columns)
      .from(mappings)
      .where(and(eq(mappings.roleUid, uid), isPresent(mappings.parent))),
    db.select(columns).from(identityProviders).where(eq(identityProviders.defaultRole, uid)),
  ];
  const isUsed = or(...uses.map((use) => sql`exists ${use}`));
  return db
    .select(columns)
    .from(roles)
    .where(and(eq(roles.uid, uid), isUsed));
}

/** The effect of an update of a role on the access of everyone who has it. Undefined if there is none. */
function capabilitiesWrite({ uid, capabilities: before }: Row, after: number[]) {
  if (JSON.stringify(before) === JSON.stringify(after)) return undefined;
  return {
    group: parentOf(uid),
    organization: rootOf(uid),
    identities: { ofRole: uid },
    externalGroups: { ofRole: uid },
    role: { uid, capabilities: after },
  };
}

export const rolesService = service(RolesService, {
  async getRole({ uid }, call) {
    const { caller, rows } = await readWithGrants(call, undefined, [role.select(call.db, uid)]);
    const may = isBuiltIn(uid)
      ? scopesOf(caller, call.capabilities).length > 0
      : holds(caller, call.capabilities, uid);
    if (!may) throw missingCapabilities(call.capabilities, isBuiltIn(uid) ? "" : uid);
    const [row] = rows[0];
    if (!row) throw notFound("iam/Role", uid);
    return toRole(row);
  },

  async listRoles(request, call) {
    const named = request.name === "" ? undefined : eq(roles.name, request.name);
    const page = await list(call, request, listing, {
      filters: [named],
      index: named ? "scope_index" : "order_index",
      namePrefix: request.namePrefix,
      isRootShared: true,
    });
    return { roles: page.rows.map(toRole), ...page.envelope };
  },

  async createRole({ parent, role: input }, call) {
    const { caller } = await find(call, parentGroup, parent);
    const message = newMessage(role, input);
    normalizeCapabilities(message, caller, parent);
    const made = await writeCreate(call, role, caller, message, { parent });
    return withAccessChanges(call, caller, made);
  },

  /**
   * A change takes effect with the next call of everyone who has the role. No one may therefore add
   * capabilities that they do not have.
   */
  async updateRole({ role: input = create(RoleSchema), updateMask }, call) {
    const group = parentOf(input.uid);
    const { caller, row, extraReads } = await findOwn(call, input.uid, [
      selectIfOwned(call, group),
    ]);
    const update = maskedUpdate(call, role, row, input, updateMask);
    const { after } = update;
    normalizeCapabilities(after, caller, group);
    const added = after.capabilities.filter((capability) => !row.capabilities.includes(capability));
    if (!holds(caller, added, group)) {
      const text = "you cannot add capabilities that you do not have to a role";
      throw accessDenied(text, { capabilities: added, resource: group });
    }
    const changed = await writeUpdate(call, role, caller, update, {
      extraWrites: keepOwner(call, extraReads[0]),
    });
    return withAccessChanges(call, caller, changed, capabilitiesWrite(row, after.capabilities));
  },

  /** A trigger refuses to delete a role that came into use in the meantime. */
  async deleteRole(request, call) {
    const { caller, extraReads } = await findOwn(call, request.uid, [
      selectRoleUses(call, request.uid),
    ]);
    if (extraReads[0].length > 0) {
      throw failedPrecondition(
        "RESOURCE_IN_USE",
        "cannot delete role with role bindings, role mappings or identity providers that give it",
        request.uid,
      );
    }
    return withAccessChanges(call, caller, await writeDelete(call, role, caller, request));
  },
});
