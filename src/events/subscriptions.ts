import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { eq } from "drizzle-orm";
import {
  type Subscription,
  SubscriptionSchema,
  SubscriptionsService,
} from "../../schema/gen/platform/events/v2/subscriptions_pb.js";
import { groups } from "../../schema/tables/groups.ts";
import { subscriptions } from "../../schema/tables/subscriptions.ts";
import { alreadyExists, invalidArgument, notFound } from "../aip/errors.ts";
import { newUid, parentOf } from "../aip/uid_path.ts";
import { authorizeAndRead } from "../auth/access.ts";
import type { Call } from "../auth/call.ts";
import { commit, commitIfChanged } from "../outbox/commit.ts";
import { insertEvent } from "../outbox/outbox.ts";
import { list } from "../paging/list.ts";
import { defineListing } from "../paging/listing.ts";
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

async function find(call: Call, uid: string) {
  const { caller, rows } = await authorizeAndRead(call, uid, [
    call.db.select(columns).from(subscriptions).where(eq(subscriptions.uid, uid)),
  ]);
  const [row] = rows[0];
  if (!row) throw notFound("events/Subscription", uid);
  return { caller, row };
}

export const subscriptionsService = service(SubscriptionsService, {
  async getSubscription({ uid }, call) {
    return toSubscription((await find(call, uid)).row);
  },

  async listSubscriptions(request, call) {
    const page = await list(call, request, listing);
    return { subscriptions: page.rows.map(toSubscription), ...page.envelope };
  },

  /** The sink is kept as it was sent. A group has each sink once, so that no event comes twice. */
  async createSubscription({ parent, subscription }, call) {
    const { caller, rows } = await authorizeAndRead(call, parent, [
      call.db.select({ uid: groups.uid }).from(groups).where(eq(groups.uid, parent)),
    ]);
    if (!rows[0][0]) throw notFound("iam/Group", parent);
    const sink = subscription?.sink ?? "";
    // Only for those who may subscribe: it asks the resolver about a name of the caller's choice.
    const refusal = await sinkRefusal(call.config, sink);
    if (refusal !== undefined) throw invalidArgument("sink", refusal);
    const row = { uid: newUid(parent), sink, createTime: call.now, updateTime: call.now };
    const message = toSubscription(row);
    await commit(
      call,
      [
        call.db.insert(subscriptions).values(row),
        insertEvent(call, caller, {
          subject: row.uid,
          group: parent,
          body: { desc: SubscriptionSchema, message },
        }),
      ],
      () => alreadyExists("events/Subscription", sink),
    );
    return message;
  },

  async deleteSubscription(request, call) {
    const { caller, row } = await find(call, request.uid);
    await commitIfChanged(call, [
      call.db.delete(subscriptions).where(eq(subscriptions.uid, row.uid)),
      insertEvent(call, caller, {
        subject: row.uid,
        group: parentOf(row.uid),
        body: { desc: call.method.input, message: request },
      }),
    ]);
    return {};
  },
});
