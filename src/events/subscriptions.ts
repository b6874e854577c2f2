import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { eq } from "drizzle-orm";
import {
  type Subscription,
  SubscriptionSchema,
  SubscriptionsService,
} from "../../schema/gen/platform/events/v2/subscriptions_pb.js";
import { subscriptions } from "../../schema/tables/events/subscriptions.ts";
import { invalidArgument } from "../aip/errors.ts";
import { parentOf } from "../aip/uid_path.ts";
import { list } from "../paging/list.ts";
import { defineListing } from "../paging/listing.ts";
import { newMessage, writeCreate } from "../resource/create.ts";
import { writeDelete } from "../resource/delete.ts";
import { find, parentGroup } from "../resource/find.ts";
import { resource } from "../resource/resource.ts";
import { service } from "../rpc/service.ts";
import { sinkRefusal } from "./sink.ts";

type Row = Pick<typeof subscriptions.$inferSelect, "uid" | "sink" | "createTime" | "updateTime">;

const columns = {
  uid: subscriptions.uid,
  sink: subscriptions.sink,
  createTime: subscriptions.createTime,
  updateTime: subscriptions.updateTime,
};

const listing = defineListing({
  table: subscriptions,
  select: (db) => db.select(columns).from(subscriptions),
  longColumns: { sink: subscriptions.sink },
});

function toSubscription(row: Row): Subscription {
  return create(SubscriptionSchema, {
    uid: row.uid,
    sink: row.sink,
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.updateTime),
  });
}

const subscription = resource({
  type: "events/Subscription",
  schema: SubscriptionSchema,
  table: subscriptions,
  select: (db, uid) => db.select(columns).from(subscriptions).where(eq(subscriptions.uid, uid)),
  toMessage: toSubscription,
  toColumns: ({ sink }) => ({ sink }),
  groupOf: parentOf,
  unique: ({ sink }) => sink,
});

export const subscriptionsService = service(SubscriptionsService, {
  async getSubscription({ uid }, call) {
    return toSubscription((await find(call, subscription, uid)).row);
  },

  async listSubscriptions(request, call) {
    const page = await list(call, request, listing);
    return { subscriptions: page.rows.map(toSubscription), ...page.envelope };
  },

  /** The sink is stored as it was sent. A group has each sink only once, so that no event is sent twice. */
  async createSubscription({ parent, subscription: given }, call) {
    const { caller } = await find(call, parentGroup, parent);
    const message = newMessage(subscription, given);
    // Only for callers who may subscribe, because it sends the resolver a name of the caller's choice.
    const refusal = await sinkRefusal(call.config, message.sink);
    if (refusal !== undefined) throw invalidArgument("sink", refusal);
    return writeCreate(call, subscription, caller, message, { parent });
  },

  async deleteSubscription(request, call) {
    const { caller } = await find(call, subscription, request.uid);
    return writeDelete(call, subscription, caller, request);
  },
});
