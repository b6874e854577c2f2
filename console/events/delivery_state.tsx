/** The states of deliveries and subscriptions in words. */
import type { Delivery, DeliveryAttempt, Subscription } from "../../client/index.ts";
import { Badge, type Tone } from "../elements/badge.tsx";
import { Time } from "../elements/time.tsx";

/** The states that a delivery can have, as a filter names them in the address, and in words. */
export const deliveryStates = {
  pending: ["DELIVERY_STATE_PENDING", "Pending"],
  delivered: ["DELIVERY_STATE_DELIVERED", "Delivered"],
  failed: ["DELIVERY_STATE_FAILED", "Failed"],
} as const;

/** The name of a state in the address. */
export type DeliveryStateName = keyof typeof deliveryStates;

export const isDeliveryState = (text: string): text is DeliveryStateName => text in deliveryStates;

const tones: Record<DeliveryStateName, Tone> = {
  pending: "info",
  delivered: "good",
  failed: "bad",
};

/** The state of a delivery. One that has already failed and will be tried again is marked. */
export function DeliveryBadge({ delivery: { state, attempts = [] } }: { delivery: Delivery }) {
  const name = (Object.keys(deliveryStates) as DeliveryStateName[]).find(
    (key) => deliveryStates[key][0] === state,
  );
  if (name === undefined) return <Badge>Unknown</Badge>;
  if (name === "pending" && attempts.length > 0) return <Badge tone="warn">Trying again</Badge>;
  return <Badge tone={tones[name]}>{deliveryStates[name][1]}</Badge>;
}

/** Whether the platform will do nothing more for a delivery. */
export const hasEnded = ({ state }: Delivery): boolean => state !== "DELIVERY_STATE_PENDING";

/** The outcome of an attempt: the HTTP status, or that there was no response. */
export function AttemptBadge({ attempt: { status } }: { attempt: DeliveryAttempt }) {
  const isDelivered = status >= 200 && status < 300;
  return (
    <Badge tone={isDelivered ? "good" : "bad"}>
      {status === 0 ? "No response" : `HTTP ${status}`}
    </Badge>
  );
}

/** The next step of the platform for a delivery. */
export function NextStep({ delivery }: { delivery: Delivery }) {
  const { nextAttemptTime, endTime } = delivery;
  if (hasEnded(delivery)) return <Time time={endTime} />;
  if (nextAttemptTime === undefined) return <span class="pale">after an earlier event</span>;
  return Date.parse(nextAttemptTime) <= Date.now() ? (
    <span class="pale">being sent</span>
  ) : (
    <span>
      next <Time time={nextAttemptTime} />
    </span>
  );
}

/** The reason of a subscription that a caller has disabled, and not the platform. */
const callersReason = /^A caller has disabled/;

/** Whether a person or a program has paused the subscription, and not the platform. */
export const isPaused = ({ disabled, disableReason = "" }: Subscription): boolean =>
  disabled && callersReason.test(disableReason);

/** The state of a subscription. */
export function SubscriptionBadge({ subscription }: { subscription: Subscription }) {
  if (isPaused(subscription)) return <Badge tone="warn">Paused</Badge>;
  if (subscription.disabled) return <Badge tone="bad">Disabled</Badge>;
  if (subscription.failingSince) return <Badge tone="warn">Failing</Badge>;
  if (!subscription.confirmTime) return <Badge tone="warn">Unconfirmed</Badge>;
  return <Badge tone="good">Active</Badge>;
}
