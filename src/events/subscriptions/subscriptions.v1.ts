import {
  type Subscription,
  SubscriptionSchema,
  Subscriptions,
} from "../../../schema/gen/platform/events/subscriptions_pb.js";
import type { Subscription as SubscriptionV2 } from "../../../schema/gen/platform/events/v2/subscriptions_pb.js";
import { wholeMessage } from "../../aip/whole_message.ts";
import { service } from "../../rpc/service.ts";
import { bodyEvent, callV2, filterOf, listV2 } from "../../rpc/version1.ts";
import { subscriptionsService } from "./subscriptions.ts";

const toV1 = ({ uid: id, sink, secret }: SubscriptionV2): Subscription =>
  wholeMessage(SubscriptionSchema, { id, sink, secret });

export const subscriptionsV1 = service(Subscriptions, {
  async create({ parentId: parent, subscription }, call) {
    const request = { parent, subscription: { sink: subscription?.sink ?? "" } };
    return toV1(
      await callV2(subscriptionsService, "createSubscription", request, call, {
        names: { parent: "parent_id" },
        event: bodyEvent(SubscriptionSchema, toV1),
      }),
    );
  },

  async list({ id, uidp }, call) {
    const { keeps, names, ...filter } = filterOf(id, uidp);
    const { subscriptions } = await listV2(
      subscriptionsService,
      "listSubscriptions",
      filter,
      call,
      { names },
    );
    return { items: subscriptions.filter(({ uid }) => keeps(uid)).map(toV1) };
  },

  /** The event has no body: version 1 redacts it (contract: v1 event table). */
  delete: ({ id: uid }, call) =>
    callV2(subscriptionsService, "deleteSubscription", { uid }, call, {
      event: ({ body: _, ...draft }) => draft,
    }),
});
