/** Sends a test event to a subscription, and shows what becomes of it. */
import { useQuery, useQueryClient } from "@tanstack/preact-query";
import { useEffect, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { Delivery, Subscription } from "../../client/index.ts";
import { useChange } from "../data/change.ts";
import { unlessMissing } from "../data/errors.ts";
import type { Permissions } from "../data/may.ts";
import { useClient } from "../data/platform.tsx";
import { Button } from "../elements/button.tsx";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { Section } from "../elements/page.tsx";
import { addresses } from "../frame/addresses.ts";
import { Attempts } from "./attempts.tsx";
import { DeliveryBadge, hasEnded, NextStep } from "./delivery_state.tsx";
import { changeRefusal, disabledRefusal } from "./subscription_actions.tsx";

/** The page looks for the delivery so often, in milliseconds. */
const lookInterval = 1_000;

export function TestEvent({
  subscription,
  may,
}: {
  subscription: Subscription;
  may: Permissions["may"];
}) {
  const client = useClient();
  const [delivery, setDelivery] = useState<string>();
  const test = useChange<string>({
    key: ["deliveries"],
    call: async (uid) => {
      const { deliveryUid } = await client.subscriptions.testSubscription({ uid });
      setDelivery(deliveryUid);
    },
  });
  return (
    <Section
      title="Test event"
      actions={
        <Button
          busy={test.isPending}
          refusal={changeRefusal(may) ?? disabledRefusal(subscription)}
          onClick={() => test.mutate(subscription.uid)}
        >
          Send a test event
        </Button>
      }
    >
      {test.error && <ErrorNotice error={test.error} />}
      {delivery === undefined ? (
        <p class="events-plain pale">
          A test event goes to this sink only, signed like every event. The filters do not apply.
        </p>
      ) : (
        <TestDelivery key={delivery} uid={delivery} />
      )}
    </Section>
  );
}

/** The delivery exists a moment after the test event, and changes until it has ended. */
function TestDelivery({ uid }: { uid: string }) {
  const client = useClient();
  const queries = useQueryClient();
  const { data, error } = useQuery({
    queryKey: ["delivery", uid],
    queryFn: (): Promise<Delivery | null> => unlessMissing(client.deliveries.get(uid)),
    refetchInterval: ({ state: { data: seen } }) => (seen && hasEnded(seen) ? false : lookInterval),
  });
  const isOver = data ? hasEnded(data) : false;
  useEffect(() => {
    if (isOver) void queries.invalidateQueries({ queryKey: ["deliveries"] });
  }, [isOver]);
  if (error) return <ErrorNotice error={error} />;
  if (!data) {
    return (
      <p class="events-plain" role="status">
        The test event is on its way…
      </p>
    );
  }
  return (
    <>
      <p class="events-plain" role="status">
        <Link href={addresses.delivery(uid)}>The test event</Link>:{" "}
        <DeliveryBadge delivery={data} /> <NextStep delivery={data} />
      </p>
      <Attempts attempts={data.attempts ?? []} />
    </>
  );
}
