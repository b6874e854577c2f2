import { eq } from "drizzle-orm";
import { KeysService } from "../../../schema/gen/platform/iam/v2/keys_pb.js";
import { identities } from "../../../schema/tables/iam/identities.ts";
import { keys } from "../../../schema/tables/iam/keys.ts";
import { sha256 } from "../../aip/sha256.ts";
import { newKeySecret } from "../../auth/key_secret.ts";
import { onlyIf } from "../../outbox/commit.ts";
import { list } from "../../paging/list.ts";
import { defineListing } from "../../paging/listing.ts";
import { newMessage, writeCreate } from "../../resource/create.ts";
import { writeDelete } from "../../resource/delete.ts";
import { find } from "../../resource/find.ts";
import type { Readable } from "../../resource/resource.ts";
import { service } from "../../rpc/service.ts";
import { nextNoticeTime } from "../expiry/notice_times.ts";
import {
  hasSameReach,
  reachedElsewhere,
  refuseIdentityTakeover,
  selectOwnerRole,
  selectReachable,
} from "../identities/takeover.ts";
import { completeKey, hasRoom, requireRoom, selectRoom } from "./limits.ts";
import { key, toKey } from "./message.ts";

const listing = defineListing({
  table: keys,
  leafOf: identities,
  orders: { uid: "uid", name: "name", create_time: "createTime", expire_time: "expireTime" },
});

/** An identity as the parent of a key. Only its existence is read. */
const parentIdentity: Readable<{ uid: string }> = {
  type: "iam/Identity",
  select: (db, uid) =>
    db.select({ uid: identities.uid }).from(identities).where(eq(identities.uid, uid)),
};

export const keysService = service(KeysService, {
  async getKey({ uid }, call) {
    return toKey((await find(call, key, uid)).row);
  },

  async listKeys(request, call) {
    const named = request.name === "" ? undefined : eq(keys.name, request.name);
    const page = await list(call, request, listing, {
      filters: [named],
      index: named ? "scope_index" : "order_index",
    });
    return { keys: page.rows.map(toKey), ...page.envelope };
  },

  /** Everyone who has the key acts as the identity, so the caller needs all access of the identity. */
  async createKey({ parent, key: input }, call) {
    const { caller, extraReads } = await find(call, parentIdentity, parent, {
      extraReads: [selectRoom(call, parent), selectReachable(call, parent), selectOwnerRole(call)],
      everywhere: true,
    });
    const [room, reached, [owner]] = extraReads;
    const message = newMessage(key, input);
    const expireTime = completeKey(call, parent, message);
    const elsewhere = await reachedElsewhere(call, reached);
    refuseIdentityTakeover(caller, parent, [...reached, ...elsewhere], owner);
    requireRoom(parent, room);
    const secret = newKeySecret(call.config);
    const made = await writeCreate(call, key, caller, message, {
      parent,
      columns: {
        digest: await sha256(secret),
        expireTime,
        noticeTime: nextNoticeTime(expireTime, call.now),
        lastUsedTime: 0,
        creatorUid: caller.identity,
      },
      extraWrites: [onlyIf(call.db, hasSameReach(call, parent, reached)), hasRoom(call, parent)],
    });
    return { ...made, secret: call.validateOnly ? "" : secret };
  },

  async deleteKey(request, call) {
    const { caller } = await find(call, key, request.uid);
    return writeDelete(call, key, caller, request);
  },
});
