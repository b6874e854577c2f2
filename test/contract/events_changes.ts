/** One real change by every RPC of Events that has an event. */
import { make, randomName } from "../world/personas.ts";
import { type Change, named } from "./change.ts";
import type { Stock } from "./stock.ts";

const newSink = () => `https://${randomName("hooks")}.example/events`;

const subscribe = ({ organization, token }: Stock, sink = newSink()) =>
  make(`/events/v2/subscriptions/${organization.uid}`, token, { sink });

export const eventsChanges: Record<string, Change> = {
  "SubscriptionsService/CreateSubscription": {
    prepare: ({ organization }) => ({
      request: { parent: organization.uid, subscription: { sink: newSink() } },
    }),
    type: "api.events.subscription.created.v1",
    source: "/events/v2/subscriptions",
    group: "parent",
    body: "answer",
    bodyType: "platform.events.v2.Subscription",
    async conflict(stock) {
      const sink = newSink();
      await subscribe(stock, sink);
      return { parent: stock.organization.uid, subscription: { sink } };
    },
  },
  "SubscriptionsService/DeleteSubscription": {
    prepare: async (stock) => named((await subscribe(stock)).uid),
    type: "api.events.subscription.deleted.v1",
    source: "/events/v2/subscriptions",
    group: "parent",
    body: "request",
    bodyType: "platform.events.v2.DeleteSubscriptionRequest",
  },
};
