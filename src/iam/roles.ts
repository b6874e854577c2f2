import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, exists, or, sql } from "drizzle-orm";
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import {
  Capability,
  CapabilitySchema,
} from "../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { type Role, RoleSchema, RolesService } from "../../schema/gen/platform/iam/v2/roles_pb.js";
import { isInternalOnly } from "../../schema/options.ts";
import { externalGroupRoleMappings as mappings } from "../../schema/tables/external_group_role_mappings.ts";
import { groups } from "../../schema/tables/groups.ts";
import { identityProviders } from "../../schema/tables/identity_providers.ts";
import { roleBindings } from "../../schema/tables/role_bindings.ts";
import { roles } from "../../schema/tables/roles.ts";
import {
  alreadyExists,
  failedPrecondition,
  invalidArgument,
  notFound,
  permissionDenied,
} from "../aip/errors.ts";
import { applyMask, changesNothing } from "../aip/field_mask.ts";
import { newUid, parentOf } from "../aip/uid_path.ts";
import { validate } from "../aip/validation.ts";
import { authorizeAndRead, capabilityText, missing, read } from "../auth/access.ts";
import type { Call } from "../auth/call.ts";
import { type Caller, holds, scopesOf } from "../auth/grants.ts";
import { selectOwned } from "../auth/owners.ts";
import { commit, commitIfChanged, keepOwner, nextTime } from "../outbox/commit.ts";
import { insertEvent } from "../outbox/outbox.ts";
import { list } from "../paging/list.ts";
import { defineListing } from "../paging/listing.ts";
import { service } from "../rpc/service.ts";

type Row = typeof roles.$inferSelect;

/** Version 1 tells their names, which are so many times as long as the numbers that are stored. */
const bytesPerCapability = 6;

const listing = defineListing({
  table: roles,
  longColumns: {
    name: roles.name,
    description: roles.description,
    capabilities: { column: roles.capabilities, times: bytesPerCapability },
  },
});

function toRole(row: Row): Role {
  return create(RoleSchema, {
    uid: row.uid,
    name: row.name,
    description: row.description,
    capabilities: row.capabilities,
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

/** Reads a role that is to be changed. Built-in ones are nobody's to change. */
async function find<const S extends readonly BatchItem<"sqlite">[]>(
  call: Call,
  uid: string,
  also: S,
) {
  const select = call.db.select().from(roles).where(eq(roles.uid, uid));
  if (isBuiltIn(uid)) {
    const { rows } = await read(call, undefined, [select]);
    if (rows[0][0]) throw permissionDenied("built-in roles cannot be changed or deleted");
  }
  const { caller, rows } = await authorizeAndRead(call, uid, [select, ...also] as const);
  const [[row], ...more] = rows as [Row[], ...BatchResponse<S>];
  if (!row) throw notFound("iam/Role", uid);
  return { caller, row, more };
}

function isInternal(capability: number): boolean {
  const value = CapabilitySchema.values.find(({ number }) => number === capability);
  return value !== undefined && isInternalOnly(value);
}

/** Sorts the capabilities and takes out doubles; refuses those a role may not have. */
function settle(role: Role, caller: Caller, group: string): void {
  const given = [...new Set(role.capabilities as number[])].sort((a, b) => a - b);
  if (given.length === 0)
    throw invalidArgument("capabilities", "capabilities must name at least one");
  if (given.includes(Capability.UNKNOWN)) {
    throw invalidArgument("capabilities", "capabilities must not name UNKNOWN");
  }
  const reserved = given.find(isInternal);
  if (reserved !== undefined && !given.includes(Capability.CAP_INTERNAL)) {
    throw invalidArgument("capabilities", `capabilities: ${capabilityText(reserved)} is internal`);
  }
  if (given.includes(Capability.CAP_INTERNAL) && !holds(caller, [Capability.CAP_INTERNAL], group)) {
    throw permissionDenied("only the operator of the platform grants internal capabilities");
  }
  role.capabilities = given;
}

const conflict = (name: string) => () => alreadyExists("iam/Role", name);

/** The statement that finds who needs a role: its bindings, and what identity providers give. */
function selectUse({ db }: Call, uid: string) {
  const one = { one: sql`1` };
  const uses = [
    db.select(one).from(roleBindings).where(eq(roleBindings.roleUid, uid)),
    db.select(one).from(mappings).where(eq(mappings.roleUid, uid)),
    db.select(one).from(identityProviders).where(eq(identityProviders.defaultRole, uid)),
  ];
  const isUsed = or(...uses.map((use) => exists(use)));
  return db
    .select(one)
    .from(roles)
    .where(and(eq(roles.uid, uid), isUsed));
}

export const rolesService = service(RolesService, {
  async getRole({ uid }, call) {
    const select = call.db.select().from(roles).where(eq(roles.uid, uid));
    const { caller, rows } = await read(call, undefined, [select]);
    const may = isBuiltIn(uid)
      ? scopesOf(caller, call.capabilities).length > 0
      : holds(caller, call.capabilities, uid);
    if (!may) throw missing(call.capabilities);
    const [row] = rows[0];
    if (!row) throw notFound("iam/Role", uid);
    return toRole(row);
  },

  async listRoles(request, call) {
    const named = request.name === "" ? undefined : eq(roles.name, request.name);
    const page = await list(call, request, listing, {
      filters: [named],
      index: named ? "scope_index" : "order_index",
      isRootShared: true,
    });
    return { roles: page.rows.map(toRole), ...page.envelope };
  },

  async createRole({ parent, role: given }, call) {
    const group = call.db.select({ uid: groups.uid }).from(groups).where(eq(groups.uid, parent));
    const { caller, rows } = await authorizeAndRead(call, parent, [group]);
    if (!rows[0][0]) throw notFound("iam/Group", parent);
    const role = applyMask(RoleSchema, create(RoleSchema), given ?? create(RoleSchema), undefined);
    settle(role, caller, parent);
    role.uid = newUid(parent);
    role.createTime = timestampFromMs(call.now);
    role.updateTime = timestampFromMs(call.now);
    const times = { createTime: call.now, updateTime: call.now };
    await commit(
      call,
      [
        call.db.insert(roles).values({ uid: role.uid, ...toColumns(role), ...times }),
        insertEvent(call, caller, {
          subject: role.uid,
          group: parent,
          body: { desc: RoleSchema, message: role },
        }),
      ],
      conflict(role.name),
    );
    return role;
  },

  /** Takes effect at the next call of everyone bound; so nobody may add what they do not hold. */
  async updateRole({ role: change, updateMask }, call) {
    const given = change ?? create(RoleSchema);
    const also = [selectOwned(call, parentOf(given.uid))] as const;
    const { caller, row, more } = await find(call, given.uid, also);
    const group = parentOf(row.uid);
    const before = toRole(row);
    const role = applyMask(RoleSchema, before, given, updateMask);
    validate(RoleSchema, role);
    settle(role, caller, group);
    const added = role.capabilities.filter((one) => !row.capabilities.includes(one));
    if (!holds(caller, added, group)) {
      throw permissionDenied("a role cannot be given capabilities that you do not hold");
    }
    if (changesNothing(RoleSchema, before, role)) return before;
    const updateTime = nextTime(call, row.updateTime);
    role.updateTime = timestampFromMs(updateTime);
    await commitIfChanged(
      call,
      [
        call.db
          .update(roles)
          .set({ ...toColumns(role), updateTime })
          .where(and(eq(roles.uid, row.uid), eq(roles.updateTime, row.updateTime))),
        insertEvent(call, caller, {
          subject: row.uid,
          group,
          body: { desc: RoleSchema, message: role },
        }),
        ...keepOwner(call, more[0]),
      ],
      conflict(role.name),
    );
    return role;
  },

  async deleteRole(request, call) {
    const use = selectUse(call, request.uid);
    const { caller, row, more } = await find(call, request.uid, [use]);
    if (more[0].length > 0) {
      throw failedPrecondition(
        "RESOURCE_IN_USE",
        "cannot delete role with role bindings, or that an identity provider gives",
        row.uid,
      );
    }
    // A trigger refuses the deletion of a role that came into use in between.
    await commitIfChanged(call, [
      call.db.delete(roles).where(eq(roles.uid, row.uid)),
      insertEvent(call, caller, {
        subject: row.uid,
        group: parentOf(row.uid),
        body: { desc: call.method.input, message: request },
      }),
    ]);
    return {};
  },
});
