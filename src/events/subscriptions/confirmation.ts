/**
 * Without this file, anyone could have the platform send requests to a host that never asked for them. A sink confirms
 * that it wants events before it gets any, and an organization has few subscriptions to one host.
 */
import { type SQL, sql } from "drizzle-orm";
import { subscriptions } from "../../../schema/tables/events/subscriptions.ts";
import { resourceExhausted } from "../../aip/errors.ts";
import { rootOf } from "../../aip/uid_path.ts";
import type { Call } from "../../auth/call.ts";
import { hostOf, isLocalSink } from "../../auth/outgoing/destination.ts";
import { onlyIf } from "../../outbox/commit.ts";

/** The most subscriptions of an organization to one host. Each event is a request for each of them. */
const maxOfHost = 20;

/** The columns of a subscription whose sink is new. */
export const newSinkColumns = ({ config, now }: Call, sink: string) => ({
  host: hostOf(sink),
  confirmFailures: 0,
  ...(isLocalSink(config, sink)
    ? { confirmTime: now, confirmDueTime: null }
    : { confirmTime: null, confirmDueTime: now }),
});

/** SQL: the number of subscriptions of the organization to the host of a sink, which need not be an URL. */
const countOfHost = (uid: string, sink: string): SQL => {
  const organization = rootOf(uid);
  if (!URL.canParse(sink)) return sql`0`;
  return sql`(select count(*) from ${subscriptions} where ${subscriptions.uid} > ${`${organization}/`}
    and ${subscriptions.uid} < ${`${organization}0`} and ${subscriptions.host} = ${hostOf(sink)})`;
};

/** Selects the number for {@link requireRoomAtHost}. */
export const selectCountOfHost = ({ db }: Call, uid: string, sink: string) =>
  db.select({ number: sql<number>`${countOfHost(uid, sink)}` }).from(sql`(select 1)`);

/** Throws RESOURCE_EXHAUSTED if the organization has too many subscriptions to the host of a new sink. */
export function requireRoomAtHost({ config }: Call, sink: string, [row]: { number: number }[]) {
  if (isLocalSink(config, sink) || (row?.number ?? 0) < maxOfHost) return;
  throw resourceExhausted(
    `the organization has ${maxOfHost} subscriptions to ${hostOf(sink)}; delete one first, or subscribe a group above`,
  );
}

/** Undoes the batch if another call has taken the last place at the host. It comes after the write. */
export const hasRoomAtHost = (call: Call, uid: string, sink: string) =>
  isLocalSink(call.config, sink)
    ? []
    : [onlyIf(call.db, sql`${countOfHost(uid, sink)} <= ${maxOfHost}`)];
