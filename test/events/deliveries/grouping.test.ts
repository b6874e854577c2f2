/** A subscription can get the events about one vulnerability together. Nothing is lost by that, and nothing is there twice. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { configOf } from "../../../src/config.ts";
import { closeGroups } from "../../../src/events/deliveries/grouping.ts";
import { handleQueue } from "../../../src/events/deliveries/wake.ts";
import { openDatabase } from "../../../src/rpc/database.ts";
import { affected, recordOf } from "../../matching/matches.ts";
import { expectLog } from "../../world/logs.ts";
import { type Sink, startSink } from "../../world/sink.ts";
import { type Sending, startSending } from "./sending.ts";

let platform: Sending;
let together: Sink;
let single: Sink;
let organization: string;
let repo: string;
let grouped: string;
const execution = { waitUntil: () => {}, passThroughOnException: () => {} } as never;
const types = ["api.platform.registry.image.*"];
beforeAll(async () => {
  platform = await startSending({}, false);
});
afterAll(() => platform?.close());
beforeEach(async () => {
  [together, single] = [await startSink(), await startSink()];
  organization = await platform.newOrganization();
  repo = await platform.newRepo(organization);
  const grouping = "EVENT_GROUPING_VULNERABILITY";
  const body = { sink: together.url, eventTypes: types, grouping };
  ({ uid: grouped } = await platform.subscribe(organization, body));
  await platform.subscribe(organization, { sink: single.url, eventTypes: types });
});
afterEach(async () => {
  await together.close();
  await single.close();
});

/** Stores tagged images in a repository, each with one package in version 1.0.0. */
async function storeImages(count: number, at = repo) {
  const numbers = `with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${count})`;
  const [uid, digest] = [`'${at}/' || printf('%016x', i)`, "'sha256:' || printf('%064x', i)"];
  const times = "1, 1 from numbers";
  await platform.sql(`insert into sboms (uid, digest, format, spec_version, name, package_count, size, content_digest,
    packages_length, packages, content, create_time, update_time) ${numbers}
    select ${uid}, ${digest}, 1, '', '', 1, 1, '', 1, '', '', ${times}`);
  await platform.sql(`insert into indexed_sboms (uid, packages_version, package_count) ${numbers}
    select ${uid}, 2, 1 from numbers`);
  await platform.sql(`insert into sbom_packages (uid, sbom_uid, name, namespace, version, type, purl, package_key, version_order,
    sort_key, license, match_key, release, match_order, match_sort_key) ${numbers}
    select ${uid}, ${uid}, 'many', '', '1.0.0', 'npm', 'pkg:npm/many@1.0.0', 'pkg:npm/many', 'semver', '', '',
      'pkg:npm/many', '', 'semver', 'a1a0a01' from numbers`);
  await platform.sql(`insert into examined_images (uid, digest, sbom_uid, findings_version, create_time, update_time) ${numbers}
    select ${uid}, ${digest}, ${uid}, 2, ${times}`);
  await platform.sql(`insert into tags (uid, name, digest, create_time, update_time) ${numbers}
    select ${uid}, 't' || i, ${digest}, ${times}`);
}

const load = (id: string, more: object = {}) =>
  platform.done(`/vulnerabilities/v2/osvRecords/${organization}:import`, {
    records: [recordOf(id, { affected: [affected("many", "2.0.0")], ...more })],
  });

const isAnnounced = () =>
  expect
    .poll(() => platform.sql("select 1 from match_marks where root = ?", organization))
    .toEqual([]);

const waiting = () =>
  platform.sql("select event_uid from grouped_events where subscription_uid = ?", grouped);

/** Lets the schedule run as if the events had been collected for long enough. */
async function sendGroups() {
  await platform.runSchedule();
  await platform.sql("update grouped_events set time = 0");
  await platform.runSchedule();
  await platform.runSchedule();
}

interface Sent {
  type: string;
  id: string;
  body: {
    vulnerabilityId: string;
    severity: string;
    imageCount: number;
    repoCount: number;
    images: { digest: string; repoUid: string }[];
  };
}

const sentTo = ({ received }: Sink): Sent[] =>
  received.map(({ headers, body }) => ({
    type: String(headers["ce-type"]).replace("dev.vendor.api.platform.registry.image.", ""),
    id: String(headers["ce-id"]),
    body: JSON.parse(body).body,
  }));

test("400 images and one advisory are one message with totals and the first images, and 400 without the option", async () => {
  const other = await platform.newRepo(organization);
  await storeImages(300);
  await storeImages(100, other);
  await load("CVE-1");
  await isAnnounced();
  await platform.runSchedule();
  expect(together.received).toEqual([]);
  expect(await waiting()).toHaveLength(400);
  await sendGroups();
  await expect.poll(() => new Set(sentTo(single).map(({ id }) => id)).size).toBe(400);
  const [message, ...others] = sentTo(together);
  expect(others).toEqual([]);
  expect(message).toMatchObject({
    type: "affected.batch.v1",
    body: {
      ...{ vulnerabilityId: "CVE-1", severity: "FINDING_SEVERITY_CRITICAL" },
      ...{ imageCount: 400, repoCount: 2 },
    },
  });
  expect(message?.body.images).toHaveLength(20);
  expect(together.received[0]?.headers).toMatchObject({
    ...{ "ce-vulnerability": "CVE-1", "ce-severity": "critical" },
    ...{ "ce-subject": grouped, "ce-group": organization },
  });
  expect(await waiting()).toEqual([]);
});

test("messages about the beginning and the end come in this order, and each advisory and window has its own", async () => {
  await storeImages(3);
  await load("CVE-1");
  await load("CVE-2");
  await isAnnounced();
  await sendGroups();
  await load("CVE-1", { modified: "2026-02-01T00:00:00Z", withdrawn: "2026-02-01T00:00:00Z" });
  await isAnnounced();
  await sendGroups();
  const short = sentTo(together).map(({ type, body }) => [
    type,
    body.vulnerabilityId,
    body.imageCount,
  ]);
  expect(short.slice(0, 2).sort()).toEqual([
    ["affected.batch.v1", "CVE-1", 3],
    ["affected.batch.v1", "CVE-2", 3],
  ]);
  expect(short.slice(2)).toEqual([["no_longer_affected.batch.v1", "CVE-1", 3]]);
});

test("a sink that fails gets the same message again, and nothing is collected twice", async () => {
  await storeImages(2);
  await load("CVE-1");
  await isAnnounced();
  together.respondWith((_, response) => {
    response.writeHead(together.received.length === 1 ? 500 : 200).end();
  });
  await sendGroups();
  await expect
    .poll(async () => {
      await platform.runSchedule();
      return sentTo(together).map(({ type }) => type);
    })
    .toEqual(["affected.batch.v1", "affected.batch.v1"]);
  expect(new Set(sentTo(together).map(({ id }) => id)).size).toBe(1);
});

test("runs at once close a group once, and one that is cut off leaves it for the next", async () => {
  await storeImages(2);
  await load("CVE-1");
  await isAnnounced();
  await platform.runSchedule();
  await platform.sql("update grouped_events set time = 0");
  await platform.sql(`create trigger failing before insert on events when new.type glob '*affected.batch.v1'
    begin select raise(abort, 'this group is cut off'); end`);
  await expectLog("this group is cut off");
  await platform.runSchedule().catch(() => {});
  expect(await waiting()).toHaveLength(2);
  await platform.sql("drop trigger failing");
  await Promise.all([platform.runSchedule(), platform.runSchedule(), platform.runSchedule()]);
  await platform.runSchedule();
  expect(sentTo(together).map(({ body }) => body.imageCount)).toEqual([2]);
});

test("a group that another run closes between the read and the write is closed once", async () => {
  await storeImages(2);
  await load("CVE-1");
  await isAnnounced();
  await platform.runSchedule();
  await platform.sql("update grouped_events set time = 0");
  const db = openDatabase(platform.env, execution).db;
  const config = configOf(platform.env);
  let isCrossed = false;
  const crossed = new Proxy(db, {
    get: (target, name) =>
      name !== "batch"
        ? Reflect.get(target, name)
        : async (statements: never) => {
            const results = await db.batch(statements);
            if (!isCrossed) {
              isCrossed = true;
              await closeGroups({ db, config }, Date.now());
            }
            return results;
          },
  });
  await closeGroups({ db: crossed, config }, Date.now());
  expect([isCrossed, await waiting()]).toEqual([true, []]);
  await platform.runSchedule();
  expect(sentTo(together).map(({ body }) => body.imageCount)).toEqual([2]);
});

test("an event that comes while a group is closed is in the next one", async () => {
  await storeImages(1);
  await load("CVE-1");
  await isAnnounced();
  await sendGroups();
  const other = await platform.newRepo(organization);
  await storeImages(2, other);
  await load("CVE-1", { modified: "2026-02-01T00:00:00Z", severity: [] });
  await isAnnounced();
  await sendGroups();
  expect(sentTo(together).map(({ body }) => body.imageCount)).toEqual([1, 2]);
});

test("the filters of the subscription choose what is collected, and other events come one by one", async () => {
  const other = await platform.newRepo(organization);
  const body = { repoUids: [other], eventTypes: [] };
  await platform.done(`/events/v2/subscriptions/${grouped}`, body, "PATCH");
  await storeImages(2);
  await storeImages(3, other);
  await load("CVE-1");
  await isAnnounced();
  await platform.done(`/registry/v2/repos/${other}`, { description: "changed" }, "PATCH");
  await sendGroups();
  const all = together.received.map(({ headers }) => String(headers["ce-type"]));
  expect(all.filter((type) => type.includes(".image."))).toHaveLength(1);
  expect(all).toContain("dev.vendor.api.platform.registry.repo.updated.v1");
  const [message] = sentTo(together).filter(({ type }) => type === "affected.batch.v1");
  expect(message?.body).toMatchObject({ imageCount: 3, repoCount: 1 });
});

test("a redelivery sends the messages again, and not the events that they are about", async () => {
  await storeImages(2);
  await load("CVE-1");
  await isAnnounced();
  await sendGroups();
  const [first] = sentTo(together);
  await platform.done(`/events/v2/subscriptions/${grouped}:redeliver`, {
    since: "2026-01-01T00:00:00Z",
  });
  await platform.runSchedule();
  expect(sentTo(together).map(({ id }) => id)).toEqual([first?.id, first?.id]);
});

test("after the grouping is turned off, what was collected comes together, and later events one by one", async () => {
  await storeImages(2);
  await load("CVE-1");
  await isAnnounced();
  await platform.runSchedule();
  const body = { grouping: "EVENT_GROUPING_UNSPECIFIED" };
  await platform.done(`/events/v2/subscriptions/${grouped}?updateMask=grouping`, body, "PATCH");
  await load("CVE-2");
  await isAnnounced();
  await sendGroups();
  const short = sentTo(together).map(
    ({ type, body: { vulnerabilityId } }) => `${type} ${vulnerabilityId}`,
  );
  expect(short.sort()).toEqual([
    "affected.batch.v1 CVE-1",
    "affected.v1 CVE-2",
    "affected.v1 CVE-2",
  ]);
});

test("a deleted subscription leaves nothing that is collected", async () => {
  await storeImages(2);
  await load("CVE-1");
  await isAnnounced();
  await platform.runSchedule();
  expect(await waiting()).toHaveLength(2);
  await platform.call(`/events/v2/subscriptions/${grouped}`, undefined, "DELETE");
  expect(await waiting()).toEqual([]);
  await sendGroups();
  expect(together.received).toEqual([]);
});

test("a tag pattern chooses images by the tags that lead to them", async () => {
  const sink = await startSink();
  await platform.subscribe(organization, { sink: sink.url, eventTypes: types, tagPattern: "t1*" });
  await storeImages(12);
  await load("CVE-1");
  await isAnnounced();
  await platform.runSchedule();
  expect(sink.received).toHaveLength(4);
  await sink.close();
});

describe("a message of the queue", () => {
  /** Handles a message in the process of the test. Returns its round trips to D1, and the messages that it sends. */
  async function handle(body: object) {
    const trips: string[][] = [];
    const sent: { message: object; delay: number }[] = [];
    const withSession = () => {
      const session = platform.env.DB.withSession("first-primary");
      const texts = new Map<unknown, string>();
      const prepare = (query: string) => {
        const statement = session.prepare(query);
        const bind = (...values: unknown[]) => {
          const bound = statement.bind(...values);
          texts.set(bound, query);
          return bound;
        };
        texts.set(statement, query);
        return new Proxy(statement, {
          get: (of, name) => (name === "bind" ? bind : Reflect.get(of, name)),
        });
      };
      const batch = (statements: Parameters<typeof session.batch>[0]) => {
        trips.push(statements.map((one) => texts.get(one) ?? ""));
        return session.batch(statements);
      };
      return { prepare, batch };
    };
    const EVENTS = {
      send: async (message: object, { delaySeconds = 0 } = {}) =>
        void sent.push({ message, delay: delaySeconds }),
    };
    const env = { ...platform.env, DB: { withSession }, EVENTS } as unknown as typeof platform.env;
    await handleQueue({ messages: [{ body }] }, env, execution);
    // Whether a sink is to be asked is one round trip of its own.
    return { trips: trips.filter(([first = ""]) => !first.includes('"confirm_failures"')), sent };
  }

  test("makes one round trip if nothing is to do, with or without collected events that are not complete", async () => {
    await sendGroups();
    const idle = await handle({});
    expect([idle.trips.length, idle.sent]).toEqual([1, []]);
    await storeImages(2);
    await load("CVE-1");
    await isAnnounced();
    await platform.runSchedule();
    const { trips, sent } = await handle({});
    expect(trips).toHaveLength(1);
    expect(sent).toEqual([{ message: { closesGroups: true }, delay: expect.any(Number) }]);
    expect(sent[0]?.delay).toBeGreaterThan(0);
    expect(await waiting()).toHaveLength(2);
  });

  test("about a complete group closes it before it sends, and one that is late closes it too", async () => {
    for (const body of [{ closesGroups: true }, {}]) {
      await storeImages(1, await platform.newRepo(organization));
      await load(`CVE-${Object.keys(body).length}`);
      await isAnnounced();
      await platform.runSchedule();
      await platform.sql("update grouped_events set time = 0");
      const { sent } = await handle(body);
      expect(sent.filter(({ message }) => "closesGroups" in message)).toEqual([]);
      expect(await waiting()).toEqual([]);
    }
    expect(sentTo(together).map(({ type }) => type)).toEqual([
      ...["affected.batch.v1", "affected.batch.v1"],
    ]);
  });
});
