/** The log of deliveries, test events, and repeated events. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newOrganization } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { type Sink, startSink } from "../../world/sink.ts";
import { type Sending, startSending } from "./sending.ts";

let platform: Sending;
let sink: Sink;
let organization: string;
let subscription: string;
beforeAll(async () => {
  platform = await startSending();
});
afterAll(() => platform?.close());
beforeEach(async () => {
  sink = await startSink();
  organization = await platform.newOrganization();
  // The sender knows the organization's creation before there is a subscription.
  const hasPassed = async () =>
    (
      await platform.sql(
        "select 1 from delivery_cursor where event_seq = (select max(seq) from events)",
      )
    ).length;
  await expect.poll(hasPassed).toBe(1);
  ({ uid: subscription } = await platform.subscribe(organization, { sink: sink.url }));
  await sink.until(() => about(subscription).length > 0);
});
afterEach(() => sink.close());

const at = "/events/v2/subscriptions";
const about = (subject: string) =>
  sink.received.filter(({ headers }) => headers["ce-subject"] === subject);
const newRepos = async (count: number) => {
  const repos: string[] = [];
  while (repos.length < count) repos.push(await platform.newRepo(organization));
  await sink.until(() => repos.every((repo) => about(repo).length > 0));
  return repos;
};
const log = (query = "") => platform.done(`/events/v2/deliveries?parent=${subscription}${query}`);
const subjects = async (query = "") =>
  (await log(query)).deliveries.map(({ eventSubject }: { eventSubject: string }) => eventSubject);
/** Waits until every delivery has its record, which is written after the response. */
const recorded = () =>
  expect.poll(() => subjects("&state=DELIVERY_STATE_PENDING").catch(() => [])).toEqual([]);

describe("the list of deliveries", () => {
  test("is in order, page by page, and of one subscription", async () => {
    const repos = await newRepos(5);
    const other = await platform.subscribe(organization, { sink: `${sink.url}/other` });
    const newest = (await subjects()).slice(-6, -1);
    expect(newest).toEqual(repos.toReversed());
    const first = await log("&pageSize=3&orderBy=create_time");
    const second = await log(`&pageSize=200&orderBy=create_time&pageToken=${first.nextPageToken}`);
    const all = [...first.deliveries, ...second.deliveries];
    expect(first.deliveries).toHaveLength(3);
    expect(new Set(all.map(({ uid }: { uid: string }) => uid)).size).toBe(all.length);
    expect(all.map(({ eventSubject }: { eventSubject: string }) => eventSubject)).toEqual([
      subscription,
      ...repos,
      other.uid,
    ]);
    expect(second).not.toHaveProperty("nextPageToken");
  });

  test("can be limited to a state", async () => {
    await recorded();
    sink.respondWith((_, response) => void response.writeHead(500).end());
    const repo = await platform.newRepo(organization);
    await sink.until(() => about(repo).length > 0);
    expect(await subjects("&state=DELIVERY_STATE_PENDING")).toEqual([repo]);
    expect(await subjects("&state=DELIVERY_STATE_DELIVERED")).toEqual([subscription]);
    expect((await log("&state=DELIVERY_STATE_FAILED")).deliveries ?? []).toEqual([]);
  });

  test.each([
    ["a subscription that does not exist", () => `parent=${organization}/${"0".repeat(16)}`, 404],
    ["a group", () => `parent=${organization}`, 404],
    ["no subscription", () => "", 400],
    ["another order", () => `parent=${subscription}&orderBy=uid`, 400],
  ])("refuses %s", async (_, query, status) => {
    expect((await platform.call(`/events/v2/deliveries?${query()}`)).status).toBe(status);
  });
});

test("the move of a tag says which digest it pointed to before, and a creation does not", async () => {
  const [repo = ""] = await newRepos(1);
  const digestOf = (digit: string) => `sha256:${digit.repeat(64)}`;
  const put = (digit: string) =>
    platform.done(`/registry/v2/tags/${repo}`, { name: "latest", digest: digestOf(digit) });
  const { uid } = await put("a");
  await put("b");
  await sink.until(() => about(uid).length === 2);
  expect(about(uid).map(({ headers }) => headers["ce-previousdigest"])).toEqual([
    undefined,
    digestOf("a"),
  ]);
});

describe("a test event", () => {
  test("goes through everything that other events do, and only to that subscription", async () => {
    const other = await startSink();
    await platform.subscribe(organization, {
      sink: other.url,
      eventTypes: ["api.iam.roles.deleted.v1"],
    });
    const { uid } = await platform.subscribe(organization, {
      sink: `${sink.url}/tested`,
      eventTypes: ["api.iam.group.created.v1"],
    });
    const { eventId, deliveryUid } = await platform.done(`${at}/${uid}:test`, {});
    await sink.until(() => sink.received.some(({ headers }) => headers["ce-id"] === eventId));
    const [event, ...more] = sink.received.filter(({ headers }) => headers["ce-id"] === eventId);
    expect(more).toEqual([]);
    expect(event?.headers).toMatchObject({
      "ce-type": "dev.vendor.api.events.subscription.tested.v1",
      "ce-subject": uid,
      "webhook-id": eventId,
    });
    expect(JSON.parse(event?.body ?? "").body).toEqual({ eventId, deliveryUid });
    await expect
      .poll(async () => (await platform.call(`/events/v2/deliveries/${deliveryUid}`)).body)
      .toMatchObject({ eventId, state: "DELIVERY_STATE_DELIVERED" });
    expect(other.received).toEqual([]);
    await other.close();
  });
});

describe("an event can be sent again", () => {
  test("by its delivery, with the same id", async () => {
    const [repo = ""] = await newRepos(1);
    await recorded();
    const { deliveries } = await log();
    const { uid } = deliveries.find(
      ({ eventSubject }: { eventSubject: string }) => eventSubject === repo,
    );
    const again = await platform.done(`/events/v2/deliveries/${uid}:redeliver`, {});
    expect(again).toMatchObject({ uid, state: "DELIVERY_STATE_PENDING" });
    expect(again).not.toHaveProperty("endTime");
    await sink.until(() => about(repo).length === 2);
    const [first, second] = about(repo);
    expect(second?.headers["ce-id"]).toBe(first?.headers["ce-id"]);
    expect(second?.body).toBe(first?.body);
    await sink.until(() => about(uid).length === 1);
    expect(about(uid)[0]?.headers["ce-type"]).toBe("dev.vendor.api.events.delivery.redelivered.v1");
  });

  test("by a period, in order, without what the filters exclude", async () => {
    const repos = await newRepos(2);
    const [repo = ""] = repos;
    for (const description of ["a", "b", "c"]) {
      await platform.done(`/registry/v2/repos/${repo}`, { description }, "PATCH");
    }
    const since = new Date().toISOString();
    const [late = ""] = await newRepos(1);
    await sink.until(() => about(repo).length === 4);
    await recorded();
    await platform.done(
      `${at}/${subscription}`,
      { eventTypes: ["api.platform.registry.repo.*"] },
      "PATCH",
    );
    await recorded();
    sink.received.length = 0;
    const all = { since: new Date(Date.now() - 3_600_000).toISOString() };
    expect(
      await platform.done(`${at}/${subscription}:redeliver`, { ...all, before: since }),
    ).toEqual({
      uid: subscription,
      eventCount: 5,
    });
    await sink.until(() => about(repo).length === 4 && sink.received.length >= 5);
    expect(about(repo).map(({ body }) => JSON.parse(body).body.description)).toEqual([
      undefined,
      "a",
      "b",
      "c",
    ]);
    expect(about(late)).toEqual([]);
    expect(await platform.done(`${at}/${subscription}:redeliver`, { since })).toMatchObject({
      eventCount: 1,
    });
    await sink.until(() => about(late).length === 1);
  });

  test("even if it never had a delivery, because the subscription was disabled", async () => {
    await platform.done(`${at}/${subscription}`, { disabled: true }, "PATCH");
    const repo = await platform.newRepo(organization);
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const refused = await platform.call(`${at}/${subscription}:redeliver`, { since });
    expect(refused.body).toMatchObject({ code: 9 });
    const tested = await platform.call(`${at}/${subscription}:test`, {});
    expect(tested.body).toMatchObject({ code: 9 });
    await platform.done(`${at}/${subscription}`, { disabled: false }, "PATCH");
    await platform.done(`${at}/${subscription}:redeliver`, { since });
    await sink.until(() => about(repo).length === 1);
  });

  test("unless the period has too many events, and then none is", async () => {
    await platform.sql(
      `insert into events (uid, id, type, source, subject, group_uid, audience, extensions, body_type, data, time)
       with recursive n(n) as (select 1 union all select n + 1 from n where n < 10001)
       select ? || '/' || printf('%016x', n), n, 't', 's', n, ?, 'internal', '{}', '', '{"actor":{}}', ? from n`,
      ...[organization, organization, Date.now()],
    );
    const [repo = ""] = await newRepos(1);
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const { body } = await platform.call(`${at}/${subscription}:redeliver`, { since });
    expect(body).toMatchObject({ code: 3 });
    expect(JSON.stringify(body.details)).toContain('"field":"since"');
    expect(about(repo)).toHaveLength(1);
  });
});

test("nobody else can read deliveries, test a subscription or send events again", async () => {
  const { owner } = await newOrganization("others");
  const delivery = `${subscription}/${"0".repeat(16)}`;
  const since = new Date().toISOString();
  const asked: [string, object?][] = [
    [`/events/v2/deliveries?parent=${subscription}`],
    [`/events/v2/deliveries/${delivery}`],
    [`/events/v2/deliveries/${delivery}:redeliver`, {}],
    [`${at}/${subscription}:test`, {}],
    [`${at}/${subscription}:redeliver`, { since }],
    [`${at}/${subscription}:rotateSecret`, {}],
  ];
  for (const [path, body] of asked) {
    const { status } = await callRest(path, { token: owner.token, ...(body ? { body } : {}) });
    expect([path, status]).toEqual([path, 403]);
  }
});
