import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { SubscriptionSchema } from "../../../schema/gen/platform/events/v2/subscriptions_pb.js";
import type { CompleteEvent } from "../../outbox/outbox.ts";

/** The event of a subscription that the platform itself has disabled. Its actor is empty. */
export const disabledEvent = (
  uid: string,
  group: string,
  reason: string,
  now: number,
): CompleteEvent => ({
  type: "api.events.subscription.disabled.v1",
  path: "/events/v2/subscriptions",
  audience: "customer",
  subject: uid,
  group,
  actor: { identity: "", act: {} },
  body: {
    desc: SubscriptionSchema,
    message: { uid, disabled: true, disableReason: reason, disableTime: timestampFromMs(now) },
  },
});
