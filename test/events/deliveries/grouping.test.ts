/** A subscription can get the events about one vulnerability together. Nothing is lost by that, and nothing is there twice. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { affected, recordOf } from "../../matching/matches.ts";
import { type Sink, startSink } from "../../world/sink.ts";
import { type Sending, startSending } from "./sending.ts";

let platform: Sending;
let together: Sink;
let single: Sink;
let organization: string;
let repo: string;
let grouped: string;
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
