import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, sql } from "drizzle-orm";
import { Capability } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import {
  BatchDeleteExternalGroupRoleMappingsResponseSchema,
  type ExternalGroupRoleMapping,
  ExternalGroupRoleMappingSchema,
  ExternalGroupRoleMappingsService,
} from "../../../schema/gen/platform/iam/v2/external_group_role_mappings_pb.js";
import { externalGroupRoleMappings as mappings } from "../../../schema/tables/iam/external_group_role_mappings.ts";
import { identityProviders } from "../../../schema/tables/iam/identity_providers.ts";
import { roles } from "../../../schema/tables/iam/roles.ts";
import { rowColumns } from "../../../schema/tables/list_indexes.ts";
import { isPresent } from "../../../schema/tables/platform/deletions.ts";
import { invalidArgument } from "../../aip/errors.ts";
import { areUnchanged } from "../../aip/stale.ts";
import { parentOf, rootOf } from "../../aip/uid_path.ts";
import { wholeMessage } from "../../aip/whole_message.ts";
import { accessDenied } from "../../auth/access_decision.ts";
import type { Database } from "../../auth/call.ts";
import { type Caller, holds } from "../../auth/grants.ts";
import { commit, onlyIf } from "../../outbox/commit.ts";
import { insertEvent } from "../../outbox/outbox.ts";
import { list } from "../../paging/list.ts";
import { defineListing, times } from "../../paging/listing.ts";
import { newMessage, writeCreate } from "../../resource/create.ts";
import { writeDelete } from "../../resource/delete.ts";
import { find } from "../../resource/find.ts";
import type { Readable } from "../../resource/resource.ts";
import { resource } from "../../resource/resource.ts";
import type { Stored } from "../../resource/stored_row.ts";
import { maskedUpdate, writeUpdate } from "../../resource/update.ts";
import { service } from "../../rpc/service.ts";
import { type RoleWrite, withAccessChanges } from "../access_changes/access_changes.ts";

const listing = defineListing({
  table: mappings,
  leafOf: identityProviders,
  mayBeLeft: true,
  orders: { uid: "uid", ...times, external_group_id: "externalGroupId", role_uid: "roleUid" },
});

function toMapping(row: Stored<typeof mappings>): ExternalGroupRoleMapping {
  return wholeMessage(ExternalGroupRoleMappingSchema, {
    uid: row.uid,
    identityProviderUid: parentOf(row.uid),
    externalGroupId: row.externalGroupId,
    roleUid: row.roleUid,
    scope: row.scope,
    accessChanges: undefined,
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.updateTime),
  });
}

const mapping = resource({
  type: "iam/ExternalGroupRoleMapping",
  schema: ExternalGroupRoleMappingSchema,
  table: mappings,
  select: (db: Database, uid: string) =>
    db
      .select(rowColumns(mappings))
      .from(mappings)
      .where(and(eq(mappings.uid, uid), isPresent(mappings.parent))),
  toMessage: toMapping,
  toColumns: ({ externalGroupId, roleUid, scope }: ExternalGroupRoleMapping) => ({
    externalGroupId,
    roleUid,
    scope,
  }),
  otherFields: { identityProviderUid: "computed", accessChanges: "computed" },
  groupOf: rootOf,
  unique: () => "for that external group, role and scope",
  eventExtensions: (uid) => aboutProvider(parentOf(uid)),
});

/**
 * The attributes of an event about the mappings of a provider, in addition to its body (contract: events).
 */
const aboutProvider = (uid: string) => ({ identityprovider: uid });

/** An identity provider as the parent of a new resource. */
const parentProvider: Readable<{ uid: string }> = {
  type: "iam/IdentityProvider",
  select: (db, uid) =>
    db
      .select({ uid: identityProviders.uid })
      .from(identityProviders)
      .where(eq(identityProviders.uid, uid)),
};

/** The statement that reads a role by its uid, and the current role of an existing mapping. */
const selectRoles = (db: Database, uid: string, existing = "") =>
  db
    .select({ uid: roles.uid, name: roles.name, capabilities: roles.capabilities })
    .from(roles)
    .where(
      sql`${roles.uid} in (${uid}, (select ${mappings.roleUid} from ${mappings} where ${mappings.uid} = ${existing}))`,
    );

type Role = { uid: string; name: string; capabilities: number[] };

/**
 * Refuses a mapping without a group, role or scope. Also refuses one whose role the caller could not bind:
 * that needs the capability to bind roles on the scope, and all capabilities of the role there. Returns the role.
 */
function checkMapping(
  caller: Caller,
  roleRows: Role[],
  provider: string,
  message: ExternalGroupRoleMapping,
): Role {
  const { externalGroupId, roleUid, scope } = message;
  if (externalGroupId === "") {
    throw invalidArgument("external_group_id", "external_group_id is required");
  }
  if (roleUid === "") throw invalidArgument("role_uid", "role_uid is required");
  if (scope === "") throw invalidArgument("scope", "scope is required");
  if (scope !== rootOf(provider)) {
    throw invalidArgument("scope", "scope must be the organization of the identity provider");
  }
  const role = roleRows.find((row) => row.uid === roleUid);
  const shared = parentOf(roleUid) === "" || parentOf(roleUid) === scope;
  if (!role || !shared) {
    throw invalidArgument("role_uid", "role_uid must be a built-in role or a role of the scope");
  }
  const capabilities = [...role.capabilities, Capability.CAP_IAM_ROLE_BINDINGS_CREATE];
  if (!holds(caller, capabilities, scope)) {
    const text = `the role ${role.name} has capabilities that you do not have on the scope`;
    throw accessDenied(text, { capabilities, resource: scope });
  }
  return role;
}

/** The effect of a write of mappings on the access of external groups of their provider. */
function mappingWrite(
  provider: string,
  before: readonly { uid: string; externalGroupId: string }[],
  after?: [ExternalGroupRoleMapping, Role],
): RoleWrite {
  const added = after ? [after] : [];
  const holderOf = (externalGroup: string) => ({ provider, externalGroup });
  const named = [...before, ...added.map(([message]) => message)].map((row) => row.externalGroupId);
  return {
    group: parentOf(provider),
    organization: rootOf(provider),
    externalGroups: { named: [...new Set(named)].map(holderOf) },
    removed: before.map(({ uid }) => uid),
    added: added.map(([{ externalGroupId, scope }, { uid: role, capabilities }]) => ({
      uid: "",
      group: scope,
      role,
      capabilities,
      holder: holderOf(externalGroupId),
    })),
  };
}

export const externalGroupRoleMappingsService = service(ExternalGroupRoleMappingsService, {
  async getExternalGroupRoleMapping({ uid }, call) {
    return toMapping((await find(call, mapping, uid)).row);
  },

  async listExternalGroupRoleMappings(request, call) {
    const page = await list(call, request, listing, { parent: request.identityProviderUid });
    return { externalGroupRoleMappings: page.rows.map(toMapping), ...page.envelope };
  },

  async createExternalGroupRoleMapping({ parent, externalGroupRoleMapping: input }, call) {
    const wanted = newMessage(mapping, input);
    const { caller, extraReads } = await find(call, parentProvider, parent, {
      extraReads: [selectRoles(call.db, wanted.roleUid)],
    });
    const [roleRows] = extraReads;
    const role = checkMapping(caller, roleRows, parent, wanted);
    const made = await writeCreate(call, mapping, caller, wanted, { parent });
    return withAccessChanges(call, caller, made, mappingWrite(parent, [], [wanted, role]));
  },

  async updateExternalGroupRoleMapping(request, call) {
    const { externalGroupRoleMapping: input = create(ExternalGroupRoleMappingSchema) } = request;
    const { caller, row, extraReads } = await find(call, mapping, input.uid, {
      extraReads: [selectRoles(call.db, input.roleUid, input.uid)],
    });
    const [roleRows] = extraReads;
    const update = maskedUpdate(call, mapping, row, input, request.updateMask);
    const role = checkMapping(caller, roleRows, parentOf(row.uid), update.after);
    const changed = await writeUpdate(call, mapping, caller, update);
    const write = mappingWrite(parentOf(row.uid), [row], [update.after, role]);
    return withAccessChanges(call, caller, changed, write);
  },

  async deleteExternalGroupRoleMapping(request, call) {
    const { caller, row } = await find(call, mapping, request.uid);
    const done = await writeDelete(call, mapping, caller, request);
    const write = mappingWrite(parentOf(row.uid), [row]);
    return withAccessChanges(call, caller, done, write);
  },

  async batchDeleteExternalGroupRoleMappings({ parent, names }, call) {
    const isNamed = sql`${mappings.uid} in (select value from json_each(${JSON.stringify(names)}))`;
    const named = call.db
      .select(rowColumns(mappings))
      .from(mappings)
      .where(and(eq(mappings.parent, parent), isNamed));
    const { caller, extraReads } = await find(call, parentProvider, parent, {
      extraReads: [named],
    });
    const [rows] = extraReads;
    const other = names.findIndex((name) => parentOf(name) !== parent);
    if (other >= 0) {
      const field = `names[${other}]`;
      throw invalidArgument(field, `${field} belongs to another identity provider`);
    }
    const response = create(BatchDeleteExternalGroupRoleMappingsResponseSchema, {
      parent,
      externalGroupRoleMappings: rows.map(toMapping),
    });
    if (rows.length === 0) return withAccessChanges(call, caller, response);
    // The response and the event show the deleted mapping, so it must be exactly as it was read.
    const uids = JSON.stringify(rows.map(({ uid }) => uid));
    await commit(call, [
      onlyIf(call.db, areUnchanged(mappings, rows)),
      call.db
        .delete(mappings)
        .where(sql`${mappings.uid} in (select value from json_each(${uids}))`),
      insertEvent(call, caller, {
        subject: parent,
        group: rootOf(parent),
        extensions: aboutProvider(parent),
        body: { desc: BatchDeleteExternalGroupRoleMappingsResponseSchema, message: response },
      }),
    ]);
    return withAccessChanges(call, caller, response, mappingWrite(parent, rows));
  },
});
