import { durationFromMs, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import {
  DeliveriesService,
  type Delivery,
  DeliverySchema,
  DeliveryState,
} from "../../../schema/gen/platform/events/v2/deliveries_pb.js";
import { deliveries, type StoredAttempt } from "../../../schema/tables/events/deliveries.ts";
import { events } from "../../../schema/tables/events/events.ts";
import { notFound } from "../../aip/errors.ts";
import { parentOf } from "../../aip/uid_path.ts";
import { wholeMessage } from "../../aip/whole_message.ts";
import type { Database } from "../../auth/call.ts";
import { commitIfChanged } from "../../outbox/commit.ts";
import { insertEvent } from "../../outbox/outbox.ts";
import { listAt } from "../../paging/list.ts";
import { defineListing } from "../../paging/listing.ts";
import { find } from "../../resource/find.ts";
import type { Readable } from "../../resource/resource.ts";
import { service } from "../../rpc/service.ts";
import { requireEnabled, subscription } from "../subscriptions/message.ts";
import { holdBack } from "./order.ts";

/** A column of the event. */
const ofEvent = (column: SQLiteColumn) =>
  sql<string>`(select ${column} from ${events} where ${events.seq} = ${deliveries.event})`;

const columns = {
  uid: deliveries.uid,
  eventId: ofEvent(events.id).as("event_id"),
  eventType: ofEvent(events.type).as("event_type"),
  eventSubject: ofEvent(events.subject).as("event_subject"),
  lease: deliveries.lease,
  state: deliveries.state,
  attempts: deliveries.attempts,
  dueTime: deliveries.dueTime,
  endTime: deliveries.endTime,
  createTime: deliveries.createTime,
};

const selectDeliveries = (db: Database) => db.select(columns).from(deliveries);

type DeliveryRow = Awaited<ReturnType<typeof selectDeliveries>>[number];

const listing = defineListing({
  table: deliveries,
  select: selectDeliveries,
  orders: { create_time: "createTime" },
  defaultOrder: "create_time desc",
});

const states = {
  pending: DeliveryState.PENDING,
  delivered: DeliveryState.DELIVERED,
  failed: DeliveryState.FAILED,
};

/** The stored state with this number. Undefined for any state. */
const storedState = (state: DeliveryState) =>
  (["pending", "delivered", "failed"] as const).find((name) => states[name] === state);

const toAttempt = ({ time, latency, ...rest }: StoredAttempt) => ({
  attemptTime: timestampFromMs(time),
  latency: durationFromMs(latency),
  ...rest,
});

function toDelivery(row: DeliveryRow): Delivery {
  const { uid, eventId, eventType, eventSubject, dueTime, endTime } = row;
  return wholeMessage(DeliverySchema, {
    uid,
    eventId,
    eventType,
    eventSubject,
    state: states[row.state],
    attempts: row.attempts.map(toAttempt),
    nextAttemptTime: dueTime === null ? undefined : timestampFromMs(dueTime),
    endTime: endTime === null ? undefined : timestampFromMs(endTime),
    createTime: timestampFromMs(row.createTime),
  });
}

const delivery: Readable<DeliveryRow> = {
  type: "events/Delivery",
  select: (db, uid) => selectDeliveries(db).where(eq(deliveries.uid, uid)),
};

export const deliveriesService = service(DeliveriesService, {
  async getDelivery({ uid }, call) {
    return toDelivery((await find(call, delivery, uid)).row);
  },

  /** Without a total: a subscription can have many deliveries, and nothing keeps their number. */
  async listDeliveries(request, call) {
    const { parent } = request;
    const state = storedState(request.state);
    const page = await listAt(
      call,
      request,
      listing,
      { at: "childrenOf", uid: parent },
      {
        holder: parent,
        exists: subscription.select(call.db, parent),
        absent: () => notFound(subscription.type, parent),
      },
      {
        filters: [state && eq(deliveries.state, state)],
        total: "none",
      },
    );
    const { nextPageToken, skipped } = page.envelope;
    return { deliveries: page.rows.map(toDelivery), nextPageToken, skipped };
  },

  async redeliverDelivery({ uid }, call) {
    const { db, now } = call;
    const parent = parentOf(uid);
    const { caller, row, extraReads } = await find(call, delivery, uid, {
      extraReads: [subscription.select(db, parent)],
    });
    const [receiver] = extraReads[0];
    if (!receiver) throw notFound(subscription.type, parent);
    requireEnabled(receiver);
    // An attempt is in progress.
    if (row.lease !== "") return toDelivery(row);
    const isPending = row.endTime === null;
    const again = isPending
      ? { dueTime: row.dueTime === null ? null : now }
      : { state: "pending" as const, createTime: now, dueTime: now, endTime: null, failures: 0 };
    const message = toDelivery({ ...row, ...again });
    await commitIfChanged(call, [
      db
        .update(deliveries)
        .set(again)
        .where(
          and(eq(deliveries.uid, uid), eq(deliveries.lease, ""), eq(deliveries.state, row.state)),
        ),
      holdBack(db, eq(deliveries.uid, uid)),
      insertEvent(call, caller, {
        subject: uid,
        group: parentOf(parent),
        body: { desc: DeliverySchema, message },
      }),
    ]);
    return message;
  },
});
