/** The sinks that received an event. */
import { useQuery } from "@tanstack/preact-query";
import { Link } from "wouter-preact";
import {
  type Client,
  type Delivery,
  type Event,
  PermissionDenied,
  type Subscription,
} from "../../client/index.ts";
import { unlessMissing } from "../data/errors.ts";
import { useClient } from "../data/platform.tsx";
import { isAtOrAbove, lastStep, parentOf, rootOf } from "../data/uids.ts";
import { Section } from "../elements/page.tsx";
import { Answer } from "../elements/states.tsx";
import { type Column, rowsOf, Table } from "../elements/table.tsx";
import { addresses } from "../frame/addresses.ts";
import { DeliveryBadge, NextStep } from "./delivery_state.tsx";

/** A delivery of the event, and the subscription that it belongs to. */
interface Sent {
  subscription: Subscription;
  delivery: Delivery;
}

/** The page looks at so many subscriptions at most. */
const maxSubscriptions = 30;

/** Two clocks of the platform differ by less, in milliseconds. */
const clockTolerance = 60_000;

/** The uid of a delivery ends with the last step of the uid of its event. */
async function findDeliveries(client: Client, event: Event): Promise<Sent[]> {
  const group = parentOf(event.uid);
  const all = await client.subscriptions
    .list({ descendantsOf: rootOf(event.uid), pageSize: 200 })
    .all(1_000);
  const isEarlier = ({ createTime }: Subscription) =>
    Date.parse(createTime) <= Date.parse(event.createTime) + clockTolerance;
  const possible = all
    .filter(
      (subscription) => isAtOrAbove(parentOf(subscription.uid), group) && isEarlier(subscription),
    )
    .slice(0, maxSubscriptions);
  const deliveries = await Promise.all(
    possible.map(async (subscription): Promise<Sent[]> => {
      const uid = `${subscription.uid}/${lastStep(event.uid)}`;
      const delivery = await unlessMissing(client.deliveries.get(uid));
      return delivery ? [{ subscription, delivery }] : [];
    }),
  );
  return deliveries.flat();
}

const columns: Column<Sent>[] = [
  {
    title: "Sink",
    width: "minmax(10rem, 3fr)",
    cell: ({ subscription: { uid, sink } }) => (
      <Link href={addresses.subscription(uid)}>
        <bdi>{sink}</bdi>
      </Link>
    ),
  },
  {
    title: "State",
    width: "8rem",
    cell: ({ delivery }) => (
      <Link href={addresses.delivery(delivery.uid)} class="events-badge-link">
        <DeliveryBadge delivery={delivery} />
      </Link>
    ),
  },
  {
    title: "Attempts",
    width: "5rem",
    align: "end",
    from: "medium",
    cell: ({ delivery: { attempts = [] } }) => attempts.length,
  },
  {
    title: "Next or last",
    width: "12rem",
    from: "medium",
    cell: ({ delivery }) => <NextStep delivery={delivery} />,
  },
];

export function EventDeliveries({ event }: { event: Event }) {
  const client = useClient();
  const query = useQuery({
    queryKey: ["deliveries", "of event", event.uid],
    queryFn: () => findDeliveries(client, event),
  });
  return (
    <Section title="Deliveries">
      {query.error instanceof PermissionDenied ? (
        <p class="pale">
          You need the subscriptions.list capability to see which sinks received the event.
        </p>
      ) : (
        <Answer query={query} lines={2}>
          {(sent) =>
            sent.length === 0 ? (
              <p class="pale">
                No subscription has received this event. Deliveries are kept for 14 days.
              </p>
            ) : (
              <Table
                label="Deliveries"
                columns={columns}
                rows={rowsOf(sent)}
                keyOf={({ delivery }) => delivery.uid}
                empty={null}
              />
            )
          }
        </Answer>
      )}
    </Section>
  );
}
