/** One delivery: the attempts to send an event to a sink. */
import { useQuery } from "@tanstack/preact-query";
import { Link } from "wouter-preact";
import type { Client, Delivery, Event } from "../../client/index.ts";
import { useChange } from "../data/change.ts";
import { useMay } from "../data/may.ts";
import { useClient } from "../data/platform.tsx";
import { isAtOrAbove, lastStep, parentOf, pathOf, rootOf } from "../data/uids.ts";
import { Button } from "../elements/button.tsx";
import { CopyButton, Uid } from "../elements/copy.tsx";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { Facts, Page, Section } from "../elements/page.tsx";
import { Answer } from "../elements/states.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import type { PageProps } from "../frame/lazy_page.tsx";
import { About } from "./about.tsx";
import { Attempts } from "./attempts.tsx";
import { DeliveryBadge, hasEnded, NextStep } from "./delivery_state.tsx";
import { plainType, titleOf } from "./event_types.ts";
import { changeRefusal, disabledRefusal, subscriptionKey } from "./subscription_actions.tsx";

/** While the delivery is pending, the page asks for it so often, in milliseconds. */
const lookInterval = 2_000;

export default function OneDelivery({ rest: uid }: PageProps) {
  const client = useClient();
  const { may } = useMay(parentOf(uid));
  const query = useQuery({
    queryKey: ["delivery", uid],
    queryFn: () => client.deliveries.get(uid),
    refetchInterval: ({ state: { data } }) => (data && !hasEnded(data) ? lookInterval : false),
  });
  const subscription = useQuery({
    queryKey: subscriptionKey(parentOf(uid)),
    queryFn: () => client.subscriptions.get(parentOf(uid)),
  });
  const again = useChange<string, Delivery>({
    key: ["delivery", uid],
    call: (delivery) => client.deliveries.redeliverDelivery({ uid: delivery }),
    expect: ({ endTime: _, ...shown }) => ({ ...shown, state: "DELIVERY_STATE_PENDING" }),
    done: () => "The event is sent again.",
  });
  const refusal =
    changeRefusal(may) ?? (subscription.data ? disabledRefusal(subscription.data) : undefined);
  const { data } = query;
  return (
    <Page
      title={data ? titleOf(data.eventType ?? "") : "Delivery"}
      path={[
        ["Deliveries", addresses.deliveries(rootOf(uid))],
        [subscription.data?.sink ?? "Subscription", addresses.subscription(parentOf(uid))],
      ]}
      actions={
        data && (
          <Button
            kind="primary"
            busy={again.isPending}
            refusal={refusal}
            onClick={() => again.mutate(uid)}
          >
            Send again
          </Button>
        )
      }
    >
      {again.error && <ErrorNotice error={again.error} />}
      <Answer query={query} lines={8}>
        {(delivery) => (
          <>
            <Section title="Delivery">
              <DeliveryFacts delivery={delivery} sink={subscription.data?.sink} />
            </Section>
            <Section title="Attempts">
              <Attempts attempts={delivery.attempts ?? []} />
              <p class="hint">The log has the latest 30 attempts of the last 14 days.</p>
            </Section>
          </>
        )}
      </Answer>
    </Page>
  );
}

/** The event of a delivery. It belongs to the group of the subscription or to one below it. */
async function findEvent(client: Client, { uid, eventSubject = "" }: Delivery) {
  const group = parentOf(parentOf(uid));
  const groups = pathOf(eventSubject).filter((step) => isAtOrAbove(group, step));
  const ids = [...new Set([group, ...groups])].map((step) => `${step}/${lastStep(uid)}`);
  const { rows } = await client.events.list({ ids, pageSize: ids.length }).page();
  return rows[0] ?? null;
}

function DeliveryFacts({ delivery, sink }: { delivery: Delivery; sink: string | undefined }) {
  const client = useClient();
  const { uid, eventId = "", eventType = "", eventSubject = "", createTime } = delivery;
  const event = useQuery({
    queryKey: ["event", "of delivery", uid],
    queryFn: (): Promise<Event | null> => findEvent(client, delivery),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <div class="events-attributes">
      <Facts
        facts={[
          ["State", <DeliveryBadge key="state" delivery={delivery} />],
          [
            hasEnded(delivery) ? "Ended" : "Next attempt",
            <NextStep key="next" delivery={delivery} />,
          ],
          ["Sink", sink && <bdi>{sink}</bdi>],
          [
            "Event",
            event.data ? (
              <Link href={addresses.event(event.data.uid)}>{titleOf(eventType)}</Link>
            ) : (
              titleOf(eventType)
            ),
          ],
          ["Type", <code key="type">{plainType(eventType)}</code>],
          [
            "About",
            event.data ? <About event={event.data} /> : eventSubject && <Uid uid={eventSubject} />,
          ],
          ["Requested", <Time key="time" time={createTime} />],
          [
            "webhook-id",
            eventId && (
              <span class="events-copied">
                <code>{eventId}</code> <CopyButton text={eventId} what="id of the event" />
              </span>
            ),
          ],
          ["Uid", <Uid key="uid" uid={uid} />],
        ]}
      />
    </div>
  );
}
