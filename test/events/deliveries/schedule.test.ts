/** The schedule of the Worker: it sends what no message has announced, and deletes what is too old. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { randomUid } from "../../world/personas.ts";
import { type Sink, startSink } from "../../world/sink.ts";
import { type Sending, startSending } from "./sending.ts";

let platform: Sending;
let sink: Sink;
let organization: string;
let subscription: string;
beforeAll(async () => {
  platform = await startSending({ EVENT_RETENTION_DAYS: "30" }, false);
  sink = await startSink();
  organization = await platform.newOrganization();
  ({ uid: subscription } = await platform.subscribe(organization, { sink: sink.url }));
});
afterAll(async () => {
  await platform?.close();
  await sink?.close();
});

const dayMs = 24 * 3_600_000;
const step = () => randomUid().slice(0, 16);

const newEvent = async (days: number) => {
  const [row] = await platform.sql(
    `insert into events (uid, id, type, source, subject, group_uid, audience, extensions, body_type, data, time)
     values (?, ?, 't', 's', 'old', ?, 'internal', '{}', '', '{"actor":{}}', ?) returning seq`,
    ...[`${organization}/${step()}`, crypto.randomUUID(), organization, Date.now() - days * dayMs],
  );
  return Number(row?.seq);
};
const newDelivery = async (event: number, days: number, parent = subscription) => {
  const uid = `${parent}/${step()}`;
  await platform.sql(
    `insert into deliveries (uid, event_seq, pool, partition, create_time, end_time, state)
     values (?, ?, '', '', ?, ?, 'delivered')`,
    ...[uid, event, Date.now() - days * dayMs, Date.now() - days * dayMs],
  );
  return uid;
};
const left = async (table: string, key: string, values: (string | number)[]) => {
  const rows = await platform.sql(`select ${key} as value from ${table}`);
  const all = rows.map(({ value }) => value);
  return values.map((value) => all.includes(value));
};

test("events are sent without a queue", async () => {
  const repo = await platform.newRepo(organization);
  await platform.runSchedule();
  expect(sink.received.map(({ headers }) => headers["ce-subject"])).toContain(repo);
});

describe("after the schedule has run,", () => {
  test("deliveries are deleted 14 days after they were requested", async () => {
    const old = await newEvent(20);
    const deliveries = [
      await newDelivery(old, 15),
      await newDelivery(old, 13),
      await newDelivery(await newEvent(1), 1),
    ];
    await platform.runSchedule();
    expect(await left("deliveries", "uid", deliveries)).toEqual([false, true, true]);
  });

  test("deliveries of a deleted subscription are gone, and no others", async () => {
    const event = await newEvent(0);
    const [own, orphan] = [
      await newDelivery(event, 0),
      await newDelivery(event, 0, `${organization}/${step()}`),
    ];
    await platform.runSchedule();
    expect(await left("deliveries", "uid", [own, orphan])).toEqual([true, false]);
  });

  test("events are deleted after EVENT_RETENTION_DAYS, however many there are", async () => {
    const kept = await newEvent(29);
    await platform.sql(
      `insert into events (uid, id, type, source, subject, group_uid, audience, extensions, body_type, data, time)
       with recursive n(n) as (select 1 union all select n + 1 from n where n < 2500)
       select ? || '/' || printf('%016x', n), n, 't', 's', 'many', ?, 'internal', '{}', '', '{"actor":{}}', ? from n`,
      ...[organization, organization, Date.now() - 31 * dayMs],
    );
    // An event is not deleted before its deliveries exist.
    await platform.runSchedule();
    await platform.runSchedule();
    expect(await left("events", "seq", [kept])).toEqual([true]);
    expect(await platform.sql("select seq from events where subject = 'many'")).toEqual([]);
  });
});
