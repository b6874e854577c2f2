import { create, toJson } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, sql } from "drizzle-orm";
import {
  type AccountAssociation,
  AccountAssociationSchema,
  AccountAssociationsService,
  CheckStatus,
} from "../../schema/gen/platform/iam/v2/account_associations_pb.js";
import { ServicePrincipal } from "../../schema/gen/platform/iam/v2/identities_pb.js";
import { accountAssociations } from "../../schema/tables/account_associations.ts";
import { groups } from "../../schema/tables/groups.ts";
import { identities, type Relationship } from "../../schema/tables/identities.ts";
import { alreadyExists, type FieldViolation, invalidArguments, notFound } from "../aip/errors.ts";
import { applyMask, changesNothing } from "../aip/field_mask.ts";
import { parentOf } from "../aip/uid_path.ts";
import { validate } from "../aip/validation.ts";
import { messageOf } from "../aip/well_formed.ts";
import { authorizeAndRead } from "../auth/access.ts";
import type { Call } from "../auth/call.ts";
import { commit, commitIfChanged, nextTime } from "../outbox/commit.ts";
import { insertEvent } from "../outbox/outbox.ts";
import { list } from "../paging/list.ts";
import { defineListing, times } from "../paging/listing.ts";
import { service } from "../rpc/service.ts";
import { tryLink } from "./account_check.ts";

type Row = typeof accountAssociations.$inferSelect;

const listing = defineListing({
  table: accountAssociations,
  isKeyedByGroup: true,
  orders: { group: "uid", uid: "uid", name: "name", ...times },
  defaultOrder: "group",
  longColumns: {
    name: accountAssociations.name,
    description: accountAssociations.description,
    accounts: accountAssociations.accounts,
  },
});

function toAssociation(row: Row): AccountAssociation {
  const accounts = messageOf(AccountAssociationSchema, row.accounts);
  return Object.assign(accounts, {
    uid: row.uid,
    name: row.name,
    description: row.description,
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.updateTime),
  });
}

/** What a client may set, as columns. */
function toColumns({ name, description, ...association }: AccountAssociation) {
  const { amazon, google, vendor, azure, github } = association;
  const links = { amazon, google, vendor, azure, github };
  const present = Object.entries(links).filter(([, link]) => link !== undefined);
  const accounts = create(AccountAssociationSchema, Object.fromEntries(present));
  return {
    name,
    description,
    accounts: toJson(AccountAssociationSchema, accounts) as Record<string, unknown>,
  };
}

const bindingsOf = (association: AccountAssociation | undefined) =>
  association?.vendor?.serviceBindings ?? {};

const selectAssociation = (call: Call, uid: string) =>
  call.db.select().from(accountAssociations).where(eq(accountAssociations.uid, uid));

const selectGroup = (call: Call, uid: string) =>
  call.db.select({ uid: groups.uid }).from(groups).where(eq(groups.uid, uid));

/** The statement that reads the identities that an association wants its services bound to. */
function selectBound(call: Call, association: AccountAssociation | undefined) {
  const uids = JSON.stringify(Object.values(bindingsOf(association)));
  return call.db
    .select({ uid: identities.uid, relationship: identities.relationship })
    .from(identities)
    .where(sql`${identities.uid} in (select value from json_each(${uids}))`);
}

/**
 * Checks the service bindings that are new: each is of a service there is, and its identity stands
 * directly under the group and is that service's. Throws INVALID_ARGUMENT naming each that is not.
 */
function checkBindings(
  group: string,
  before: AccountAssociation | undefined,
  after: AccountAssociation,
  found: { uid: string; relationship: Relationship | null }[],
): void {
  const known = bindingsOf(before);
  const violations = Object.entries(bindingsOf(after)).flatMap(
    ([service, uid]): FieldViolation[] => {
      if (known[service] === uid) return [];
      const field = `vendor.service_bindings[${JSON.stringify(service)}]`;
      const principal = ServicePrincipal[service as keyof typeof ServicePrincipal];
      if (typeof principal !== "number" || principal === ServicePrincipal.UNSPECIFIED) {
        return [{ field, description: `${field} is not of a service principal, such as COSIGNED` }];
      }
      const relationship = found.find((one) => one.uid === uid)?.relationship;
      const isTheirs =
        relationship?.case === "servicePrincipal" && relationship.value === principal;
      if (parentOf(uid) === group && isTheirs) return [];
      const wanted = `an identity directly under the group with service_principal ${service}`;
      return [{ field, description: `${field} must be ${wanted}` }];
    },
  );
  if (violations.length > 0) throw invalidArguments(violations);
}

async function find(call: Call, uid: string) {
  const { caller, rows } = await authorizeAndRead(call, uid, [selectAssociation(call, uid)]);
  return { caller, row: rows[0][0] };
}

const missing = (uid: string) => notFound("iam/AccountAssociation", uid);

export const accountAssociationsService = service(AccountAssociationsService, {
  async getAccountAssociation({ uid }, call) {
    const { row } = await find(call, uid);
    if (!row) throw missing(uid);
    return toAssociation(row);
  },

  async listAccountAssociations(request, call) {
    const named = request.name === "" ? undefined : eq(accountAssociations.name, request.name);
    const page = await list(call, request, listing, {
      filters: [named],
      index: named ? "scope_index" : "order_index",
    });
    return { accountAssociations: page.rows.map(toAssociation), ...page.envelope };
  },

  async createAccountAssociation({ parent, accountAssociation: given }, call) {
    const { caller, rows } = await authorizeAndRead(call, parent, [
      selectGroup(call, parent),
      selectBound(call, given),
    ]);
    const [[group], bound] = rows;
    if (!group) throw notFound("iam/Group", parent);
    const blank = create(AccountAssociationSchema);
    const association = applyMask(AccountAssociationSchema, blank, given ?? blank, undefined);
    checkBindings(parent, undefined, association, bound);
    const now = timestampFromMs(call.now);
    Object.assign(association, { uid: parent, createTime: now, updateTime: now });
    const times = { createTime: call.now, updateTime: call.now };
    await commit(
      call,
      [
        call.db
          .insert(accountAssociations)
          .values({ uid: parent, ...toColumns(association), ...times }),
        insertEvent(call, caller, {
          subject: parent,
          group: parent,
          body: { desc: AccountAssociationSchema, message: association },
        }),
      ],
      () => alreadyExists("iam/AccountAssociation", parent),
    );
    return association;
  },

  async updateAccountAssociation({ accountAssociation: change, updateMask }, call) {
    const given = change ?? create(AccountAssociationSchema);
    const { uid } = given;
    const { caller, rows } = await authorizeAndRead(call, uid, [
      selectAssociation(call, uid),
      selectBound(call, given),
    ]);
    const [[row], bound] = rows;
    if (!row) throw missing(uid);
    const before = toAssociation(row);
    const association = applyMask(AccountAssociationSchema, before, given, updateMask);
    validate(AccountAssociationSchema, association);
    checkBindings(uid, before, association, bound);
    if (changesNothing(AccountAssociationSchema, before, association)) return before;
    const updateTime = nextTime(call, row.updateTime);
    association.updateTime = timestampFromMs(updateTime);
    const isUnchanged = eq(accountAssociations.updateTime, row.updateTime);
    await commitIfChanged(call, [
      call.db
        .update(accountAssociations)
        .set({ ...toColumns(association), updateTime })
        .where(and(eq(accountAssociations.uid, uid), isUnchanged)),
      insertEvent(call, caller, {
        subject: uid,
        group: uid,
        body: { desc: AccountAssociationSchema, message: association },
      }),
    ]);
    return association;
  },

  /** A group that has none is no error. The event has no body. */
  async deleteAccountAssociation({ uid }, call) {
    const { caller, row } = await find(call, uid);
    if (!row) return {};
    await commitIfChanged(call, [
      call.db.delete(accountAssociations).where(eq(accountAssociations.uid, uid)),
      insertEvent(call, caller, { subject: uid, group: uid }),
    ]);
    return {};
  },

  async checkAccountAssociation({ uid, providerType }, call) {
    const { rows } = await authorizeAndRead(call, uid, [
      selectGroup(call, uid),
      selectAssociation(call, uid),
    ]);
    const [[group], [row]] = rows;
    if (!group) throw notFound("iam/Group", uid);
    const failure = await tryLink(call, uid, providerType, row && toAssociation(row));
    if (!failure) return { status: CheckStatus.READY };
    return { status: CheckStatus.NOT_READY, ...failure };
  },
});
