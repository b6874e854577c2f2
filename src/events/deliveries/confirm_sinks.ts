/** Asks the sinks of subscriptions that have not confirmed yet, one after the other and by turns of the organizations. */
import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { subscriptions } from "../../../schema/tables/events/subscriptions.ts";
import { parentOf, rootOf } from "../../aip/uid_path.ts";
import type { Database } from "../../auth/call.ts";
import { isWritable } from "../../auth/databases.ts";
import { insertCompleteEventIfChanged } from "../../outbox/outbox.ts";
import { disabledEvent } from "../subscriptions/disabling.ts";
import { askSink, type SinkAnswer } from "./ask_sink.ts";
import type { SenderContext } from "./context.ts";
import { slowEndAfter } from "./record.ts";
import { type Receiver, subscriptionColumns } from "./request.ts";
import { organizationOf } from "./walk.ts";

/** No sink is asked after this time, in milliseconds. */
const runTime = 20_000;

/** A sender that has not recorded the answer after this time has died. In milliseconds. */
const leaseTime = 60_000;

/** The pauses before a sink is asked again, in milliseconds. After the last one, the subscription is disabled. */
const pauses = [10_000, 60_000, 600_000, 3_600_000];

/** A retry that is due later than this waits for the schedule of the Worker. In milliseconds. */
const maxWakeDelay = 60_000;

type Unconfirmed = Receiver & { confirmFailures: number };

/** Asks until no sink is due, or for some time. Throws the errors of D1, and ConfigError for missing keys. */
export async function confirmSinks({ db, config, wake }: SenderContext): Promise<void> {
  // The organization that had the last turn. The first one is random, because every run begins without one.
  let last: string = crypto.randomUUID();
  for (const end = Date.now() + runTime; Date.now() < end; ) {
    const [one] = await leaseNext(db, Date.now(), last);
    if (!one) return;
    last = rootOf(one.uid);
    const answer = await askSink(config, one);
    const [now, pause] = [Date.now(), pauses[one.confirmFailures]];
    if (answer.hasConfirmed) await recordConfirmed(db, one, answer, now);
    else if (pause === undefined) await recordGivenUp({ db, config }, one, answer, now);
    else await update(db, one, { confirmDueTime: now + pause, confirmFailures: counted });
    // A sink that has confirmed gets the events that have waited for it.
    if (answer.hasConfirmed) await wake(0);
    else if (pause !== undefined && pause <= maxWakeDelay) await wake(pause / 1000);
  }
  await wake(0);
}

const counted: SQL = sql`${subscriptions.confirmFailures} + 1`;

/** Leases the subscription that has waited longest, of the organization after the last one. */
function leaseNext(db: Database, now: number, last: string): Promise<Unconfirmed[]> {
  const organization = organizationOf(sql`${subscriptions.uid}`);
  const first = sql`(select "uid" from (
    select ${subscriptions.uid} as "uid", ${organization} as "organization", min(${subscriptions.confirmDueTime}) from ${subscriptions}
      where ${subscriptions.confirmDueTime} <= ${now} and ${subscriptions.disableTime} is null
        and ${isWritable(sql`${subscriptions.uid}`)}
      group by "organization" order by "organization" <= ${last}, "organization" limit 1))`;
  return db
    .update(subscriptions)
    .set({ confirmDueTime: now + leaseTime })
    .where(sql`${subscriptions.uid} in ${first}`)
    .returning({ ...subscriptionColumns, confirmFailures: subscriptions.confirmFailures });
}

/** Changes nothing if the subscription has another sink meanwhile, which must be asked itself. */
const isSame = ({ uid, sink }: Receiver) =>
  and(eq(subscriptions.uid, uid), eq(subscriptions.sink, sink), isWritable(sql`${uid}`));

const update = (db: Database, one: Unconfirmed, columns: Record<string, unknown>) =>
  db.update(subscriptions).set(columns).where(isSame(one));

const recordConfirmed = (db: Database, one: Unconfirmed, { latency }: SinkAnswer, now: number) =>
  update(db, one, {
    ...{ confirmTime: now, confirmDueTime: null, confirmFailures: 0 },
    slowEndTime: slowEndAfter(latency, now),
  });

async function recordGivenUp(
  { db, config }: Pick<SenderContext, "db" | "config">,
  one: Unconfirmed,
  { instead }: SinkAnswer,
  now: number,
): Promise<void> {
  const reason = `The sink has not confirmed that it wants events: ${instead}.`;
  await db.batch([
    db
      .update(subscriptions)
      .set({
        confirmFailures: counted,
        disableTime: now,
        disableReason: reason,
        updateTime: sql`max(${now}, ${subscriptions.updateTime} + 1)`,
      })
      .where(and(isSame(one), isNull(subscriptions.disableTime))),
    insertCompleteEventIfChanged(
      { db, config, now, headers: new Headers() },
      disabledEvent(one.uid, parentOf(one.uid), reason, now),
    ),
  ]);
}
