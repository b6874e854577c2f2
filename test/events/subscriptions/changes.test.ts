/** Updates of subscriptions, and new secrets. */
import { beforeAll, describe, expect, test } from "vitest";
import {
  createResource,
  newOrganization,
  type Organization,
  randomName,
} from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";

let organization: Organization;
let token: string;
beforeAll(async () => {
  organization = await newOrganization("hooks");
  ({ token } = organization.owner);
});

const at = "/events/v2/subscriptions";
const newSink = () => `https://${randomName("hooks")}.example/events`;
const subscribe = (fields: object = {}) =>
  createResource(`${at}/${organization.uid}`, token, { sink: newSink(), ...fields });
const change = (uid: string, body: object, query = "") =>
  callRest(`${at}/${uid}${query}`, { method: "PATCH", token, body });
const read = async (uid: string) => (await callRest(`${at}/${uid}`, { token })).body;
const typesAbout = async (uid: string) =>
  (await sql<{ type: string }>("select type from events where subject = ? order by seq", uid)).map(
    ({ type }) => type.replace("dev.vendor.api.events.subscription.", ""),
  );

describe("an update", () => {
  test("changes only the fields in the request, and they stay changed", async () => {
    const { uid, secret: _, etag: __, ...before } = await subscribe({ tagPattern: "1.*" });
    const filters = {
      eventTypes: ["api.platform.registry.*"],
      repoUids: [`${organization.uid}/${"a".repeat(16)}`],
    };
    const { status, body } = await change(uid, filters);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...before,
      uid,
      ...filters,
      updateTime: body.updateTime,
      etag: body.etag,
    });
    expect(await read(uid)).toEqual(body);
    expect((await change(uid, {}, "?updateMask=eventTypes,repoUids,tagPattern")).body).toEqual({
      uid,
      sink: before.sink,
      disabled: false,
      createTime: before.createTime,
      updateTime: expect.any(String),
      etag: expect.any(String),
    });
    expect(await typesAbout(uid)).toEqual(["created.v1", "updated.v1", "updated.v1"]);
  });

  test("of the sink follows the rules of a new one", async () => {
    const [first, second] = [await subscribe(), await subscribe()];
    const refused = await change(first.uid, { sink: "https://10.0.0.1/" });
    expect([refused.status, refused.body.code]).toEqual([400, 3]);
    expect((await change(first.uid, { sink: second.sink })).status).toBe(409);
    const sink = newSink();
    expect((await change(first.uid, { sink })).body.sink).toBe(sink);
  });

  test("that changes nothing needs no resolver and writes nothing", async () => {
    const { uid, secret: _, ...before } = await subscribe();
    const { body } = await change(uid, { sink: before.sink });
    expect(body).toEqual({ uid, ...before });
    expect(await typesAbout(uid)).toEqual(["created.v1"]);
  });

  test("disables a subscription and says so everywhere, and enables it again", async () => {
    const { uid } = await subscribe();
    const { body } = await change(uid, { disabled: true });
    expect(body).toMatchObject({
      disabled: true,
      disableReason: "A caller has disabled the subscription.",
      disableTime: expect.any(String),
    });
    const { body: listed } = await callRest(`${at}?uidp.childrenOf=${organization.uid}`, { token });
    expect(listed.subscriptions).toContainEqual(body);
    await sql("update subscriptions set failing_since = 1, failures = 3 where uid = ?", uid);
    expect((await read(uid)).failingSince).toBe("1970-01-01T00:00:00.001Z");
    const enabled = (await change(uid, { disabled: false }, "?updateMask=disabled")).body;
    expect(enabled).toEqual(await read(uid));
    expect(Object.keys(enabled).sort()).toEqual([
      "createTime",
      "disabled",
      "etag",
      "sink",
      "uid",
      "updateTime",
    ]);
  });

  test("cannot set the fields that the platform sets", async () => {
    const { uid } = await subscribe();
    const set = {
      disableReason: "mine",
      failingSince: "2001-01-01T00:00:00Z",
      secret: "whsec_mine",
    };
    await change(uid, set, "?updateMask=*");
    const shown = await read(uid);
    for (const name of Object.keys(set)) expect(shown).not.toHaveProperty(name);
  });
});

describe("a filter that cannot be right is INVALID_ARGUMENT and names its field:", () => {
  test.each([
    ["a star in the middle of a type", { eventTypes: ["api.*.created.v1"] }, "event_types[0]"],
    ["a type that no event has", { eventTypes: ["api.iam.rle.created.v1"] }, "event_types[0]"],
    [
      "a beginning that no event has",
      { eventTypes: ["api.iam.*", "api.platform.registy.*"] },
      "event_types[1]",
    ],
    ["a type in capital letters", { eventTypes: ["API.*"] }, "event_types[0]"],
    ["the same type twice", { eventTypes: ["api.a", "api.a"] }, "event_types"],
    ["a group in place of a repository", { repoUids: ["a".repeat(40)] }, "repo_uids[0]"],
    ["four stars in a tag", { tagPattern: "*1*2*3*" }, "tag_pattern"],
    ["a set of characters", { tagPattern: "[0-9]*" }, "tag_pattern"],
    ["51 types", { eventTypes: Array.from({ length: 51 }, (_, n) => `api.t${n}`) }, "event_types"],
  ])("%s", async (_, filter, field) => {
    const { status, body } = await callRest(`${at}/${organization.uid}`, {
      token,
      body: { sink: newSink(), ...filter },
    });
    expect(status).toBe(400);
    expect(JSON.stringify(body.details)).toContain(`"field":"${field}"`);
  });
});

test("a group has at most 50 subscriptions", async () => {
  const { uid, owner } = await newOrganization("full");
  const subscribeThere = () =>
    callRest(`${at}/${uid}`, { token: owner.token, body: { sink: newSink() } });
  const made = await Promise.all(Array.from({ length: 55 }, subscribeThere));
  const codes = made.map(({ body }) => body.code ?? 0);
  expect(codes.filter((code) => code === 0)).toHaveLength(50);
  expect(codes.filter((code) => code === 8)).toHaveLength(5);
});

describe("a new secret", () => {
  const rotate = (uid: string, body: object = {}) =>
    callRest(`${at}/${uid}:rotateSecret`, { token, body });

  test("is shown once, and the event does not contain it", async () => {
    const { uid, secret } = await subscribe();
    const { body } = await rotate(uid);
    expect(body.secret).toMatch(/^whsec_/);
    expect(body.secret).not.toBe(secret);
    expect(await read(uid)).not.toHaveProperty("secret");
    expect(await typesAbout(uid)).toEqual(["created.v1", "secret_rotated.v1"]);
    const rows = await sql("select data from events where subject = ?", uid);
    expect(JSON.stringify(rows)).not.toContain("whsec_");
    const [row] = await sql<{ secret: string }>(
      "select secret from subscriptions where uid = ?",
      uid,
    );
    expect(row?.secret).toMatch(/^ey[\w-]+\./);
  });

  test.each(["-1s", "604801s", "a week"])("refuses an overlap of %s", async (overlap) => {
    const { uid } = await subscribe();
    expect((await rotate(uid, { overlap })).status).toBe(400);
  });
});
