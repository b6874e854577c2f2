import { create } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { and, eq, gte, lt, lte } from "drizzle-orm";
import {
  IdentitiesService,
  type Identity,
  IdentitySchema,
  type ListIdentitiesRequest,
} from "../../../schema/gen/platform/iam/v2/identities_pb.js";
import { identities, isOfSomeKind, NEVER_USED } from "../../../schema/tables/iam/identities.ts";
import { identityMetadata } from "../../../schema/tables/iam/identity_metadata.ts";
import { roleBindings } from "../../../schema/tables/iam/role_bindings.ts";
import type { RowOf } from "../../../schema/tables/list_indexes.ts";
import { invalidArgument } from "../../aip/errors.ts";
import { parentOf, rootOf } from "../../aip/uid_path.ts";
import { wholeMessage } from "../../aip/whole_message.ts";
import { callAtCaller } from "../../auth/call.ts";
import { selectIfOwned } from "../../auth/owners.ts";
import { keepOwner, onlyIf } from "../../outbox/commit.ts";
import { list } from "../../paging/list.ts";
import { defineListing, times } from "../../paging/listing.ts";
import { readOrder } from "../../paging/order.ts";
import { newMessage, writeCreate } from "../../resource/create.ts";
import { writeDelete } from "../../resource/delete.ts";
import { find, parentGroup, selectRow } from "../../resource/find.ts";
import { resource } from "../../resource/resource.ts";
import type { Stored } from "../../resource/stored_row.ts";
import { maskedUpdate, writeUpdate } from "../../resource/update.ts";
import { service } from "../../rpc/service.ts";
import { withAccessChanges } from "../access_changes/access_changes.ts";
import { tokensOf } from "../access_changes/tokens.ts";
import { nextNoticeTime } from "../expiry/notice_times.ts";
import { deleteKeysBelow } from "../keys/deletion.ts";
import { lookUpPersonUid, updateIdentityMetadata } from "./identity_metadata.ts";
import {
  checkRelationship,
  issuerOfRelationship,
  relationshipColumns,
  toRelationship,
} from "./relationship.ts";
import {
  hasSameReach,
  reachedElsewhere,
  refuseIdentityTakeover,
  selectOwnerRole,
  selectReachable,
} from "./takeover.ts";

type Row = RowOf<typeof identities>;

const byUse = {
  orders: { last_used_time: "idleSinceTime" },
  defaultOrder: "last_used_time",
} as const;

const listing = defineListing({
  table: identities,
  orders: { uid: "uid", name: "name", ...times, ...byUse.orders },
});

const unused = { ...listing, ...byUse };
const expiring = {
  ...listing,
  orders: { expiration_time: "keyExpireTime" },
  defaultOrder: "expiration_time",
} as const;

/** The listing whose index has the rows of the filters, in the only order that it supports. */
function listingOf({ unusedSince, expiresAfter, expiresBefore }: ListIdentitiesRequest) {
  if (!expiresAfter && !expiresBefore) return unusedSince ? unused : listing;
  if (unusedSince) {
    const text = "unused_since must be empty if expires_after or expires_before is set";
    throw invalidArgument("unused_since", text);
  }
  if (expiresAfter && expiresBefore && timestampMs(expiresAfter) >= timestampMs(expiresBefore)) {
    throw invalidArgument("expires_before", "expires_before must be later than expires_after");
  }
  return expiring;
}

/** The conditions on the times of use and expiry. */
function timeFilters({ unusedSince, expiresAfter, expiresBefore }: ListIdentitiesRequest) {
  const { idleSinceTime, keyExpireTime } = identities;
  return [
    unusedSince && lte(idleSinceTime, timestampMs(unusedSince)),
    expiresAfter && gte(keyExpireTime, timestampMs(expiresAfter)),
    expiresBefore && lt(keyExpireTime, timestampMs(expiresBefore)),
  ];
}

function toIdentity(row: Stored<typeof identities>): Identity {
  return wholeMessage(IdentitySchema, {
    uid: row.uid,
    name: row.name,
    description: row.description,
    email: row.email,
    emailUnverified: row.emailUnverified,
    company: row.company,
    lastSeenTime: timestampFromMs(row.lastSeenTime),
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.updateTime),
    lastUsedTime: row.lastUsedTime === 0 ? undefined : timestampFromMs(row.lastUsedTime),
    accessChanges: undefined,
    relationship: toRelationship(row.relationship),
  });
}

const toColumns = (identity: Identity) => ({
  name: identity.name,
  description: identity.description,
  company: identity.company,
  ...relationshipColumns(identity),
});

const identity = resource({
  type: "iam/Identity",
  schema: IdentitySchema,
  table: identities,
  select: selectRow(identities),
  toMessage: toIdentity,
  toColumns,
  otherFields: {
    email: "computed",
    emailUnverified: "computed",
    lastSeenTime: "computed",
    lastUsedTime: "computed",
    accessChanges: "computed",
  },
  groupOf: parentOf,
});

/** A write of an identity's own access, wherever it has a role. */
const ofIdentity = (uid: string) => ({
  group: parentOf(uid),
  organization: rootOf(uid),
  identities: { named: [uid] },
});

/** The identities of one kind have an index by uid, which counts them too. Pages in other orders look at all kinds. */
function byKind({ orderBy, namePrefix }: ListIdentitiesRequest) {
  const isByUid = namePrefix === "" && readOrder(orderBy, listing).field === "uid";
  return { total: "filter_index", index: isByUid ? "order_index" : "no_index" } as const;
}

export const identitiesService = service(IdentitiesService, {
  async getIdentity({ uid }, call) {
    return toIdentity((await find(call, identity, uid)).row);
  },

  async listIdentities(request, call) {
    const named = request.name === "" ? undefined : eq(identities.name, request.name);
    const kind = request.relationshipType;
    const ofKind =
      kind === 0 ? undefined : and(eq(identities.relationshipType, kind), isOfSomeKind);
    const ordered = listingOf(request);
    const wanted = request.namePrefix === "" ? ordered : listing;
    const page = await list<Row>(call, request, wanted, {
      filters: [named, ofKind, ...timeFilters(request)],
      index: named ? "scope_index" : "order_index",
      ...(ofKind && !named && wanted === listing ? byKind(request) : {}),
      // Counting the identities that match a time would read all of them.
      ...(wanted === listing ? {} : { total: "none" }),
      namePrefix: request.namePrefix,
    });
    return { identities: page.rows.map(toIdentity), ...page.envelope };
  },

  async createIdentity({ parent, identity: input }, call) {
    const { caller } = await find(call, parentGroup, parent);
    const message = newMessage(identity, input);
    checkRelationship(call.config, message, { created: call.now });
    const keyNoticeTime = nextNoticeTime(toColumns(message).keyExpireTime, call.now);
    const columns = { lastSeenTime: call.now, keyNoticeTime };
    const made = await writeCreate(call, identity, caller, message, { parent, columns });
    return withAccessChanges(call, caller, made);
  },

  async updateIdentity({ identity: input = create(IdentitySchema), updateMask }, call) {
    const { caller, row, extraReads } = await find(call, identity, input.uid, {
      extraReads: [
        selectReachable(call, input.uid),
        selectOwnerRole(call),
        selectIfOwned(call, parentOf(input.uid)),
      ],
      everywhere: true,
    });
    const [reached, [owner], owned] = extraReads;
    const update = maskedUpdate(call, identity, row, input, updateMask);
    checkRelationship(call.config, update.after, {
      created: row.createTime,
      issuer: issuerOfRelationship(row.relationship),
    });
    const { relationship, keyExpireTime } = toColumns(update.after);
    if (JSON.stringify(relationship) === JSON.stringify(row.relationship)) {
      return withAccessChanges(call, caller, await writeUpdate(call, identity, caller, update));
    }
    const elsewhere = await reachedElsewhere(call, reached);
    refuseIdentityTakeover(caller, row.uid, [...reached, ...elsewhere], owner);
    const changed = await writeUpdate(call, identity, caller, update, {
      // Tokens that the old matchers accepted become invalid. The identity also loses the precedence that
      // their use gave.
      columns: {
        relationshipTime: update.updateTime,
        firstUsedTime: NEVER_USED,
        ...(keyExpireTime === row.keyExpireTime
          ? {}
          : { keyNoticeTime: nextNoticeTime(keyExpireTime, call.now) }),
      },
      extraWrites: [
        onlyIf(call.db, hasSameReach(call, row.uid, reached)),
        ...keepOwner(call, owned),
      ],
    });
    return withAccessChanges(call, caller, changed, {
      ...ofIdentity(row.uid),
      tokens: { before: tokensOf(update.before), after: tokensOf(update.after) },
    });
  },

  /** Deletes the identity's role bindings in all groups too, its keys and its metadata. */
  async deleteIdentity(request, call) {
    const { uid } = request;
    const { caller, extraReads } = await find(call, identity, uid, {
      extraReads: [selectIfOwned(call, parentOf(uid))],
    });
    const done = await writeDelete(call, identity, caller, request, {
      extraWrites: [
        call.db.delete(roleBindings).where(eq(roleBindings.identityUid, uid)),
        deleteKeysBelow(call.db, uid),
        call.db.delete(identityMetadata).where(eq(identityMetadata.uid, uid)),
        ...keepOwner(call, extraReads[0]),
      ],
    });
    return withAccessChanges(call, caller, done, { ...ofIdentity(uid), removesAll: true });
  },

  lookupIdentity: async (request, call) => ({
    uid: await lookUpPersonUid(request, callAtCaller(call)),
  }),

  updateIdentityMetadata,
});
