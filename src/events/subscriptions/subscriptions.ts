import { create } from "@bufbuild/protobuf";
import { and, eq, isNotNull, sql } from "drizzle-orm";
import {
  type Subscription,
  SubscriptionSchema,
  SubscriptionsService,
} from "../../../schema/gen/platform/events/v2/subscriptions_pb.js";
import { deliveries } from "../../../schema/tables/events/deliveries.ts";
import { subscriptions } from "../../../schema/tables/events/subscriptions.ts";
import { invalidArgument, resourceExhausted } from "../../aip/errors.ts";
import { newUid } from "../../aip/uid_path.ts";
import type { Call, Database } from "../../auth/call.ts";
import { hostOf } from "../../auth/outgoing/destination.ts";
import { onlyIf } from "../../outbox/commit.ts";
import { list } from "../../paging/list.ts";
import { defineListing } from "../../paging/listing.ts";
import { newMessage, writeCreate } from "../../resource/create.ts";
import { writeDelete } from "../../resource/delete.ts";
import { find, parentGroup } from "../../resource/find.ts";
import { maskedUpdate, writeUpdate } from "../../resource/update.ts";
import { service } from "../../rpc/service.ts";
import {
  hasRoomAtHost,
  newSinkColumns,
  requireRoomAtHost,
  selectCountOfHost,
} from "./confirmation.ts";
import { requireKnownTypes } from "./filters.ts";
import { subscription, subscriptionColumns, toSubscription } from "./message.ts";
import { redeliverEvents, testSubscription } from "./repeats.ts";
import { rotateSubscriptionSecret } from "./rotation.ts";
import { newWebhookSecret, sealWebhookSecret } from "./secret.ts";
import { sinkRefusal } from "./sink.ts";

/** Each event of a group is looked at for each of its subscriptions. */
const maxSubscriptions = 50;

const listing = defineListing({
  table: subscriptions,
  select: (db, from) => db.select(subscriptionColumns).from(from),
});

/** The columns of a subscription that is enabled or disabled now. */
const stateOf = ({ now }: Call, { disabled }: Subscription) =>
  disabled
    ? { disableTime: now, disableReason: "A caller has disabled the subscription." }
    : { disableTime: null, disableReason: "", failingSince: null, failures: 0, pauseEndTime: 0 };

/** Makes the deliveries due at once that wait for their next attempt. */
const makeDue = ({ db, now }: Call, uid: string) =>
  db
    .update(deliveries)
    .set({ dueTime: now })
    .where(
      and(eq(deliveries.parent, uid), isNotNull(deliveries.dueTime), eq(deliveries.lease, "")),
    );

const countSiblings = (db: Database, parent: string) =>
  db
    .select({ number: sql<number>`count(*)` })
    .from(subscriptions)
    .where(eq(subscriptions.parent, parent));

/** Only for callers who may subscribe, because it sends the resolver a name of the caller's choice. */
async function requireAllowedSink({ config }: Call, { sink }: Subscription): Promise<void> {
  const refusal = await sinkRefusal(config, sink);
  if (refusal !== undefined) throw invalidArgument("sink", refusal);
}

export const subscriptionsService = service(SubscriptionsService, {
  async getSubscription({ uid }, call) {
    return toSubscription((await find(call, subscription, uid)).row);
  },

  async listSubscriptions(request, call) {
    const page = await list(call, request, listing);
    return { subscriptions: page.rows.map(toSubscription), ...page.envelope };
  },

  /** The sink is stored as it was sent. A group has each sink only once, so that no event is sent twice. */
  async createSubscription({ parent, subscription: input }, call) {
    const siblings = countSiblings(call.db, parent);
    const { caller, extraReads } = await find(call, parentGroup, parent, {
      extraReads: [siblings, selectCountOfHost(call, parent, input?.sink ?? "")],
    });
    const message = newMessage(subscription, input);
    requireKnownTypes(call.config, message.eventTypes);
    await requireAllowedSink(call, message);
    if ((extraReads[0][0]?.number ?? 0) >= maxSubscriptions) {
      throw resourceExhausted(`the group has ${maxSubscriptions} subscriptions; delete one first`);
    }
    requireRoomAtHost(call, message.sink, extraReads[1]);
    const uid = newUid(parent);
    const secret = newWebhookSecret();
    const sealed = await sealWebhookSecret(call.config, uid, secret);
    const hasRoom = onlyIf(
      call.db,
      sql`(${countSiblings(call.db, parent)}) <= ${maxSubscriptions}`,
    );
    const created = await writeCreate(call, subscription, caller, message, {
      uid,
      columns: {
        ...stateOf(call, message),
        ...newSinkColumns(call, message.sink),
        secret: sealed,
      },
      extraWrites: [hasRoom, ...hasRoomAtHost(call, uid, message.sink)],
    });
    return { ...created, secret: call.validateOnly ? "" : secret };
  },

  async updateSubscription({ subscription: input, updateMask }, call) {
    const { caller, row } = await find(call, subscription, input?.uid ?? "");
    const update = maskedUpdate(
      call,
      subscription,
      row,
      input ?? create(SubscriptionSchema),
      updateMask,
    );
    const { before, after } = update;
    requireKnownTypes(call.config, after.eventTypes, before.eventTypes);
    const hasMoved = after.sink !== before.sink;
    if (hasMoved) await requireAllowedSink(call, after);
    const isAtNewHost = hasMoved && hostOf(after.sink) !== hostOf(before.sink);
    if (isAtNewHost) {
      const count = await selectCountOfHost(call, after.uid, after.sink);
      requireRoomAtHost(call, after.sink, count);
    }
    const hasChanged = before.disabled !== after.disabled;
    const isEnabled = hasChanged && !after.disabled;
    // A sink that has not confirmed is asked again.
    const again = isEnabled && row.confirmDueTime !== null ? { confirmDueTime: call.now } : {};
    return writeUpdate(call, subscription, caller, update, {
      columns: {
        ...(hasChanged ? stateOf(call, after) : {}),
        ...again,
        ...(hasMoved ? newSinkColumns(call, after.sink) : {}),
      },
      extraWrites: [
        ...(isEnabled ? [makeDue(call, after.uid)] : []),
        ...(isAtNewHost ? hasRoomAtHost(call, after.uid, after.sink) : []),
      ],
    });
  },

  async deleteSubscription(request, call) {
    const { caller } = await find(call, subscription, request.uid);
    return writeDelete(call, subscription, caller, request);
  },

  rotateSubscriptionSecret,
  testSubscription,
  redeliverEvents,
});
