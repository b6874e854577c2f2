/** Records the outcomes of attempts, and decides when the next attempt is due. */
import { and, eq, isNull, lte, type SQL, sql } from "drizzle-orm";
import { deliveries, type StoredAttempt } from "../../../schema/tables/events/deliveries.ts";
import { subscriptions } from "../../../schema/tables/events/subscriptions.ts";
import { parentOf } from "../../aip/uid_path.ts";
import type { Database } from "../../auth/call.ts";
import { isWritable } from "../../auth/databases.ts";
import type { Config } from "../../config.ts";
import type { Statement } from "../../outbox/commit.ts";
import { insertCompleteEventIfChanged } from "../../outbox/outbox.ts";
import { disabledEvent } from "../subscriptions/disabling.ts";
import type { AttemptOutcome } from "./attempt.ts";
import { failuresBeforePause } from "./lease.ts";
import { type OrderedDelivery, releaseNext } from "./order.ts";

/** A delivery that a sender has leased. */
export interface Leased extends OrderedDelivery {
  uid: string;
  failures: number;
  attempts: StoredAttempt[];
}

/** A lease, and how its attempt ended. Without an outcome, the event no longer exists. */
export interface Ended {
  lease: string;
  delivery: Leased;
  outcome: AttemptOutcome | undefined;
}

/** A delivery keeps its latest attempts. */
const maxAttempts = 30;

/** A subscription whose requests have failed for this long is disabled. In milliseconds. */
const maxFailingTime = 5 * 24 * 3_600_000;

/** A request that takes this long, in milliseconds, makes its sink a slow one. */
const slowLatency = 1_000;

/** A sink counts as slow for this many times as long as its request took, so ten minutes at most. */
const slowFactor = 60;

const firstPause = 5_000;
const maxPause = 300_000;

interface Recorder {
  db: Database;
  config: Config;
  now: number;
}

/**
 * The statements that record an attempt, and the time of the next one if there is one. While an organization moves to
 * another database, they change nothing, and the other database sends the event again.
 */
export function recordOutcome(
  { db, config, now }: Recorder,
  { lease, delivery, outcome }: Ended,
): { statements: Statement[]; dueTime?: number } {
  const { uid, parent, failures } = delivery;
  const attempts = outcome
    ? [...delivery.attempts, outcome.attempt].slice(-maxAttempts)
    : delivery.attempts;
  const record = (columns: Partial<typeof deliveries.$inferInsert>) =>
    db
      .update(deliveries)
      .set({ ...columns, attempts, lease: "" })
      .where(and(eq(deliveries.uid, uid), eq(deliveries.lease, lease), isWritable(sql`${uid}`)));
  const end = (state: "delivered" | "failed") => [
    record({ state, dueTime: null, endTime: now }),
    releaseNext(db, delivery, now),
  ];
  // The sink did not cause this, so it does not count as a failure of the sink.
  if (!outcome || outcome.isUnreadable) return { statements: end("failed") };
  if (outcome.isDelivered) {
    return {
      statements: [
        ...end("delivered"),
        recordSuccess(db, parent, slowEndAfter(outcome.attempt.latency, now)),
      ],
    };
  }
  const failing = recordFailure({ db, config, now }, parent, outcome);
  const pause = config.deliveryRetries[failures];
  if (pause === undefined) return { statements: [...end("failed"), ...failing] };
  const dueTime = now + Math.max(Math.ceil(pause * (1 + Math.random() / 5)), outcome.retryAfter);
  return { statements: [record({ dueTime, failures: failures + 1 }), ...failing], dueTime };
}

/** Until when a sink counts as slow after a request that took so long. 0 if it was quick. */
export const slowEndAfter = (latency: number, now: number) =>
  latency < slowLatency ? 0 : now + latency * slowFactor;

/** A quick answer does not make a slow sink quick before its time, because it can be slow again. */
const laterSlowEnd = (time: number) => sql`max(coalesce(${subscriptions.slowEndTime}, 0), ${time})`;

/** Writes nothing for a sink that has not failed and is as quick as it was. */
const recordSuccess = (db: Database, uid: string, slowEndTime: number) =>
  db
    .update(subscriptions)
    .set({
      failingSince: null,
      failures: 0,
      pauseEndTime: 0,
      slowEndTime: laterSlowEnd(slowEndTime),
    })
    .where(
      and(
        eq(subscriptions.uid, uid),
        sql`(${subscriptions.failingSince} is not null or coalesce(${subscriptions.slowEndTime}, -1) < ${slowEndTime})`,
        isWritable(sql`${uid}`),
      ),
    );

function recordFailure(
  { db, config, now }: Recorder,
  uid: string,
  { attempt, isGone }: AttemptOutcome,
): Statement[] {
  const isOpen = and(eq(subscriptions.uid, uid), isWritable(sql`${uid}`));
  const failures = sql`${subscriptions.failures} + 1`;
  const doublings = sql`min(${failures} - ${failuresBeforePause}, 10)`;
  const reason = isGone
    ? "The sink responded with 410 Gone."
    : "No request has succeeded for five days.";
  const isOver: SQL | undefined = isGone
    ? undefined
    : lte(subscriptions.failingSince, now - maxFailingTime);
  return [
    db
      .update(subscriptions)
      .set({
        failures,
        failingSince: sql`coalesce(${subscriptions.failingSince}, ${attempt.time})`,
        pauseEndTime: sql`iif(${failures} < ${failuresBeforePause}, 0,
          ${now} + min(${maxPause}, ${firstPause} << ${doublings}))`,
        slowEndTime: laterSlowEnd(slowEndAfter(attempt.latency, now)),
      })
      .where(isOpen),
    db
      .update(subscriptions)
      .set({
        disableTime: now,
        disableReason: reason,
        updateTime: sql`max(${now}, ${subscriptions.updateTime} + 1)`,
      })
      .where(and(isOpen, isNull(subscriptions.disableTime), isOver)),
    insertCompleteEventIfChanged(
      { db, config, now, headers: new Headers() },
      disabledEvent(uid, parentOf(uid), reason, now),
    ),
  ];
}
