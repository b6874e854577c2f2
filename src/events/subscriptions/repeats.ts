/** Sends events on request: a test event, or the events of a period. */
import { create } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { and, eq, sql } from "drizzle-orm";
import {
  RedeliverEventsResponseSchema,
  type SubscriptionsService,
  TestSubscriptionResponseSchema,
} from "../../../schema/gen/platform/events/v2/subscriptions_pb.js";
import { deliveries, deliveryCursor } from "../../../schema/tables/events/deliveries.ts";
import { events } from "../../../schema/tables/events/events.ts";
import { subscriptions } from "../../../schema/tables/events/subscriptions.ts";
import { invalidArgument, resourceExhausted } from "../../aip/errors.ts";
import { insertFrom } from "../../aip/insert_from.ts";
import { isUnchanged } from "../../aip/stale.ts";
import { parentOf, rootOf } from "../../aip/uid_path.ts";
import { isSpread } from "../../auth/databases.ts";
import { commit, commitForResults, onlyIf } from "../../outbox/commit.ts";
import { insertEvent, lastStepOf } from "../../outbox/outbox.ts";
import { find } from "../../resource/find.ts";
import type { Handlers } from "../../rpc/service.ts";
import { deliveryColumns } from "../deliveries/fan_out.ts";
import { holdBack } from "../deliveries/order.ts";
import { clockTolerance, firstSince, partsBelow } from "../events/ranges.ts";
import { isGrouped, isWanted } from "./filters.ts";
import { requireEnabled, subscription } from "./message.ts";

type Methods = Handlers<typeof SubscriptionsService>;

/** The most redeliveries of an organization whose events are still pending. */
const maxRunning = 2;

/** SQL: the number of subscriptions of the organization, without this one, that have a redelivery in progress. */
const runningElsewhere = (uid: string) => {
  const organization = rootOf(uid);
  return sql`(select count(*) from ${subscriptions} where ${subscriptions.uid} > ${`${organization}/`}
    and ${subscriptions.uid} < ${`${organization}0`} and ${subscriptions.uid} <> ${uid}
    and ${subscriptions.redeliveryTime} is not null
    and exists (select 1 from ${deliveries} where ${deliveries.parent} = ${subscriptions.uid}
      and ${deliveries.createTime} = ${subscriptions.redeliveryTime} and ${deliveries.endTime} is null))`;
};

/** The most events of a tree in one repetition, with those that the filters exclude. */
const maxEvents = 10_000;

export const testSubscription: Methods["testSubscription"] = async ({ uid }, call) => {
  const { caller, row } = await find(call, subscription, uid);
  requireEnabled(row);
  const id = crypto.randomUUID();
  const response = create(TestSubscriptionResponseSchema, {
    eventId: id,
    deliveryUid: uid + lastStepOf(id),
  });
  const event = insertEvent(call, caller, {
    subject: uid,
    group: parentOf(uid),
    body: { desc: TestSubscriptionResponseSchema, message: response },
    recipient: uid,
    id,
  });
  await commit(call, [onlyIf(call.db, isUnchanged(subscriptions, row)), event]);
  return call.validateOnly ? create(TestSubscriptionResponseSchema) : response;
};

/** The events of the tree of a group in a period, in their order, and one more than a repetition can have. */
function eventsBetween(group: string, since: number, before: number, isSpread: boolean) {
  const first = firstSince(since - clockTolerance);
  // Events that moved here with their organization have negative numbers, and come first.
  const isLater = sql`${events.seq} >= ${first}`;
  const isInRange = isSpread ? sql`(${events.seq} < 0 or ${isLater})` : isLater;
  const parts = partsBelow(group).map(
    (part) => sql`select ${events.seq} as "seq" from ${events}
      where ${part} and ${isInRange}
        and ${events.seq} <= (select ${deliveryCursor.event} from ${deliveryCursor})
        and ${events.time} >= ${since} and ${events.time} < ${before}`,
  );
  const all = sql`${sql.join(parts, sql` union all `)} order by "seq" limit ${sql.raw(String(maxEvents + 1))}`;
  return { first: isSpread ? sql`${Number.MIN_SAFE_INTEGER}` : first, all };
}

/** Pending deliveries stay as they are. Ended ones become pending again, and missing ones are created. */
export const redeliverEvents: Methods["redeliverEvents"] = async (request, call) => {
  const { uid, since, before } = request;
  const { db, now } = call;
  const begin = since ? timestampMs(since) : 0;
  const end = before ? timestampMs(before) : now + 1;
  const period = eventsBetween(parentOf(uid), begin, end, isSpread(call.databases));
  const count = db.select({ number: sql<number>`count(*)` }).from(sql`(${period.all})`);
  const running = db
    .select({ number: sql<number>`${runningElsewhere(uid)}` })
    .from(sql`(select 1)`);
  const { caller, row, extraReads } = await find(call, subscription, uid, {
    extraReads: [count, running],
  });
  requireEnabled(row);
  const found = extraReads[0][0]?.number ?? 0;
  if (found > maxEvents) {
    throw invalidArgument(
      "since",
      `the period has more than ${maxEvents} events; choose a later time, or set before`,
    );
  }
  if ((extraReads[1][0]?.number ?? 0) >= maxRunning) {
    const text = `the events of ${maxRunning} other redeliveries of the organization are still pending; wait until they are sent`;
    throw resourceExhausted(text);
  }
  const source = sql`from ${events} cross join ${subscriptions}
    where ${events.seq} in (${period.all}) and ${subscriptions.uid} = ${uid} and ${isWanted(call.config.vendor)}
      and not ${isGrouped(call.config.vendor)}`;
  const results = await commitForResults(call, [
    onlyIf(db, isUnchanged(subscriptions, row)),
    onlyIf(db, sql`${runningElsewhere(uid)} < ${maxRunning}`),
    db.update(subscriptions).set({ redeliveryTime: now }).where(eq(subscriptions.uid, uid)),
    insertFrom(db, deliveries, deliveryColumns(now), source).onConflictDoUpdate({
      target: deliveries.uid,
      set: { state: "pending", createTime: now, dueTime: now, endTime: null, failures: 0 },
      setWhere: sql`${deliveries.endTime} is not null`,
    }),
    holdBack(db, and(eq(deliveries.parent, uid), sql`${deliveries.event} >= ${period.first}`)),
    insertEvent(call, caller, {
      subject: uid,
      group: parentOf(uid),
      body: { desc: call.method.input, message: request },
    }),
  ]);
  // A call that only validates has no results.
  const written = results[3] as { meta: { changes: number } } | undefined;
  const eventCount = written?.meta.changes ?? found;
  return create(RedeliverEventsResponseSchema, { uid, eventCount });
};
