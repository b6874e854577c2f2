/** The message of a subscription, and its row. */

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
import { wholeMessage } from "../../aip/whole_message.ts";
import type { Database } from "../../auth/call.ts";
import { resource } from "../../resource/resource.ts";
import { includesPulls } from "./filters.ts";

/** The columns that are read of a subscription. */
export const subscriptionColumns = {
  uid: subscriptions.uid,
  sink: subscriptions.sink,
  eventTypes: subscriptions.eventTypes,
  repos: subscriptions.repos,
  tagPattern: subscriptions.tagPattern,
  grouping: subscriptions.grouping,
  minimumSeverity: subscriptions.minimumSeverity,
  secret: subscriptions.secret,
  disableTime: subscriptions.disableTime,
  disableReason: subscriptions.disableReason,
  failingSince: subscriptions.failingSince,
  confirmTime: subscriptions.confirmTime,
  confirmDueTime: subscriptions.confirmDueTime,
  createTime: subscriptions.createTime,
  updateTime: subscriptions.updateTime,
};

export type SubscriptionRow = Pick<RowOf<typeof subscriptions>, keyof typeof subscriptionColumns>;

/** Converts a stored row to a message, without the secret. */
export function toSubscription(row: SubscriptionRow): Subscription {
  return wholeMessage(SubscriptionSchema, {
    uid: row.uid,
    sink: row.sink,
    eventTypes: row.eventTypes,
    repoUids: row.repos,
    tagPattern: row.tagPattern,
    grouping: row.grouping,
    minimumSeverity: row.minimumSeverity,
    disabled: row.disableTime !== null,
    disableReason: row.disableReason,
    disableTime: row.disableTime === null ? undefined : timestampFromMs(row.disableTime),
    failingSince: row.failingSince === null ? undefined : timestampFromMs(row.failingSince),
    confirmTime: row.confirmTime === null ? undefined : timestampFromMs(row.confirmTime),
    secret: "",
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.updateTime),
  });
}

export const subscription = resource({
  type: "events/Subscription",
  schema: SubscriptionSchema,
  table: subscriptions,
  select: (db: Database, uid: string) =>
    db.select(subscriptionColumns).from(subscriptions).where(eq(subscriptions.uid, uid)),
  toMessage: toSubscription,
  toColumns: ({ sink, eventTypes, repoUids, ...filters }: Subscription) => ({
    sink,
    eventTypes,
    wantsPulls: includesPulls(eventTypes),
    repos: repoUids,
    tagPattern: filters.tagPattern,
    grouping: filters.grouping,
    minimumSeverity: filters.minimumSeverity,
  }),
  otherFields: {
    repoUids: "repos",
    disabled: "computed",
    disableTime: "computed",
    disableReason: "computed",
    failingSince: "computed",
    confirmTime: "computed",
    secret: "computed",
  },
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
