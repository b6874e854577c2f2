/** Large data of an event is stored compressed, and readers receive it as it was. */
import { beforeAll, describe, expect, test } from "vitest";
import types from "../../schema/gen/event_types.json" with { type: "json" };
import { packText, unpackData, unpackText } from "../../src/outbox/stored_data.ts";
import { expectLog } from "../world/logs.ts";
import { fakeDigest, newOrganization, type Organization } from "../world/personas.ts";
import { callRest, sql } from "../world/platform.ts";

const type = "dev.vendor.api.platform.registry.tag.moved.batch.v1";
const at = (seconds: number) => new Date(Date.UTC(2025, 0, 1) + seconds * 1000).toISOString();

/** 100 moves of 20 tags. */
const moves = Array.from({ length: 100 }, (_, n) => ({
  ...{ updateTime: at(n), repo: "python", tag: `3.${n % 20}-slim` },
  digest: fakeDigest(`stored ${n}`),
}));

interface Stored {
  uid: string;
  data: string;
}

let organization: Organization;
let stored: Stored;
let token: string;
const get = (uid = stored.uid) => callRest(`/events/v2/events/${uid}`, { token });
const list = async (query = "") =>
  callRest(
    `/events/v2/events?uidp.descendantsOf=${organization.uid}&types=${type}&orderBy=create_time${query}`,
    { token },
  );
const storedEvents = (of: string) =>
  sql<Stored>(
    "select uid, data from events where ancestor0 = ? and type = ? order by seq",
    organization.uid,
    of,
  );
const write = (data: string, uid = stored.uid) =>
  sql("update events set data = ? where uid = ?", data, uid);

beforeAll(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
  await callRest(`/registry/v2/tagMoves/${organization.uid}:import`, { token, body: { moves } });
  [stored = { uid: "", data: "" }] = await storedEvents(type);
});

describe("the event of 100 tag moves", () => {
  test("takes less than 8 KiB, and its JSON more than 20", async () => {
    expect((await unpackText(stored.data)).length).toBeGreaterThan(20_480);
    expect(stored.data.length).toBeLessThan(8_192);
  });

  test("is returned and listed with every move", async () => {
    const { body: found } = await get();
    expect(found.body.moves).toHaveLength(100);
    expect(found.body.moves.map(({ digest }: { digest: string }) => digest)).toEqual(
      moves.map(({ digest }) => digest),
    );
    expect(found.body.moves[99]).toMatchObject({
      ...{ name: "3.19-slim", digest: fakeDigest("stored 99") },
      ...{ previousDigest: fakeDigest("stored 79"), updateTime: at(99) },
    });
    expect(found).not.toHaveProperty("packed");
    expect((await list()).body.events).toEqual([found]);
  });

  test("is found by its actor", async () => {
    expect((await list(`&actorUid=${organization.owner.uid}`)).body.events).toHaveLength(1);
    expect((await list(`&actorUid=${organization.uid}`)).body).toEqual({});
  });

  test("is the same event if it was stored before data was compressed", async () => {
    const { body: before } = await get();
    await write(await unpackText(stored.data));
    expect((await get()).body).toEqual(before);
    await write(stored.data);
  });
});

test("many events in one call are each stored small", async () => {
  const more = Array.from({ length: 950 }, (_, n) => ({
    ...{ updateTime: at(n), repo: "go", tag: `1.${n % 20}`, digest: fakeDigest(`many ${n}`) },
  }));
  const { status } = await callRest(`/registry/v2/tagMoves/${organization.uid}:import`, {
    ...{ token, body: { moves: more } },
  });
  expect(status).toBe(200);
  const written = (await storedEvents(type)).slice(1);
  expect(written).toHaveLength(10);
  for (const { data } of written) expect(data.length).toBeLessThan(8_192);
  const bodies = await Promise.all(written.map(async ({ data }) => unpackText(data)));
  const digests = bodies.flatMap((text) =>
    JSON.parse(text).body.moves.map(({ digest }: { digest: string }) => digest),
  );
  expect(digests).toEqual(more.map(({ digest }) => digest));
});

test("the event of one large change is stored small, and a small one as plain JSON", async () => {
  const path = `/events/v2/subscriptions/${organization.uid}`;
  const created = async (eventTypes: string[]) => {
    const sink = `https://hooks.example/?${eventTypes.length}`;
    const { body } = await callRest(path, { token, body: { sink, eventTypes } });
    const [event = { uid: "", data: "" }] = await sql<Stored>(
      "select uid, data from events where subject = ?",
      body.uid,
    );
    return event;
  };
  const small = await created(types.slice(0, 1));
  expect(JSON.parse(small.data)).toEqual({
    actor: { subject: organization.owner.uid },
    body: expect.objectContaining({ eventTypes: types.slice(0, 1) }),
  });
  const large = await created(types.slice(0, 50));
  expect(large.data.length).toBeLessThan(1_024);
  const { body: shown } = await get(large.uid);
  expect(JSON.stringify(shown.body).length).toBeGreaterThan(2_048);
  expect(shown.body.eventTypes).toEqual(types.slice(0, 50));
});

test("an event with damaged data is an error that names it in the log", async () => {
  const middle = stored.data.indexOf('"actor"') / 2;
  await write(`${stored.data.slice(0, middle)}AAAAAAAA${stored.data.slice(middle + 8)}`);
  const logged = await expectLog("is damaged; platformctl fsck --repair removes its body");
  const { status, body } = await get();
  await write(stored.data);
  expect([status, body.message]).toEqual([500, "Internal error"]);
  expect(await logged()).toContain(`the data of the event ${stored.uid} is damaged`);
});

describe("the stored text", () => {
  const dataOf = (text: string) => JSON.stringify({ actor: { subject: "ada" }, body: { text } });

  test.each([
    ["an empty one", dataOf("")],
    ["one with all kinds of characters", dataOf('日本 é "\\ \u2028 😀 \ud800 '.repeat(400))],
    ["one that names the key of packed data", dataOf('{"packed":"x"}'.repeat(400))],
    ["one with text that cannot be compressed", dataOf(randomText(3_000))],
    ["one that is as long as a row can be", dataOf("x".repeat(1_999_000))],
  ])("returns each character of %s", async (_, json) => {
    const text = await packText(json);
    expect(text.length).toBeLessThanOrEqual(json.length);
    expect(await unpackText(text)).toBe(json);
    expect(await unpackData(JSON.parse(text))).toEqual(JSON.parse(json));
  });

  test("is plain JSON if the data is too large to be unpacked", async () => {
    const json = dataOf("é".repeat(1_000_000));
    expect(await packText(json)).toBe(json);
  });

  test.each([
    ["is cut", (text: string) => text.slice(0, 60)],
    ["has no gzip", () => '{"packed":"e30=","actor":{}}'],
    ["has no base64", () => '{"packed":"é","actor":{}}'],
    ["has a number", () => '{"packed":7,"actor":{}}'],
  ])("cannot be read if it %s", async (_, damage) => {
    const text = damage(await packText(dataOf("x".repeat(5_000))));
    await expect(unpackText(text)).rejects.toThrow("the data of an event is damaged");
  });

  test("of more than 2 MB of data is not decompressed to its end", async () => {
    const bomb = new Blob([`{"actor":{},"body":"${"x".repeat(40_000_000)}"}`])
      .stream()
      .pipeThrough(new CompressionStream("gzip"));
    const packed = Buffer.from(await new Response(bomb).arrayBuffer()).toString("base64");
    await expect(unpackText(JSON.stringify({ packed, actor: {} }))).rejects.toMatchObject({
      cause: { message: "it has more than 2000000 bytes" },
    });
  });
});

/** Characters that gzip and base64 together make longer. */
function randomText(length: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return Array.from(bytes, (byte) => String.fromCharCode(0x4e00 + byte)).join("");
}
