/** An organization cannot use the platform to send many requests to one host. */
import { expect, test } from "vitest";
import { createResource, newOrganization, randomName } from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";

const at = "/events/v2/subscriptions";

test("an organization has 20 subscriptions to one host, in whatever group and address", async () => {
  const { uid, owner } = await newOrganization("host");
  const { token } = owner;
  const group = (await createResource(`/iam/v2/groups/${uid}`, token, { name: "below" })).uid;
  const host = `${randomName("hooks")}.example`;
  const subscribe = (sink: string, parent = uid) =>
    callRest(`${at}/${parent}`, { token, body: { sink } });
  const made = await Promise.all(
    Array.from({ length: 24 }, (_, turn) =>
      subscribe(
        `https://${turn % 3 === 0 ? host.toUpperCase() : host}/${turn}`,
        turn % 2 ? uid : group,
      ),
    ),
  );
  const codes = made.map(({ body }) => body.code ?? 0);
  expect(codes.filter((code) => code === 0)).toHaveLength(20);
  expect(codes.filter((code) => code === 8)).toHaveLength(4);
  for (const sink of [`https://${host}:8443/other`, `https://${host}./other`])
    expect((await subscribe(sink)).body.code).toBe(8);
  const other = await subscribe(`https://${randomName("hooks")}.example`);
  expect(other.status).toBe(200);
  const moved = await callRest(`${at}/${other.body.uid}`, {
    ...{ method: "PATCH", token },
    body: { sink: `https://${host}/moved` },
  });
  expect([moved.status, moved.body.code]).toEqual([429, 8]);
  const elsewhere = await newOrganization("host");
  const theirs = { token: elsewhere.owner.token, body: { sink: `https://${host}/1` } };
  expect((await callRest(`${at}/${elsewhere.uid}`, theirs)).status).toBe(200);
});

test("an organization has two redeliveries at once", async () => {
  const { uid, owner } = await newOrganization("again");
  const { token } = owner;
  const made: string[] = [];
  while (made.length < 3) {
    const sink = `https://${randomName("hooks")}.example`;
    made.push((await createResource(`${at}/${uid}`, token, { sink })).uid);
  }
  await sql("update delivery_cursor set event_seq = (select max(seq) from events)");
  const redeliver = async (subscription = "") =>
    (
      await callRest(`${at}/${subscription}:redeliver`, {
        token,
        body: { since: "2020-01-01T00:00:00Z" },
      })
    ).status;
  const [one, two, three] = made;
  expect([await redeliver(one), await redeliver(two), await redeliver(three)]).toEqual([
    200, 200, 429,
  ]);
  // One that is in progress can be repeated, because its pending events stay as they are.
  expect(await redeliver(one)).toBe(200);
  await sql("update deliveries set end_time = 1, due_time = null where parent = ?", two ?? "");
  expect(await redeliver(three)).toBe(200);
});
