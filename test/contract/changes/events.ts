/** One real change for every RPC of Events that has an event. */
import { createResource, randomName } from "../../world/personas.ts";
import { sql } from "../../world/platform.ts";
import { type Fixtures, newDelivery } from "../fixtures.ts";
import { deleteOf, type OwnChange } from "./change.ts";

const newSink = () => `https://${randomName("hooks")}.example/events`;

const subscribe = async ({ organization, token }: Fixtures, sink = newSink()) => {
  const path = `/events/v2/subscriptions/${organization.uid}`;
  const { uid } = await createResource(path, token, { sink });
  return { uid, sink };
};

async function newDisabled({ organization, token }: Fixtures) {
  const body = { sink: newSink(), disabled: true };
  return (await createResource(`/events/v2/subscriptions/${organization.uid}`, token, body)).uid;
}

export const eventsChanges: Record<string, OwnChange> = {
  "SubscriptionsService/CreateSubscription": {
    body: ({ answer: { secret: _, ...shown } }) => shown,
    prepare: ({ organization }) => ({
      request: { parent: organization.uid, subscription: { sink: newSink() } },
    }),
    async conflict(fixtures) {
      const sink = newSink();
      await subscribe(fixtures, sink);
      return { parent: fixtures.organization.uid, subscription: { sink } };
    },
  },
  "SubscriptionsService/UpdateSubscription": {
    prepare: async (fixtures) => {
      const { uid } = await subscribe(fixtures);
      return { request: { subscription: { uid, tagPattern: "1.*" }, updateMask: "tagPattern" } };
    },
    async conflict(fixtures) {
      const [{ uid }, { sink }] = [await subscribe(fixtures), await subscribe(fixtures)];
      return { subscription: { uid, sink }, updateMask: "sink" };
    },
    idle: async (fixtures) => {
      const { uid, sink } = await subscribe(fixtures);
      return { subscription: { uid, sink }, updateMask: "sink" };
    },
  },
  "SubscriptionsService/RotateSubscriptionSecret": {
    prepare: async (fixtures) => ({ request: { uid: (await subscribe(fixtures)).uid } }),
    body: ({ answer: { secret: _, ...shown } }) => shown,
  },
  "SubscriptionsService/TestSubscription": {
    prepare: async (fixtures) => {
      const { uid } = await subscribe(fixtures);
      return { request: { uid }, subject: uid };
    },
    onlyEvent: true,
    conflict: async (fixtures) => ({ uid: await newDisabled(fixtures) }),
  },
  "SubscriptionsService/RedeliverEvents": {
    prepare: async (fixtures) => {
      const { uid } = await subscribe(fixtures);
      await sql("update delivery_cursor set event_seq = (select max(seq) from events)");
      return { request: { uid, since: "2026-01-01T00:00:00.000Z" } };
    },
    body: "request",
    bodyType: "platform.events.v2.RedeliverEventsRequest",
    conflict: async (fixtures) => ({
      uid: await newDisabled(fixtures),
      since: "2026-01-01T00:00:00.000Z",
    }),
  },
  "DeliveriesService/RedeliverDelivery": {
    prepare: async (fixtures) => {
      const { uid } = await subscribe(fixtures);
      return { request: { uid: await newDelivery(uid) } };
    },
    group: "grandparent",
    conflict: async (fixtures) => ({ uid: await newDelivery(await newDisabled(fixtures)) }),
  },
  "SubscriptionsService/DeleteSubscription": {
    prepare: async (fixtures) => deleteOf((await subscribe(fixtures)).uid),
  },
};
