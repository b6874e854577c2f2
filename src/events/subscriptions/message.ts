/** The message of a subscription, and its row. */

import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { eq } from "drizzle-orm";
import {
  type Subscription,
  SubscriptionSchema,
} from "../../../schema/gen/platform/events/v2/subscriptions_pb.js";
import { subscriptions } from "../../../schema/tables/events/subscriptions.ts";
import type { RowOf } from "../../../schema/tables/list_indexes.ts";
import { failedPrecondition } from "../../aip/errors.ts";
import { parentOf } from "../../aip/uid_path.ts";
import { resource } from "../../resource/resource.ts";

/** The columns that are read of a subscription. */
export const subscriptionColumns = {
  uid: subscriptions.uid,
  sink: subscriptions.sink,
  eventTypes: subscriptions.eventTypes,
  repos: subscriptions.repos,
  tagPattern: subscriptions.tagPattern,
  secret: subscriptions.secret,
  disableTime: subscriptions.disableTime,
  disableReason: subscriptions.disableReason,
  failingSince: subscriptions.failingSince,
  createTime: subscriptions.createTime,
  updateTime: subscriptions.updateTime,
};

export type SubscriptionRow = Pick<RowOf<typeof subscriptions>, keyof typeof subscriptionColumns>;

/** Converts a stored row to a message, without the secret. */
export function toSubscription(row: SubscriptionRow): Subscription {
  return create(SubscriptionSchema, {
    uid: row.uid,
    sink: row.sink,
    eventTypes: row.eventTypes,
    repoUids: row.repos,
    tagPattern: row.tagPattern,
    disabled: row.disableTime !== null,
    disableReason: row.disableReason,
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.updateTime),
    ...(row.disableTime === null ? {} : { disableTime: timestampFromMs(row.disableTime) }),
    ...(row.failingSince === null ? {} : { failingSince: timestampFromMs(row.failingSince) }),
  });
}

export const subscription = resource({
  type: "events/Subscription",
  schema: SubscriptionSchema,
  table: subscriptions,
  select: (db, uid) =>
    db.select(subscriptionColumns).from(subscriptions).where(eq(subscriptions.uid, uid)),
  toMessage: toSubscription,
  toColumns: ({ sink, eventTypes, repoUids, tagPattern }) => ({
    sink,
    eventTypes,
    repos: repoUids,
    tagPattern,
  }),
  groupOf: parentOf,
  unique: ({ sink }) => sink,
});

/** Throws FAILED_PRECONDITION if the subscription is disabled. */
export function requireEnabled({ uid, disableTime }: SubscriptionRow): void {
  if (disableTime === null) return;
  throw failedPrecondition(
    "SUBSCRIPTION_DISABLED",
    "the subscription is disabled; enable it first",
    uid,
  );
}
