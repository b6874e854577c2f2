/** One real change by every RPC of Events that has an event. */
import { make, randomName } from "../world/personas.ts";
import { named, type OwnChange } from "./change.ts";
import type { Stock } from "./stock.ts";

const newSink = () => `https://${randomName("hooks")}.example/events`;

const subscribe = ({ organization, token }: Stock, sink = newSink()) =>
  make(`/events/v2/subscriptions/${organization.uid}`, token, { sink });

export const eventsChanges: Record<string, OwnChange> = {
  "SubscriptionsService/CreateSubscription": {
    prepare: ({ organization }) => ({
      request: { parent: organization.uid, subscription: { sink: newSink() } },
    }),
    async conflict(stock) {
      const sink = newSink();
      await subscribe(stock, sink);
      return { parent: stock.organization.uid, subscription: { sink } };
    },
  },
  "SubscriptionsService/DeleteSubscription": {
    prepare: async (stock) => named((await subscribe(stock)).uid),
  },
};
