import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { eq } from "drizzle-orm";
import {
  IdentitiesService,
  type Identity,
  IdentitySchema,
} from "../../../schema/gen/platform/iam/v2/identities_pb.js";
import { identities, NEVER_USED } from "../../../schema/tables/iam/identities.ts";
import { identityMetadata } from "../../../schema/tables/iam/identity_metadata.ts";
import { roleBindings } from "../../../schema/tables/iam/role_bindings.ts";
import { parentOf, rootOf } from "../../aip/uid_path.ts";
import { selectIfOwned } from "../../auth/owners.ts";
import { keepOwner, onlyIf } from "../../outbox/commit.ts";
import { list } from "../../paging/list.ts";
import { defineListing } from "../../paging/listing.ts";
import { newMessage, writeCreate } from "../../resource/create.ts";
import { writeDelete } from "../../resource/delete.ts";
import { find, parentGroup } from "../../resource/find.ts";
import { resource } from "../../resource/resource.ts";
import { maskedUpdate, writeUpdate } from "../../resource/update.ts";
import { service } from "../../rpc/service.ts";
import { withAccessChanges } from "../access_changes/access_changes.ts";
import { tokensOf } from "../access_changes/tokens.ts";
import { lookUpPersonUid, updateIdentityMetadata } from "./identity_metadata.ts";
import {
  checkRelationship,
  issuerOfRelationship,
  relationshipColumns,
  toRelationship,
} from "./relationship.ts";
import {
  hasSameReach,
  refuseIdentityTakeover,
  selectOwnerRole,
  selectReachable,
} from "./takeover.ts";

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

const identity = resource({
  type: "iam/Identity",
  schema: IdentitySchema,
  table: identities,
  select: (db, uid) => db.select().from(identities).where(eq(identities.uid, uid)),
  toMessage: toIdentity,
  toColumns,
  groupOf: parentOf,
});

/** A write of an identity's own access, wherever it has a role. */
const ofIdentity = (uid: string) => ({
  ...{ at: parentOf(uid), organization: rootOf(uid) },
  identities: { named: [uid] },
});

export const identitiesService = service(IdentitiesService, {
  async getIdentity({ uid }, call) {
    return toIdentity((await find(call, identity, uid)).row);
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
    const { caller } = await find(call, parentGroup, parent);
    const message = newMessage(identity, given);
    checkRelationship(call.config, message, { created: call.now });
    message.lastSeenTime = timestampFromMs(call.now);
    const columns = { lastSeenTime: call.now };
    const made = await writeCreate(call, identity, caller, message, { parent, columns });
    return withAccessChanges(call, caller, made);
  },

  async updateIdentity({ identity: given = create(IdentitySchema), updateMask }, call) {
    const { caller, row, also } = await find(call, identity, given.uid, {
      also: [
        selectReachable(call, given.uid),
        selectOwnerRole(call),
        selectIfOwned(call, parentOf(given.uid)),
      ],
      everywhere: true,
    });
    const [reached, [owner], owned] = also;
    const update = maskedUpdate(call, identity, row, given, updateMask);
    checkRelationship(call.config, update.after, {
      created: row.createTime,
      issuer: issuerOfRelationship(row.relationship),
    });
    const { relationship } = toColumns(update.after);
    if (JSON.stringify(relationship) === JSON.stringify(row.relationship)) {
      return withAccessChanges(call, caller, await writeUpdate(call, identity, caller, update));
    }
    refuseIdentityTakeover(caller, row.uid, reached, owner);
    const changed = await writeUpdate(call, identity, caller, update, {
      // Tokens that the old matchers accepted become invalid. The identity also loses the precedence that
      // their use gave.
      columns: { relationshipTime: update.updateTime, firstUsedTime: NEVER_USED },
      also: [onlyIf(call.db, hasSameReach(call, row.uid, reached)), ...keepOwner(call, owned)],
    });
    return withAccessChanges(call, caller, changed, {
      ...ofIdentity(row.uid),
      tokens: { before: tokensOf(update.before), after: tokensOf(update.after) },
    });
  },

  /** Deletes the identity's role bindings in all groups too, and its metadata. */
  async deleteIdentity(request, call) {
    const { uid } = request;
    const { caller, also } = await find(call, identity, uid, {
      also: [selectIfOwned(call, parentOf(uid))],
    });
    const done = await writeDelete(call, identity, caller, request, {
      also: [
        call.db.delete(roleBindings).where(eq(roleBindings.identityUid, uid)),
        call.db.delete(identityMetadata).where(eq(identityMetadata.uid, uid)),
        ...keepOwner(call, also[0]),
      ],
    });
    return withAccessChanges(call, caller, done, { ...ofIdentity(uid), removesAll: true });
  },

  lookupIdentity: async (request, call) => ({ uid: await lookUpPersonUid(request, call) }),

  updateIdentityMetadata,
});
