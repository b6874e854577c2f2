/** One real change for every RPC of Events that has an event. */
import { createResource, randomName } from "../../world/personas.ts";
import type { Fixtures } from "../fixtures.ts";
import { deleteOf, type OwnChange } from "./change.ts";

const newSink = () => `https://${randomName("hooks")}.example/events`;

const subscribe = ({ organization, token }: Fixtures, sink = newSink()) =>
  createResource(`/events/v2/subscriptions/${organization.uid}`, token, { sink });

export const eventsChanges: Record<string, OwnChange> = {
  "SubscriptionsService/CreateSubscription": {
    prepare: ({ organization }) => ({
      request: { parent: organization.uid, subscription: { sink: newSink() } },
    }),
    async conflict(fixtures) {
      const sink = newSink();
      await subscribe(fixtures, sink);
      return { parent: fixtures.organization.uid, subscription: { sink } };
    },
  },
  "SubscriptionsService/DeleteSubscription": {
    prepare: async (fixtures) => deleteOf((await subscribe(fixtures)).uid),
  },
};
