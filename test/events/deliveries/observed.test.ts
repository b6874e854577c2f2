/** The age of the outbox, which alarms the operator: no customer can raise it with a sink. */
import { drizzle } from "drizzle-orm/d1";
import { afterAll, beforeAll, expect, test } from "vitest";
import { selectAge } from "../../../src/events/deliveries/observed.ts";
import { type Sending, startSending } from "./sending.ts";

let platform: Sending;
beforeAll(async () => {
  platform = await startSending({}, false);
});
afterAll(() => platform?.close());

/** Since when the oldest delivery is due. */
async function dueSince(): Promise<unknown> {
  // A database that only builds the statement.
  const { sql, params } = selectAge(drizzle({} as never), Date.now()).toSQL();
  const [row] = await platform.sql(sql, ...params);
  return Object.values(row ?? {})[1];
}

test.each([
  ["is disabled", "disable_time"],
  ["pauses after failures", "pause_end_time"],
  ["has not confirmed its sink", "confirm_due_time"],
  ["has a slow sink", "slow_end_time"],
])("a delivery does not count while its subscription %s", async (_, column) => {
  const organization = await platform.newOrganization();
  const { uid } = await platform.subscribe(organization, { sink: "http://127.0.0.1:9/" });
  await platform.sql(
    `insert into deliveries (uid, event_seq, pool, partition, create_time, due_time)
     values (?, 1, '', '', 1, 1)`,
    `${uid}/${"a".repeat(16)}`,
  );
  expect(await dueSince()).toBe(1);
  const set = `update subscriptions set ${column} = ? where uid = ?`;
  await platform.sql(set, Date.now() + 3_600_000, uid);
  expect(await dueSince()).toBe(null);
  await platform.sql("delete from deliveries where parent = ?", uid);
});
