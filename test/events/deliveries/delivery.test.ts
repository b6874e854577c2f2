/** The requests that a sink receives, and their order. */
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { randomName } from "../../world/personas.ts";
import { type Received, type Sink, startSink } from "../../world/sink.ts";
import { type Sending, startSending } from "./sending.ts";

let platform: Sending;
let sink: Sink;
beforeAll(async () => {
  platform = await startSending();
});
afterAll(() => platform?.close());
beforeEach(async () => {
  sink = await startSink();
});
afterEach(() => sink.close());

const about = (subject: string) =>
  sink.received.filter(({ headers }) => headers["ce-subject"] === subject);
const newTag = (repo: string, name = randomName("tag"), digest = "a") =>
  platform.done(`/registry/v2/tags/${repo}`, { name, digest: `sha256:${digest.repeat(64)}` });

describe("a request", () => {
  let organization: string;
  let repo: string;
  let subscription: { uid: string; secret: string };
  let received: Received;
  beforeEach(async () => {
    organization = await platform.newOrganization();
    subscription = await platform.subscribe(organization, { sink: sink.url });
    repo = await platform.newRepo(organization);
    await sink.until(() => about(repo).length > 0);
    [received] = about(repo) as [Received];
  });

  test("is a CloudEvent in binary mode with the attributes of the contract", () => {
    const ce = Object.entries(received.headers).filter(([name]) => name.startsWith("ce-"));
    expect(Object.fromEntries(ce)).toEqual({
      "ce-specversion": "1.0",
      "ce-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
      "ce-type": "dev.vendor.api.platform.registry.repo.created.v1",
      "ce-source": "http://localhost:8787/registry/v2/repos",
      "ce-subject": repo,
      "ce-time": expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      "ce-group": organization,
      "ce-audience": "customer",
      "ce-bodytype": "vendor.platform.registry.v2.Repo",
      "ce-requestid": expect.any(String),
      "ce-vendordev1delivery": "webhook",
      "ce-vendordev1webhook": sink.url,
      "ce-vendordev1subscription": subscription.uid,
    });
    expect(received.headers["content-type"]).toBe("application/json");
    expect(received.headers["user-agent"]).toMatch(/^Vendor Enforce /);
    expect(JSON.parse(received.body)).toEqual({
      actor: { subject: platform.owner },
      body: expect.objectContaining({ uid: repo }),
    });
  });

  test("has a token of the issuer for the group, about exactly this body", async () => {
    const keys = (await (
      await fetch(`${platform.origin}/.well-known/jwks.json`)
    ).json()) as JSONWebKeySet;
    const token = String(received.headers.authorization).replace("Bearer ", "");
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
      issuer: "http://localhost:8787",
      audience: "customer",
      subject: `webhook:${organization}`,
    });
    const digest = new Uint8Array(
      await crypto.subtle.digest("SHA-256", new TextEncoder().encode(received.body)),
    );
    expect(payload.webhook).toEqual({ digest: `sha256:${Buffer.from(digest).toString("hex")}` });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(3600);
  });

  test("is signed with the secret of the subscription, and during a rotation with both", async () => {
    const signatureOf = ({ headers, body }: Received, secret: string) => {
      const time = new Date(Number(headers["webhook-timestamp"]) * 1000);
      return new Webhook(secret).sign(String(headers["webhook-id"]), time, body);
    };
    expect(received.headers["webhook-id"]).toBe(received.headers["ce-id"]);
    expect(received.headers["webhook-signature"]).toBe(signatureOf(received, subscription.secret));
    const at = `/events/v2/subscriptions/${subscription.uid}:rotateSecret`;
    const { secret: second } = await platform.done(at, {});
    const tag = await newTag(repo);
    await sink.until(() => about(tag.uid).length > 0);
    const [next] = about(tag.uid) as [Received];
    expect(next.headers["webhook-signature"]).toBe(
      `${signatureOf(next, second)} ${signatureOf(next, subscription.secret)}`,
    );
    const { secret: third } = await platform.done(at, { overlap: "0s" });
    const last = await newTag(repo);
    await sink.until(() => about(last.uid).length > 0);
    const [alone] = about(last.uid) as [Received];
    expect(alone.headers["webhook-signature"]).toBe(signatureOf(alone, third));
  });

  test("has every attribute percent-encoded where HTTP requires it", async () => {
    await platform.sql(
      `insert into events (uid, id, type, source, subject, group_uid, audience, extensions, body_type, data, time)
       values (?, ?, 'dev.vendor.api.odd.v1', 's', ?, ?, 'customer', '{}', '', '{"actor":{}}', ?)`,
      ...[
        `${organization}/${"0".repeat(16)}`,
        crypto.randomUUID(),
        'é "50%" 日',
        organization,
        Date.now(),
      ],
    );
    await newTag(repo);
    const encoded = "%C3%A9%20%2250%25%22%20%E6%97%A5";
    await sink.until(() => about(encoded).length > 0);
  });
});

describe("a subscription receives", () => {
  test("events of its group and of all groups below, and none from elsewhere", async () => {
    const organization = await platform.newOrganization();
    const group = await platform.newGroup(organization);
    const below = await platform.newGroup(group);
    const beside = await platform.newGroup(organization);
    await platform.subscribe(group, { sink: sink.url });
    const [other, near, own, deep] = [
      await platform.newRepo(await platform.newOrganization()),
      await platform.newRepo(beside),
      await platform.newRepo(group),
      await platform.newRepo(below),
    ];
    const tag = await newTag(deep);
    await sink.until(() => about(tag.uid).length > 0);
    expect([other, near, own, deep].map((repo) => about(repo).length)).toEqual([0, 0, 1, 1]);
  });

  test("only the types, repositories and tags that its filters name", async () => {
    const organization = await platform.newOrganization();
    const [one, two] = [await platform.newRepo(organization), await platform.newRepo(organization)];
    // A subscription also receives what happened in the second before it, as clocks differ.
    await platform.sql("update events set time = time - 3600000 where subject in (?, ?)", one, two);
    const sinks = await Promise.all([startSink(), startSink(), startSink(), startSink()]);
    const filters = [
      { eventTypes: ["api.platform.registry.tag.*"] },
      {
        eventTypes: [
          "dev.vendor.api.platform.registry.repo.created.v1",
          "api.iam.group.created.v1",
        ],
      },
      { repoUids: [two] },
      { tagPattern: "1.*-slim" },
    ];
    for (const [at, filter] of filters.entries()) {
      await platform.subscribe(organization, { sink: sinks[at]?.url, ...filter });
    }
    await platform.subscribe(organization, { sink: sink.url });
    const first = await newTag(one, "1.2-slim");
    const second = await newTag(two, "1.2");
    const repo = await platform.newRepo(organization);
    const last = await newTag(repo, "1.3-slim");
    await sink.until(() => about(last.uid).length > 0);
    const expected = [
      [first.uid, second.uid, last.uid],
      [repo],
      [second.uid],
      [first.uid, last.uid],
    ];
    for (const [at, one] of sinks.entries()) {
      const wanted = expected[at] ?? [];
      await one.until(() => one.received.length >= wanted.length);
      const subjects = one.received.map(({ headers }) => headers["ce-subject"]);
      expect(subjects.sort()).toEqual(wanted.sort());
      await one.close();
    }
  });

  test("nothing that is for the operator alone, and nothing from before it existed", async () => {
    const organization = await platform.newOrganization();
    const before = await platform.newRepo(organization);
    await platform.sql("update events set time = time - 3600000 where subject = ?", before);
    await platform.sql(
      "update delivery_cursor set event_seq = (select seq - 1 from events where subject = ?)",
      before,
    );
    await platform.subscribe(organization, { sink: sink.url });
    await platform.sql(
      `insert into events (uid, id, type, source, subject, group_uid, audience, extensions, body_type, data, time)
       values (?, ?, 't', 's', 'internal', ?, 'internal', '{}', '', '{"actor":{}}', ?)`,
      ...[`${organization}/${"1".repeat(16)}`, crypto.randomUUID(), organization, Date.now()],
    );
    const after = await platform.newRepo(organization);
    await sink.until(() => about(after).length > 0);
    expect([about(before).length, about("internal").length]).toEqual([0, 0]);
  });
});

describe("order", () => {
  test("events about one resource arrive in their order, and other resources do not wait", async () => {
    const organization = await platform.newOrganization();
    const repo = await platform.newRepo(organization);
    await platform.subscribe(organization, { sink: sink.url });
    const slow = await newTag(repo, "slow");
    await sink.until(() => about(slow.uid).length > 0);
    let isDown = true;
    sink.respondWith(({ headers }, response) => {
      const isRefused = isDown && headers["ce-subject"] === slow.uid;
      response.writeHead(isRefused ? 503 : 200).end();
    });
    for (const digest of ["b", "c", "d"]) await newTag(repo, "slow", digest);
    const quick = await newTag(repo, "quick");
    await sink.until(() => about(quick.uid).length > 0);
    const refused = about(slow.uid).slice(1);
    expect(new Set(refused.map(({ headers }) => headers["ce-id"])).size).toBe(1);
    isDown = false;
    const digests = () => [
      ...new Set(about(slow.uid).map(({ body }) => JSON.parse(body).body.digest[7])),
    ];
    await sink.until(() => digests().length === 4);
    expect(digests()).toEqual(["a", "b", "c", "d"]);
  });

  test("an event about many tags waits for all of them, and later ones wait for it", async () => {
    const organization = await platform.newOrganization();
    const repo = await platform.newRepo(organization);
    await platform.subscribe(organization, { sink: sink.url });
    const refused = new Set(["one"]);
    sink.respondWith(({ headers }, response) => {
      response.writeHead(refused.has(String(headers["ce-subject"])) ? 500 : 200).end();
    });
    const pool = `pool ${repo}`;
    const insert = (subject: string, partition: string) =>
      platform.sql(
        `insert into events (uid, id, type, source, subject, group_uid, audience, extensions, body_type, data, time, pool, partition)
         values (?, ?, 't', 's', ?, ?, 'customer', '{}', '', '{"actor":{}}', ?, ?, ?)`,
        ...[`${organization}/${crypto.randomUUID().slice(-12)}0000`, crypto.randomUUID(), subject],
        ...[organization, Date.now(), pool, partition],
      );
    await insert("one", "one");
    await insert("two", "two");
    await insert("all", "");
    await insert("three", "three");
    await insert("two-again", "two");
    await platform.newRepo(organization);
    await sink.until(() => about("two").length > 0 && about("one").length > 1);
    expect([about("all").length, about("three").length]).toEqual([0, 0]);
    refused.clear();
    refused.add("all");
    await sink.until(() => about("all").length > 1);
    expect(about("three").length).toBe(0);
    refused.clear();
    await sink.until(() => about("three").length > 0 && about("two-again").length > 0);
    const order = [...new Set(sink.received.map(({ headers }) => headers["ce-subject"]))].filter(
      (one) => /^(one|two|all|three|two-again)$/.test(String(one)),
    );
    expect(order.indexOf("all")).toBe(2);
    expect(order).toHaveLength(5);
  });
});
