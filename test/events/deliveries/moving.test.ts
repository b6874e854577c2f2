/** The deliveries of an organization that moves to another database. */
import type { D1Database } from "@cloudflare/workers-types";
import { drizzle } from "drizzle-orm/d1";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fanOut } from "../../../src/events/deliveries/fan_out.ts";
import { type Home, type SpreadPlatform, startSpread } from "../../world/spread.ts";

let platform: SpreadPlatform;
beforeAll(async () => {
  platform = await startSpread();
});
afterAll(() => platform.stop());

/** Creates the deliveries of all new events that do not have to wait. */
async function fanOutAll() {
  const db = drizzle(platform.databases.DB_2 as D1Database);
  for (;;) {
    const results = await db.batch(fanOut(db, "platform", Date.now()));
    if (results.at(-1)?.length === 0) return;
  }
}

const state = ({ uid }: Home, name: string, progress = "{}") =>
  platform.rowsIn(
    "DB_2",
    "insert or replace into organization_moves (uid, state, database, time, progress) values (?, ?, 'DB', 1, ?)",
    ...[uid, name, progress],
  );

test("the events of an organization that leaves wait, and its old database has no deliveries after the switch", async () => {
  const [leaving, staying] = [await platform.newHome("DB_2"), await platform.newHome("DB_2")];
  const homes = [leaving, staying];
  for (const { uid, token } of homes)
    await platform.done(`/events/v2/subscriptions/${uid}`, token, { sink: "https://sink.example" });
  await fanOutAll();
  await platform.rowsIn("DB_2", "delete from deliveries");
  const created = (home: Home) =>
    platform.done(`/iam/v2/groups/${home.uid}`, home.token, { name: `g${Math.random()}` });
  const counts = async () => {
    const rows = homes.map(({ uid }) =>
      platform.rowsIn<{ n: number }>(
        "DB_2",
        "select count(*) as n from deliveries join events on seq = event_seq where deliveries.uid like ? and type like '%group.created%'",
        `${uid}%`,
      ),
    );
    return (await Promise.all(rows)).map(([row]) => row?.n);
  };
  await created(staying);
  await created(leaving);
  await created(staying);
  for (const name of ["leaving", "departed"]) {
    await state(leaving, name);
    await fanOutAll();
    expect(await counts()).toEqual([0, 1]);
  }
  await state(leaving, "departed", '{"ended":"switched"}');
  await fanOutAll();
  expect(await counts()).toEqual([0, 2]);
});
