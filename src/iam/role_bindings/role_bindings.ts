import { create } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { and, eq, lte } from "drizzle-orm";
import {
  BatchCreateRoleBindingsResponseSchema,
  type RoleBinding,
  RoleBindingGroupSchema,
  RoleBindingIdentitySchema,
  RoleBindingRoleSchema,
  RoleBindingSchema,
  RoleBindingsService,
} from "../../../schema/gen/platform/iam/v2/role_bindings_pb.js";
import { groups } from "../../../schema/tables/iam/groups.ts";
import { identities } from "../../../schema/tables/iam/identities.ts";
import { roleBindings } from "../../../schema/tables/iam/role_bindings.ts";
import { roles } from "../../../schema/tables/iam/roles.ts";
import { isPresent } from "../../../schema/tables/platform/deletions.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { alreadyExists, invalidArgument, notFound } from "../../aip/errors.ts";
import { newUid, parentOf } from "../../aip/uid_path.ts";
import { wholeMessage } from "../../aip/whole_message.ts";
import { authorizeAndRead } from "../../auth/access.ts";
import type { Call, Database } from "../../auth/call.ts";
import { selectIfOwned } from "../../auth/owners.ts";
import { commit, keepOwner } from "../../outbox/commit.ts";
import { insertEvent } from "../../outbox/outbox.ts";
import { list } from "../../paging/list.ts";
import { defineListing, times } from "../../paging/listing.ts";
import { conflictOf, createdMessage, creation } from "../../resource/create.ts";
import { writeDelete } from "../../resource/delete.ts";
import { find } from "../../resource/find.ts";
import { requireMatch } from "../../resource/precondition.ts";
import { resource } from "../../resource/resource.ts";
import { insertedRow } from "../../resource/stored_row.ts";
import { maskedUpdate, writeUpdate } from "../../resource/update.ts";
import { service } from "../../rpc/service.ts";
import { withAccessChanges } from "../access_changes/access_changes.ts";
import { bindingWrite } from "./access_changes.ts";
import {
  hydrateBinding,
  identityColumns,
  placeColumns,
  type RequestedBinding,
  roleColumns,
  selectBindingParts,
} from "./parts.ts";
import { checkBindingLimit, guardIdentities } from "./people.ts";

/** The identity that a binding shows. It is absent while the binding is pending. */
const isShownIdentity = and(
  eq(identities.uid, roleBindings.identityUid),
  eq(roleBindings.accepted, true),
);

const columns = {
  uid: roleBindings.uid,
  parent: roleBindings.parent,
  identityUid: roleBindings.identityUid,
  roleUid: roleBindings.roleUid,
  createTime: roleBindings.createTime,
  updateTime: roleBindings.updateTime,
  accepted: roleBindings.accepted,
  lastUsedTime: roleBindings.lastUsedTime,
  idleSinceTime: roleBindings.idleSinceTime,
};

/** Role bindings with the names of their identity, group or repository, and role. */
const selectHydrated = (db: Database, from = roleBindings) =>
  db
    .select({ ...columns, ...identityColumns, ...roleColumns, ...placeColumns })
    .from(from)
    .leftJoin(identities, isShownIdentity)
    .leftJoin(groups, eq(groups.uid, roleBindings.parent))
    .leftJoin(repos, eq(repos.uid, roleBindings.parent))
    .leftJoin(roles, eq(roles.uid, roleBindings.roleUid))
    .$dynamic();

type Row = Awaited<ReturnType<typeof selectHydrated>>[number];

const listing = defineListing({
  table: roleBindings,
  select: selectHydrated,
  mayBeLeft: true,
  orders: {
    uid: "uid",
    ...times,
    identity: "identityUid",
    role: "roleUid",
    last_used_time: "idleSinceTime",
  },
});

/** The bindings that were not used, in the only order that their index supports. */
const unused = {
  ...listing,
  orders: { last_used_time: "idleSinceTime" },
  defaultOrder: "last_used_time",
} as const;

function toRoleBinding(row: Omit<Row, "idleSinceTime">): RoleBinding {
  return wholeMessage(RoleBindingSchema, {
    uid: row.uid,
    identityUid: "",
    roleUid: "",
    identity: wholeMessage(RoleBindingIdentitySchema, {
      uid: row.identityUid,
      name: row.identityName ?? "",
      description: row.identityDescription ?? "",
      subject: row.identitySubject ?? "",
      issuer: row.identityIssuer ?? "",
      email: row.identityEmail ?? "",
    }),
    group: wholeMessage(RoleBindingGroupSchema, {
      uid: row.parent,
      name: row.groupName ?? "",
      description: row.groupDescription ?? "",
      repo: row.isRepo === 1 ? true : undefined,
    }),
    role: wholeMessage(RoleBindingRoleSchema, {
      uid: row.roleUid,
      name: row.roleName ?? "",
      description: row.roleDescription ?? "",
    }),
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.updateTime),
    accessChanges: undefined,
    pending: row.accepted ? undefined : true,
    lastUsedTime: row.lastUsedTime === 0 ? undefined : timestampFromMs(row.lastUsedTime),
  });
}

/** The unique part of a binding, as ALREADY_EXISTS names it. */
const identityGroupAndRole = "for that identity, group and role";

const binding = resource({
  type: "iam/RoleBinding",
  schema: RoleBindingSchema,
  table: roleBindings,
  select: (db: Database, uid: string) =>
    selectHydrated(db).where(and(eq(roleBindings.uid, uid), isPresent(roleBindings.parent))),
  toMessage: toRoleBinding,
  toColumns: ({ identityUid, roleUid }: RoleBinding) => ({ identityUid, roleUid }),
  otherFields: {
    identity: "computed",
    group: "computed",
    role: "computed",
    pending: "computed",
    lastUsedTime: "computed",
    accessChanges: "computed",
  },
  groupOf: parentOf,
  unique: () => identityGroupAndRole,
});

/** A binding as a client sends it, with only the uids. */
const toInput = ({ identityUid, roleUid }: Row) =>
  create(RoleBindingSchema, { identityUid, roleUid });

async function createAll(
  call: Call,
  group: string,
  requested: RequestedBinding[],
  fieldPrefix: (index: number) => string,
) {
  const { caller, rows } = await authorizeAndRead(
    call,
    group,
    selectBindingParts(call.db, group, requested),
  );
  if (!rows[0][0]) throw notFound("iam/Group", group);
  checkBindingLimit(rows[3], requested);
  const times = { createTime: call.now, updateTime: call.now };
  const bindings = requested.map((requestedBinding, index) => ({
    ...hydrateBinding(rows, caller, group, requestedBinding, fieldPrefix(index)),
    ...times,
    uid: newUid(group),
    lastUsedTime: 0,
  }));
  guardIdentities(call, group, rows, { rows: bindings, added: bindings });
  return { caller, bindings };
}

export const roleBindingsService = service(RoleBindingsService, {
  async getRoleBinding({ uid }, call) {
    return toRoleBinding((await find(call, binding, uid)).row);
  },

  async listRoleBindings(request, call) {
    const { identity, group, role, unusedSince } = request;
    const page = await list<Row>(call, request, unusedSince ? unused : listing, {
      filters: [
        unusedSince && lte(roleBindings.idleSinceTime, timestampMs(unusedSince)),
        identity === "" ? undefined : eq(roleBindings.identityUid, identity),
        role === "" ? undefined : eq(roleBindings.roleUid, role),
      ],
      parent: group,
      index: identity === "" && role === "" ? "order_index" : "scope_index",
      // Counting the bindings that match a time would read all of them.
      ...(unusedSince ? { total: "none" } : {}),
    });
    return { roleBindings: page.rows.map(toRoleBinding), ...page.envelope };
  },

  async createRoleBinding({ parent, roleBinding }, call) {
    if (parent === "") throw invalidArgument("parent", "parent is required");
    const requested = {
      identityUid: roleBinding?.identityUid ?? "",
      roleUid: roleBinding?.roleUid ?? "",
    };
    const { caller, bindings } = await createAll(call, parent, [requested], () => "");
    const [row] = bindings as [(typeof bindings)[number]];
    const { message, statements } = creation(call, binding, caller, row);
    await commit(call, statements, conflictOf(binding, message));
    const response = createdMessage(call, message);
    return withAccessChanges(call, caller, response, bindingWrite(parent, undefined, row));
  },

  async batchCreateRoleBindings({ parent, requests, roleUid }, call) {
    const requested = requests.map((request, index): RequestedBinding => {
      const field = (name: string) => `requests[${index}].${name}`;
      if (request.parent !== "" && request.parent !== parent) {
        throw invalidArgument(field("parent"), "parent must be empty or the parent of the batch");
      }
      if (request.validateOnly) {
        throw invalidArgument(field("validate_only"), "validate_only must not be set in a batch");
      }
      const own = request.roleBinding?.roleUid ?? "";
      if (own !== "" && roleUid !== "" && own !== roleUid) {
        throw invalidArgument(
          field("role_binding.role_uid"),
          "role_uid must be empty or the role_uid of the batch",
        );
      }
      return { identityUid: request.roleBinding?.identityUid ?? "", roleUid: own || roleUid };
    });
    const fieldPrefix = (index: number) => `requests[${index}].role_binding.`;
    const { caller, bindings } = await createAll(call, parent, requested, fieldPrefix);
    const response = create(BatchCreateRoleBindingsResponseSchema, {
      roleBindings: bindings.map((row) => toRoleBinding(insertedRow(roleBindings, row))),
    });
    const body = { desc: BatchCreateRoleBindingsResponseSchema, message: response };
    const inserts = bindings.map((row) => call.db.insert(roleBindings).values(row));
    const event = insertEvent(call, caller, { subject: parent, group: parent, body });
    await commit(call, [event, ...inserts], () =>
      alreadyExists(binding.type, identityGroupAndRole),
    );
    for (const made of response.roleBindings) createdMessage(call, made);
    return response;
  },

  async updateRoleBinding({ roleBinding: input = create(RoleBindingSchema), updateMask }, call) {
    const group = parentOf(input.uid);
    const {
      caller,
      row: before,
      extraReads,
    } = await find(call, binding, input.uid, {
      extraReads: [
        selectIfOwned(call, group),
        ...selectBindingParts(call.db, group, [input], input.uid),
      ],
    });
    const [owned, ...parts] = extraReads;
    const inputBinding = { ...binding, toMessage: toInput };
    const update = maskedUpdate(call, inputBinding, before, input, updateMask);
    const { after } = update;
    const isOther = after.identityUid !== before.identityUid;
    if (isOther) checkBindingLimit(parts[3], [after]);
    const row = {
      uid: before.uid,
      ...hydrateBinding(parts, caller, group, after, "", isOther ? undefined : before),
      lastUsedTime: 0,
    };
    const { accepted } = row;
    const isSame = !isOther && row.roleUid === before.roleUid && accepted === before.accepted;
    if (isSame) return withAccessChanges(call, caller, toRoleBinding(before));
    guardIdentities(call, group, parts, { rows: [row], added: isOther ? [row] : [] });
    const changed = await writeUpdate(call, binding, caller, update, {
      columns: row,
      hasChanged: true,
      extraWrites: keepOwner(call, owned),
    });
    return withAccessChanges(call, caller, changed, bindingWrite(group, before, row));
  },

  /** It is not an error if the binding no longer exists. */
  async deleteRoleBinding(request, call) {
    const { caller, rows } = await authorizeAndRead(call, request.uid, [
      binding.select(call.db, request.uid),
      selectIfOwned(call, parentOf(request.uid)),
    ]);
    const [row] = rows[0];
    requireMatch(call, binding, request.uid, row);
    if (!row) return withAccessChanges(call, caller, {});
    const done = await writeDelete(call, binding, caller, request, {
      extraWrites: keepOwner(call, rows[1]),
    });
    return withAccessChanges(call, caller, done, bindingWrite(parentOf(row.uid), row, undefined));
  },
});
