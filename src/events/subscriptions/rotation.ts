import { create } from "@bufbuild/protobuf";
import { DurationSchema, durationMs } from "@bufbuild/protobuf/wkt";
import {
  SubscriptionSchema,
  type SubscriptionsService,
} from "../../../schema/gen/platform/events/v2/subscriptions_pb.js";
import { subscriptions } from "../../../schema/tables/events/subscriptions.ts";
import { updateAsRead } from "../../aip/stale.ts";
import { commitIfChanged, nextTime } from "../../outbox/commit.ts";
import { insertEvent } from "../../outbox/outbox.ts";
import { eventOf } from "../../resource/event.ts";
import { find } from "../../resource/find.ts";
import type { Handlers } from "../../rpc/service.ts";
import { subscription, toSubscription } from "./message.ts";
import { newWebhookSecret, sealWebhookSecret } from "./secret.ts";

/** In seconds. */
const defaultOverlap = 24n * 3600n;

export const rotateSubscriptionSecret: Handlers<
  typeof SubscriptionsService
>["rotateSubscriptionSecret"] = async ({ uid, overlap }, call) => {
  const { caller, row } = await find(call, subscription, uid);
  const secret = newWebhookSecret();
  const pause = durationMs(overlap ?? create(DurationSchema, { seconds: defaultOverlap }));
  const updateTime = nextTime(call, row.updateTime);
  const rotated = toSubscription({ ...row, updateTime });
  await commitIfChanged(call, [
    updateAsRead(call.db, subscriptions, row, {
      secret: await sealWebhookSecret(call.config, uid, secret),
      previousSecret: row.secret,
      previousSecretExpiry: call.now + pause,
      updateTime,
    }),
    insertEvent(call, caller, eventOf(subscription, uid, rotated)),
  ]);
  return create(SubscriptionSchema, { ...rotated, secret: call.validateOnly ? "" : secret });
};
