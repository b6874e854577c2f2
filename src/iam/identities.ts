import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq } from "drizzle-orm";
import {
  IdentitiesService,
  type Identity,
  IdentitySchema,
} from "../../schema/gen/platform/iam/v2/identities_pb.js";
import { groups } from "../../schema/tables/groups.ts";
import { identities, NEVER_USED } from "../../schema/tables/identities.ts";
import { identityMetadata } from "../../schema/tables/identity_metadata.ts";
import { roleBindings } from "../../schema/tables/role_bindings.ts";
import { notFound } from "../aip/errors.ts";
import { applyMask, changesNothing } from "../aip/field_mask.ts";
import { newUid, parentOf } from "../aip/uid_path.ts";
import { validate } from "../aip/validation.ts";
import { authorizeAndRead } from "../auth/access.ts";
import type { Call } from "../auth/call.ts";
import { selectOwned } from "../auth/owners.ts";
import { commit, commitIfChanged, keepOwner, nextTime, onlyIf } from "../outbox/commit.ts";
import { insertEvent } from "../outbox/outbox.ts";
import { list } from "../paging/list.ts";
import { defineListing } from "../paging/listing.ts";
import { service } from "../rpc/service.ts";
import { findPerson, updateMetadata } from "./identity_metadata.ts";
import {
  checkRelationship,
  matchedIssuer,
  relationshipColumns,
  toRelationship,
} from "./relationship.ts";
import { reachesNoMore, refuseTakeover, selectOwner, selectReached } from "./takeover.ts";

type Row = typeof identities.$inferSelect;

const listing = defineListing({
  table: identities,
  longColumns: {
    name: identities.name,
    description: identities.description,
    email: identities.email,
    emailUnverified: identities.emailUnverified,
    company: identities.company,
    relationship: identities.relationship,
    issuer: identities.issuer,
    subject: identities.subject,
  },
});

function toIdentity(row: Row): Identity {
  return create(IdentitySchema, {
    uid: row.uid,
    name: row.name,
    description: row.description,
    email: row.email,
    emailUnverified: row.emailUnverified,
    company: row.company,
    lastSeenTime: timestampFromMs(row.lastSeenTime),
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.updateTime),
    relationship: toRelationship(row.relationship),
  });
}

const toColumns = (identity: Identity) => ({
  name: identity.name,
  description: identity.description,
  company: identity.company,
  ...relationshipColumns(identity),
});

const selectIdentity = ({ db }: Call, uid: string) =>
  db.select().from(identities).where(eq(identities.uid, uid));

export const identitiesService = service(IdentitiesService, {
  async getIdentity({ uid }, call) {
    const { rows } = await authorizeAndRead(call, uid, [selectIdentity(call, uid)]);
    const [row] = rows[0];
    if (!row) throw notFound("iam/Identity", uid);
    return toIdentity(row);
  },

  async listIdentities(request, call) {
    const named = request.name === "" ? undefined : eq(identities.name, request.name);
    const kind = request.relationshipType;
    const ofKind = kind === 0 ? undefined : eq(identities.relationshipType, kind);
    const page = await list(call, request, listing, {
      filters: [named, ofKind],
      index: named ? "scope_index" : "order_index",
    });
    return { identities: page.rows.map(toIdentity), ...page.envelope };
  },

  async createIdentity({ parent, identity: given }, call) {
    const group = call.db.select({ uid: groups.uid }).from(groups).where(eq(groups.uid, parent));
    const { caller, rows } = await authorizeAndRead(call, parent, [group]);
    if (!rows[0][0]) throw notFound("iam/Group", parent);
    const blank = create(IdentitySchema);
    const identity = applyMask(IdentitySchema, blank, given ?? blank, undefined);
    checkRelationship(call.config, identity, { created: call.now });
    identity.uid = newUid(parent);
    const now = timestampFromMs(call.now);
    Object.assign(identity, { createTime: now, updateTime: now, lastSeenTime: now });
    const times = { createTime: call.now, updateTime: call.now, lastSeenTime: call.now };
    await commit(call, [
      call.db.insert(identities).values({ uid: identity.uid, ...toColumns(identity), ...times }),
      insertEvent(call, caller, {
        subject: identity.uid,
        group: parent,
        body: { desc: IdentitySchema, message: identity },
      }),
    ]);
    return identity;
  },

  async updateIdentity({ identity: change, updateMask }, call) {
    const given = change ?? create(IdentitySchema);
    const statements = [
      selectIdentity(call, given.uid),
      selectReached(call, given.uid),
      selectOwner(call),
      selectOwned(call, parentOf(given.uid)),
    ] as const;
    const { caller, rows } = await authorizeAndRead(call, given.uid, statements, {
      everywhere: true,
    });
    const [[row], reached, [owner], owned] = rows;
    if (!row) throw notFound("iam/Identity", given.uid);
    const before = toIdentity(row);
    const identity = applyMask(IdentitySchema, before, given, updateMask);
    validate(IdentitySchema, identity);
    checkRelationship(call.config, identity, {
      created: row.createTime,
      issuer: matchedIssuer(row.relationship),
    });
    const columns = toColumns(identity);
    const isMoved = JSON.stringify(columns.relationship) !== JSON.stringify(row.relationship);
    if (isMoved) refuseTakeover(caller, row.uid, reached, owner);
    if (changesNothing(IdentitySchema, before, identity)) return before;
    const updateTime = nextTime(call, row.updateTime);
    // Tokens that the old matchers let in end, and so does the precedence that their use gave.
    const moved = isMoved ? { relationshipTime: updateTime, firstUsedTime: NEVER_USED } : {};
    identity.updateTime = timestampFromMs(updateTime);
    await commitIfChanged(call, [
      call.db
        .update(identities)
        .set({ ...columns, ...moved, updateTime })
        .where(and(eq(identities.uid, row.uid), eq(identities.updateTime, row.updateTime))),
      ...(isMoved ? [onlyIf(call.db, reachesNoMore(call, row.uid, reached))] : []),
      insertEvent(call, caller, {
        subject: row.uid,
        group: parentOf(row.uid),
        body: { desc: IdentitySchema, message: identity },
      }),
      ...(isMoved ? keepOwner(call, owned) : []),
    ]);
    return identity;
  },

  /** Takes the identity's role bindings with it, wherever they are, and what it told of itself. */
  async deleteIdentity(request, call) {
    const { caller, rows } = await authorizeAndRead(call, request.uid, [
      selectIdentity(call, request.uid),
      selectOwned(call, parentOf(request.uid)),
    ]);
    const [[row], owned] = rows;
    if (!row) throw notFound("iam/Identity", request.uid);
    await commitIfChanged(call, [
      call.db.delete(identities).where(eq(identities.uid, row.uid)),
      insertEvent(call, caller, {
        subject: row.uid,
        group: parentOf(row.uid),
        body: { desc: call.method.input, message: request },
      }),
      call.db.delete(roleBindings).where(eq(roleBindings.identityUid, row.uid)),
      call.db.delete(identityMetadata).where(eq(identityMetadata.uid, row.uid)),
      ...keepOwner(call, owned),
    ]);
    return {};
  },

  lookupIdentity: async (request, call) => ({ uid: await findPerson(request, call) }),

  updateIdentityMetadata: updateMetadata,
});
