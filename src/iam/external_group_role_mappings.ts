import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, sql } from "drizzle-orm";
import { Capability } from "../../schema/gen/platform/capabilities/v1/capability_pb.js";
import {
  BatchDeleteExternalGroupRoleMappingsResponseSchema,
  type ExternalGroupRoleMapping,
  ExternalGroupRoleMappingSchema,
  ExternalGroupRoleMappingsService,
} from "../../schema/gen/platform/iam/v2/external_group_role_mappings_pb.js";
import { GROUP_LEVELS } from "../../schema/tables/columns.ts";
import { externalGroupRoleMappings as mappings } from "../../schema/tables/external_group_role_mappings.ts";
import { identityProviders } from "../../schema/tables/identity_providers.ts";
import { roles } from "../../schema/tables/roles.ts";
import { alreadyExists, invalidArgument, notFound, permissionDenied } from "../aip/errors.ts";
import { applyMask, changesNothing } from "../aip/field_mask.ts";
import { areAsRead } from "../aip/stale.ts";
import { newUid, parentOf, rootOf } from "../aip/uid_path.ts";
import { validate } from "../aip/validation.ts";
import { authorizeAndRead } from "../auth/access.ts";
import type { Call, Database } from "../auth/call.ts";
import { type Caller, holds } from "../auth/grants.ts";
import { commit, commitIfChanged, nextTime, onlyIf } from "../outbox/commit.ts";
import { insertEvent } from "../outbox/outbox.ts";
import { list } from "../paging/list.ts";
import { defineListing, times } from "../paging/listing.ts";
import { service } from "../rpc/service.ts";

type Row = typeof mappings.$inferSelect;

const listing = defineListing({
  table: mappings,
  deepestIndex: GROUP_LEVELS + 1,
  orders: { uid: "uid", ...times, external_group_id: "externalGroupId", role_uid: "roleUid" },
  longColumns: { externalGroupId: mappings.externalGroupId },
});

type Shown = Pick<
  Row,
  "uid" | "externalGroupId" | "roleUid" | "scope" | "createTime" | "updateTime"
>;

function toMapping(row: Shown): ExternalGroupRoleMapping {
  return create(ExternalGroupRoleMappingSchema, {
    uid: row.uid,
    identityProviderUid: parentOf(row.uid),
    externalGroupId: row.externalGroupId,
    roleUid: row.roleUid,
    scope: row.scope,
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.updateTime),
  });
}

const selectMapping = (call: Call, uid: string) =>
  call.db.select().from(mappings).where(eq(mappings.uid, uid));

/** The statement that reads a role by its uid, and the one that an existing mapping gives. */
const selectRoles = (db: Database, uid: string, existing = "") =>
  db
    .select({ uid: roles.uid, name: roles.name, capabilities: roles.capabilities })
    .from(roles)
    .where(
      sql`${roles.uid} in (${uid}, (select ${mappings.roleUid} from ${mappings} where ${mappings.uid} = ${existing}))`,
    );

type Role = { uid: string; name: string; capabilities: number[] };

/**
 * Refuses a mapping that names no group, role or scope, and one that gives what the caller could not
 * bind: that needs the capability to bind roles on the scope, and everything the role holds there.
 */
function check(caller: Caller, found: Role[], provider: string, given: ExternalGroupRoleMapping) {
  const { externalGroupId, roleUid, scope } = given;
  if (externalGroupId === "") {
    throw invalidArgument("external_group_id", "external_group_id is required");
  }
  if (roleUid === "") throw invalidArgument("role_uid", "role_uid is required");
  if (scope === "") throw invalidArgument("scope", "scope is required");
  if (scope !== rootOf(provider)) {
    throw invalidArgument("scope", "scope must be the organization of the identity provider");
  }
  const role = found.find((one) => one.uid === roleUid);
  const shared = parentOf(roleUid) === "" || parentOf(roleUid) === scope;
  if (!role || !shared) {
    throw invalidArgument("role_uid", "role_uid names no built-in role and no role of the scope");
  }
  if (!holds(caller, [...role.capabilities, Capability.CAP_IAM_ROLE_BINDINGS_CREATE], scope)) {
    throw permissionDenied(
      `role ${role.name} holds capabilities that you do not hold on the scope`,
    );
  }
}

const conflict = () =>
  alreadyExists("iam/ExternalGroupRoleMapping", "of that external group, role and scope");

/** What an event about mappings of a provider says besides its body (contract: events). */
const about = (subject: string, provider: string) => ({
  subject,
  group: rootOf(subject),
  extensions: { identityprovider: provider },
});

export const externalGroupRoleMappingsService = service(ExternalGroupRoleMappingsService, {
  async getExternalGroupRoleMapping({ uid }, call) {
    const { rows } = await authorizeAndRead(call, uid, [selectMapping(call, uid)]);
    const [row] = rows[0];
    if (!row) throw notFound("iam/ExternalGroupRoleMapping", uid);
    return toMapping(row);
  },

  async listExternalGroupRoleMappings(request, call) {
    const { identityProviderUid: provider } = request;
    const page = await list(call, request, listing, {
      filters: [provider === "" ? undefined : eq(mappings.parent, provider)],
      index: provider === "" ? "order_index" : "filter_index",
    });
    return { externalGroupRoleMappings: page.rows.map(toMapping), ...page.envelope };
  },

  async createExternalGroupRoleMapping({ parent, externalGroupRoleMapping: given }, call) {
    const blank = create(ExternalGroupRoleMappingSchema);
    const wanted = applyMask(ExternalGroupRoleMappingSchema, blank, given ?? blank, undefined);
    const { caller, rows } = await authorizeAndRead(call, parent, [
      call.db
        .select({ uid: identityProviders.uid })
        .from(identityProviders)
        .where(eq(identityProviders.uid, parent)),
      selectRoles(call.db, wanted.roleUid),
    ]);
    const [[provider], found] = rows;
    if (!provider) throw notFound("iam/IdentityProvider", parent);
    check(caller, found, parent, wanted);
    const { externalGroupId, roleUid, scope } = wanted;
    const times = { createTime: call.now, updateTime: call.now };
    const row = { uid: newUid(parent), externalGroupId, roleUid, scope, ...times };
    const message = toMapping(row);
    await commit(
      call,
      [
        call.db.insert(mappings).values(row),
        insertEvent(call, caller, {
          ...about(row.uid, parent),
          body: { desc: ExternalGroupRoleMappingSchema, message },
        }),
      ],
      conflict,
    );
    return message;
  },

  async updateExternalGroupRoleMapping({ externalGroupRoleMapping: change, updateMask }, call) {
    const given = change ?? create(ExternalGroupRoleMappingSchema);
    const { caller, rows } = await authorizeAndRead(call, given.uid, [
      selectMapping(call, given.uid),
      selectRoles(call.db, given.roleUid, given.uid),
    ]);
    const [[before], found] = rows;
    if (!before) throw notFound("iam/ExternalGroupRoleMapping", given.uid);
    const provider = parentOf(before.uid);
    const current = toMapping(before);
    const next = applyMask(ExternalGroupRoleMappingSchema, current, given, updateMask);
    validate(ExternalGroupRoleMappingSchema, next);
    check(caller, found, provider, next);
    if (changesNothing(ExternalGroupRoleMappingSchema, current, next)) return current;
    const { externalGroupId, roleUid, scope } = next;
    const updateTime = nextTime(call, before.updateTime);
    const changes = { externalGroupId, roleUid, scope, updateTime };
    const message = toMapping({ ...before, ...changes });
    await commitIfChanged(
      call,
      [
        call.db
          .update(mappings)
          .set(changes)
          .where(and(eq(mappings.uid, before.uid), eq(mappings.updateTime, before.updateTime))),
        insertEvent(call, caller, {
          ...about(before.uid, provider),
          body: { desc: ExternalGroupRoleMappingSchema, message },
        }),
      ],
      conflict,
    );
    return message;
  },

  async deleteExternalGroupRoleMapping(request, call) {
    const { uid } = request;
    const { caller, rows } = await authorizeAndRead(call, uid, [selectMapping(call, uid)]);
    if (!rows[0][0]) throw notFound("iam/ExternalGroupRoleMapping", uid);
    await commitIfChanged(call, [
      call.db.delete(mappings).where(eq(mappings.uid, uid)),
      insertEvent(call, caller, {
        ...about(uid, parentOf(uid)),
        body: { desc: call.method.input, message: request },
      }),
    ]);
    return {};
  },

  async batchDeleteExternalGroupRoleMappings({ parent, names }, call) {
    const { caller, rows } = await authorizeAndRead(call, parent, [
      call.db
        .select({ uid: identityProviders.uid })
        .from(identityProviders)
        .where(eq(identityProviders.uid, parent)),
      call.db
        .select()
        .from(mappings)
        .where(
          and(
            eq(mappings.parent, parent),
            sql`${mappings.uid} in (select value from json_each(${JSON.stringify(names)}))`,
          ),
        ),
    ]);
    const [[provider], found] = rows;
    if (!provider) throw notFound("iam/IdentityProvider", parent);
    const other = names.findIndex((name) => parentOf(name) !== parent);
    if (other >= 0) {
      const field = `names[${other}]`;
      throw invalidArgument(field, `${field} belongs to another identity provider`);
    }
    const response = create(BatchDeleteExternalGroupRoleMappingsResponseSchema, {
      parent,
      externalGroupRoleMappings: found.map(toMapping),
    });
    if (found.length === 0) return response;
    // The answer and the event show what was removed, so all of it must be as it was read.
    const uids = JSON.stringify(found.map(({ uid }) => uid));
    await commit(call, [
      onlyIf(call.db, areAsRead(mappings, found)),
      call.db
        .delete(mappings)
        .where(sql`${mappings.uid} in (select value from json_each(${uids}))`),
      insertEvent(call, caller, {
        ...about(parent, parent),
        body: { desc: BatchDeleteExternalGroupRoleMappingsResponseSchema, message: response },
      }),
    ]);
    return response;
  },
});
