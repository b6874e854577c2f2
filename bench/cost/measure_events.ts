/** Measures everything about subscriptions, what was sent to them, and the events themselves. */
import type { BenchPlatform } from "../stage.ts";
import type { MeasuringCaller } from "./caller.ts";
import { fixtures } from "./fixtures.ts";
import { pageSize } from "./lists.ts";

const subscriptionsOf = "events.v2.SubscriptionsService";
const deliveriesOf = "events.v2.DeliveriesService";
const eventsOf = "events.v2.EventsService";

/** Stores a delivered event for a subscription. This platform has no queue, so it sends nothing. */
async function insertDelivery(platform: BenchPlatform, subscription: string): Promise<string> {
  const uid = `${subscription}/${"d".repeat(16)}`;
  await platform.db
    .prepare(
      `insert into deliveries (uid, create_time, event_seq, pool, partition, state, end_time)
       select ?, 1, max(seq), '', '', 'delivered', 2 from events`,
    )
    .bind(uid)
    .all();
  return uid;
}

/** Measures everything about a subscription of a group, which it creates and deletes. */
export async function measureEvents(
  platform: BenchPlatform,
  caller: MeasuringCaller,
  parent: string,
): Promise<void> {
  const made = await caller.write(`${subscriptionsOf}/CreateSubscription`, {
    parent,
    subscription: { sink: "http://localhost:9000/events" },
  });
  const { uid } = made.body;
  await caller.get(`${subscriptionsOf}/GetSubscription`, { uid });
  const changed = { uid, tagPattern: "v*" };
  await caller.write(`${subscriptionsOf}/UpdateSubscription`, { subscription: changed });
  await caller.write(`${subscriptionsOf}/RotateSubscriptionSecret`, { uid });
  await caller.write(`${subscriptionsOf}/TestSubscription`, { uid });
  const since = new Date(Date.now() - 60_000).toISOString();
  await caller.write(`${subscriptionsOf}/RedeliverEvents`, { uid, since }, "since a minute ago");
  const delivery = await insertDelivery(platform, uid);
  await caller.get(`${deliveriesOf}/GetDelivery`, { uid: delivery });
  const page = { kind: "list", pageSize } as const;
  const ofOne = { parent: uid, pageSize };
  await caller.measure(`${deliveriesOf}/ListDeliveries`, { ...page, name: "of one event" }, ofOne);
  await caller.write(`${deliveriesOf}/RedeliverDelivery`, { uid: delivery });
  await measureReading(caller);
  await caller.write(`${subscriptionsOf}/DeleteSubscription`, { uid });
}

/** Measures the lists of the events that the calls before have written. */
async function measureReading(caller: MeasuringCaller): Promise<void> {
  const inTree = { uidp: { descendantsOf: fixtures.root }, pageSize };
  const ask = async (name: string, request: object) =>
    await caller.measure(
      `${eventsOf}/ListEvents`,
      { name, kind: "list", pageSize },
      { ...inTree, ...request },
    );
  const { body } = await ask("newest first", {});
  await ask("oldest first", { orderBy: "create_time" });
  await ask("filter types", { types: ["api.platform.registry.*"] });
  const [event] = body.events as { uid: string }[];
  await caller.get(`${eventsOf}/GetEvent`, { uid: event?.uid });
}
