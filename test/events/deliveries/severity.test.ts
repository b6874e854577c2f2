/** A subscription can leave out what is less severe. An unknown severity is never left out. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSink } from "../../world/sink.ts";
import { type Sending, startSending } from "./sending.ts";

let platform: Sending;
beforeAll(async () => {
  platform = await startSending({}, false);
});
afterAll(() => platform?.close());

const severities = [
  "unknown",
  "negligible",
  "low",
  "medium",
  "high",
  "critical",
  "of-a-later-version",
];

/** Writes an event about a vulnerability for each severity, as matching does. */
async function writeEvents(organization: string) {
  for (const [at, severity] of severities.entries())
    await platform.sql(
      `insert into events (uid, id, type, source, subject, group_uid, audience, extensions, body_type, data, time)
        values (?, ?, 'dev.vendor.api.platform.registry.image.affected.v1', 's', ?, ?, 'customer', ?, '', '{"actor":{}}', ?)`,
      ...[`${organization}/${String(at).repeat(16)}`, crypto.randomUUID(), severity, organization],
      ...[JSON.stringify({ vulnerability: "CVE-1", severity }), Date.now()],
    );
}

test.each([
  ["UNSPECIFIED", 0],
  ["UNKNOWN", 0],
  ["NEGLIGIBLE", 0],
  ["LOW", 1],
  ["MEDIUM", 2],
  ["HIGH", 3],
  ["CRITICAL", 4],
])(
  "a minimum of %s leaves out the %i lower ones, before a delivery is written",
  async (minimum, count) => {
    const [organization, sink] = [await platform.newOrganization(), await startSink()];
    const eventTypes = ["api.platform.registry.*"];
    const { uid } = await platform.subscribe(organization, {
      ...{ sink: sink.url, eventTypes, minimumSeverity: `FINDING_SEVERITY_${minimum}` },
    });
    await writeEvents(organization);
    const repo = await platform.newRepo(organization);
    await platform.runSchedule();
    const wanted = severities.filter((_, at) => at === 0 || at > count);
    const rows = await platform.sql(
      `select subject from deliveries cross join events on seq = event_seq where deliveries.parent = ?`,
      uid,
    );
    expect(rows.map(({ subject }) => subject).sort()).toEqual([...wanted, repo].sort());
    const since = new Date(Date.now() - 60_000).toISOString();
    await platform.done(`/events/v2/subscriptions/${uid}:redeliver`, { since });
    await platform.runSchedule();
    const subjects = sink.received.map(({ headers }) => headers["ce-subject"]);
    expect(new Set(subjects)).toEqual(new Set([...wanted, repo]));
    await sink.close();
  },
);

test("a severity that does not exist is refused", async () => {
  const organization = await platform.newOrganization();
  const { status, body } = await platform.call(`/events/v2/subscriptions/${organization}`, {
    ...{ sink: "http://localhost:9000/events", minimumSeverity: 7 },
  });
  expect([status, JSON.stringify(body)]).toEqual([
    400,
    expect.stringContaining("minimum_severity"),
  ]);
});
