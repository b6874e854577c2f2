import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hex, Platform, roles } from "./platform.ts";

let platform: Platform;
beforeAll(async () => {
  platform = await Platform.start();
});
afterAll(() => platform?.close());

/** A record with one of everything that an advisory is made of. */
const box = {
  schema_version: "1.6.0",
  id: "OSV-2024-1",
  modified: "2024-03-01T10:00:00.123456Z",
  published: "2024-02-01T09:00:00Z",
  aliases: ["CVE-2024-1", "GHSA-aaaa-bbbb-cccc"],
  summary: "A box opens by itself",
  severity: [
    { type: "CVSS_V2", score: "AV:N/AC:L/Au:N/C:N/I:N/A:C" },
    { type: "CVSS_V3", score: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H" },
    { type: "CVSS_V4", score: "CVSS:4.0/AV:N" },
    { type: "Ubuntu", score: "medium" },
  ],
  affected: [
    {
      package: { name: "box", ecosystem: "PyPI", purl: "pkg:pypi/box" },
      ranges: [
        {
          type: "GIT",
          repo: "https://example.com/box",
          events: [{ introduced: "0" }, { fixed: "c0ffee" }],
        },
        {
          type: "ECOSYSTEM",
          events: [{ introduced: "0" }, { fixed: "1.2" }, { introduced: "2.0" }, { fixed: "2.1" }],
        },
      ],
    },
    {
      package: { name: "box", ecosystem: "PyPI" },
      ranges: [
        { type: "SEMVER", events: [{ introduced: "0" }, { fixed: "1.2" }] },
        { type: "SEMVER", events: [{ introduced: "3.0.0" }, { fixed: "3.0.1" }] },
      ],
    },
    {
      package: { name: "lid", ecosystem: "PyPI" },
      ranges: [{ type: "ECOSYSTEM", events: [{ introduced: "0" }, { fixed: "9.9" }] }],
    },
  ],
};

/** A plain record of a package. */
const plain = (id: string, change: object = {}) => ({
  id,
  modified: "2024-03-01T10:00:00Z",
  affected: [{ package: { name: `package-of-${id}`, ecosystem: "npm" } }],
  ...change,
});

const load = (token: string, group: string, ...records: unknown[]) =>
  platform.call(token, `osvRecords/${group}:import`, { records });

interface Advisory {
  uid: string;
  events: { uid: string }[];
  [field: string]: unknown;
}

async function advisories(token: string, query = "") {
  const { body } = await platform.call(
    token,
    `advisories?order_by=advisory_id&page_size=200&${query}`,
  );
  return { totalCount: body.totalCount, all: (body.advisories ?? []) as Advisory[] };
}

const outbox = (group: string) =>
  platform.sql<{
    type: string;
    subject: string;
    audience: string;
    body_type: string;
    data: string;
  }>("select * from outbox where group_uid = ? order by time", group);

describe("an OSV record", () => {
  test("becomes an advisory with its severities and what happened", async () => {
    const { group, token } = await platform.organization();
    const answer = await load(token, group, box);
    expect(answer.body).toEqual({ created: 1, updated: 0, unchanged: 0 });
    expect(answer.roundTrips).toBe(2);
    const { all, totalCount } = await advisories(token);
    expect(totalCount).toBe("1");
    const event = (member: object) => ({
      uid: expect.stringMatching(`^${all[0]?.uid}/[0-9a-f]{16}$`),
      createTime: "2024-02-01T09:00:00.000Z",
      updateTime: "2024-02-01T09:00:00.000Z",
      author: "osv",
      reviewState: "REVIEW_STATE_APPROVED",
      ...member,
    });
    const fixed = (fixedVersion: string, note: string) => event({ fixed: { fixedVersion, note } });
    expect(all).toEqual([
      {
        uid: expect.stringMatching(`^${group}/[0-9a-f]{16}$`),
        advisoryId: "OSV-2024-1",
        createTime: "2024-02-01T09:00:00.000Z",
        updateTime: "2024-03-01T10:00:00.123Z",
        author: "osv",
        artifactName: "box",
        artifactType: "library",
        artifactArchitecture: "noarch",
        componentName: "box",
        componentLocation: "pkg:pypi/box",
        componentType: "python",
        aliases: ["CVE-2024-1", "GHSA-aaaa-bbbb-cccc"],
        events: expect.any(Array),
        severities: [
          { type: "TYPE_CVSS_V2", score: "AV:N/AC:L/Au:N/C:N/I:N/A:C" },
          { type: "TYPE_CVSS_V3", score: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H" },
          { type: "TYPE_CVSS_V4", score: "CVSS:4.0/AV:N" },
        ],
      },
    ]);
    const [detected, ...fixes] = all[0]?.events ?? [];
    expect(detected).toEqual(event({ detection: { manual: {} } }));
    expect(fixes).toHaveLength(3);
    expect(fixes).toEqual(
      expect.arrayContaining([
        fixed("1.2", "ECOSYSTEM range from 0"),
        fixed("2.1", "ECOSYSTEM range from 2.0"),
        fixed("3.0.1", "SEMVER range from 3.0.0"),
      ]),
    );
    expect((await advisories(token, "origin=box")).all).toHaveLength(1);
  });

  test("that was withdrawn is a false positive since then", async () => {
    const { group, token } = await platform.organization();
    await load(token, group, { ...box, withdrawn: "2024-02-10T00:00:00Z" }, plain("N-1"));
    const query = "latest_event_type=EVENT_TYPE_FILTER_FALSE_POSITIVE_DETERMINATION";
    const { all } = await advisories(token, query);
    expect(all.map((one) => one.deleteTime)).toEqual(["2024-02-10T00:00:00.000Z"]);
    expect(all[0]?.events.at(-1)).toMatchObject({
      createTime: "2024-02-10T00:00:00.000Z",
      reviewState: "REVIEW_STATE_APPROVED",
      falsePositiveDetermination: {
        type: "TYPE_VULNERABILITY_RECORD_ANALYSIS_CONTESTED",
        note: "The record was withdrawn at 2024-02-10T00:00:00.000Z.",
      },
    });
  });

  test.each([
    ["PyPI", "python"],
    ["Maven", "java"],
    ["Maven:https://repo.example.com/maven2", "java"],
    ["npm", "javascript"],
    ["Go", "go-module"],
    ["crates.io", "crates.io"],
    ["Alpine:v3.20", "alpine:v3.20"],
  ])("of ecosystem %s is a component of type %s", async (ecosystem, componentType) => {
    const { group, token } = await platform.organization();
    const given = {
      affected: [{ package: { name: "n", ecosystem } }],
      database_specific: { author: "Ann" },
    };
    await load(token, group, plain("E-1", given));
    expect((await advisories(token)).all).toMatchObject([
      {
        componentType,
        author: "Ann",
        events: [{ author: "Ann" }],
        createTime: "2024-03-01T10:00:00.000Z",
      },
    ]);
  });

  test("may have its severity with its package, and null for what it has not", async () => {
    const { group, token } = await platform.organization();
    const severity = [{ type: "CVSS_V3", score: "CVSS:3.1/AV:L" }];
    const affected = [{ package: { name: "n", ecosystem: "Go" }, severity }];
    const answer = await load(
      token,
      group,
      plain("E-2", { affected, aliases: null, severity: null, withdrawn: null }),
    );
    expect(answer.status).toBe(200);
    expect((await advisories(token)).all).toMatchObject([
      { severities: [{ type: "TYPE_CVSS_V3", score: "CVSS:3.1/AV:L" }] },
    ]);
  });
});

describe("a load", () => {
  test("repeated changes nothing and tells of nothing", async () => {
    const { group, token } = await platform.organization();
    await load(token, group, box, plain("N-1"));
    const before = await advisories(token);
    const rearranged = Object.fromEntries(Object.entries(box).reverse());
    const again = await load(token, group, plain("N-1"), rearranged);
    expect(again.body).toEqual({ created: 0, updated: 0, unchanged: 2 });
    expect(again.roundTrips).toBe(1);
    expect(await advisories(token)).toEqual(before);
    expect(await outbox(group)).toHaveLength(1);
  });

  test("replaces the events of what changed, and only of that", async () => {
    const { group, token } = await platform.organization();
    await load(token, group, box, plain("N-1"));
    const [first, other] = (await advisories(token)).all.toReversed();
    const [one] = box.affected;
    const newer = {
      ...box,
      modified: "2024-04-01T00:00:00Z",
      aliases: ["CVE-2024-2"],
      affected: [
        { ...one, ranges: [{ type: "SEMVER", events: [{ introduced: "0" }, { fixed: "5.0" }] }] },
      ],
    };
    const answer = await load(token, group, newer, plain("N-1"), plain("N-2"));
    expect(answer.body).toEqual({ created: 1, updated: 1, unchanged: 1 });
    const { all, totalCount } = await advisories(token);
    expect(totalCount).toBe("3");
    expect(all.find(({ uid }) => uid === other?.uid)).toEqual(other);
    const changed = all.find(({ uid }) => uid === first?.uid);
    expect(changed).toMatchObject({
      aliases: ["CVE-2024-2"],
      updateTime: "2024-04-01T00:00:00.000Z",
    });
    expect(changed?.events).toMatchObject([
      { uid: first?.events[0]?.uid, detection: { manual: {} } },
      { fixed: { fixedVersion: "5.0" } },
    ]);
    expect(changed?.events).toHaveLength(2);
    const left = await platform.sql(
      "select * from advisory_events where advisory_uid like ? || '/%'",
      group,
    );
    expect(left).toHaveLength(4);
  });

  test("makes the same events of the same record, whatever lay between", async () => {
    const { group, token } = await platform.organization();
    await load(token, group, box);
    const before = (await advisories(token)).all;
    await load(token, group, {
      ...box,
      modified: "2024-05-01T00:00:00Z",
      affected: plain("x").affected,
    });
    await load(token, group, { ...box, modified: "2024-06-01T00:00:00Z" });
    const after = (await advisories(token)).all;
    expect(after[0]?.events).toEqual(before[0]?.events);
  });

  test("takes a changed record of the same time, and no older one", async () => {
    const { group, token } = await platform.organization();
    await load(token, group, box);
    const older = { ...box, modified: "2024-03-01T10:00:00.122Z", aliases: ["OLD"] };
    expect((await load(token, group, older)).body).toEqual({
      created: 0,
      updated: 0,
      unchanged: 1,
    });
    const same = { ...box, aliases: ["SAME"] };
    expect((await load(token, group, same)).body).toEqual({ created: 0, updated: 1, unchanged: 0 });
    expect((await advisories(token)).all).toMatchObject([{ aliases: ["SAME"] }]);
  });

  test("is told to the group in one event with the counts", async () => {
    const { group, token } = await platform.organization();
    await load(token, group, box, plain("N-1"));
    const [event, ...more] = await outbox(group);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: "dev.vendor.api.vulnerabilities.osv_records.imported.v1",
      subject: group,
      audience: "customer",
      body_type: "platform.vulnerabilities.v2.ImportOsvRecordsResponse",
    });
    expect(JSON.parse(event?.data ?? "")).toMatchObject({
      body: { created: 2, updated: 0, unchanged: 0 },
    });
  });

  test("run twice at once writes each record once and counts it once", async () => {
    const { group, token } = await platform.organization();
    const records = Array.from({ length: 40 }, (_, i) => plain(`R-${i}`));
    const changed = records.map((one) => ({ ...one, aliases: ["CVE-2024-9"] }));
    for (const round of [records, changed]) {
      const answers = await Promise.all([1, 2, 3, 4].map(() => load(token, group, ...round)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      const written = answers.map(({ body }) => Number(body.created) + Number(body.updated));
      expect(written.sort((a, b) => a - b)).toEqual([0, 0, 0, 40]);
    }
    const { all, totalCount } = await advisories(token);
    expect(totalCount).toBe("40");
    expect(all.map(({ events }) => events.length)).toEqual(records.map(() => 1));
    expect(await outbox(group)).toHaveLength(2);
  });

  test("of many events is written whole, in as many parameters as it takes", async () => {
    const { group, token } = await platform.organization();
    const events = Array.from({ length: 200 }, (_, i) => ({ fixed: `1.${i}-${"x".repeat(40)}` }));
    const affected = [
      { package: { name: "n", ecosystem: "Go" }, ranges: [{ type: "SEMVER", events }] },
    ];
    const records = Array.from({ length: 40 }, (_, i) => plain(`M-${i}`, { affected }));
    expect((await load(token, group, ...records)).body).toMatchObject({ created: 40 });
    const counted = await platform.sql(
      `select count(*) as n, count(distinct advisory_uid) as of from advisory_events
        where advisory_uid like ? || '/%'`,
      group,
    );
    expect(counted).toEqual([{ n: 40 * 201, of: 40 }]);
  });
});

describe("a load with bad records", () => {
  const named = { name: "n", ecosystem: "npm" };
  const fixes = Array.from({ length: 201 }, (_, i) => ({ fixed: `${i}` }));
  test.each<[string, object]>([
    ["id", { id: undefined }],
    ["id", { id: 7 }],
    ["id", { id: "" }],
    ["id", { id: "two words" }],
    ["id", { id: "x".repeat(256) }],
    ["id", { id: "GOOD" }],
    ["modified", { modified: undefined }],
    ["modified", { modified: "yesterday" }],
    ["modified", { modified: "2024-02-30T00:00:00Z" }],
    ["modified", { modified: "2024-02-01T00:00:00+01:00" }],
    ["modified", { modified: 1706745600 }],
    ["published", { published: "2024-13-01T00:00:00Z" }],
    ["withdrawn", { withdrawn: true }],
    ["affected", { affected: undefined }],
    ["affected", { affected: [] }],
    ["affected[0]", { affected: ["n"] }],
    ["affected[0]", { affected: [null] }],
    ["affected[0].package.name", { affected: [{}] }],
    ["affected[0].package.name", { affected: [{ package: { ...named, name: "x".repeat(256) } }] }],
    ["affected[0].package.ecosystem", { affected: [{ package: { name: "n" } }] }],
    ["affected[0].package.purl", { affected: [{ package: { ...named, purl: ["p"] } }] }],
    ["affected[0].ranges", { affected: [{ package: named, ranges: {} }] }],
    ["affected[0].ranges[0].type", { affected: [{ package: named, ranges: [{ events: [] }] }] }],
    [
      "affected[0].ranges[0].events[0].fixed",
      { affected: [{ package: named, ranges: [{ type: "SEMVER", events: [{ fixed: 1 }] }] }] },
    ],
    ["affected", { affected: [{ package: named, ranges: [{ type: "SEMVER", events: fixes }] }] }],
    ["aliases", { aliases: "CVE-1" }],
    ["aliases[1]", { aliases: ["CVE-1", 2] }],
    ["severity[0].score", { severity: [{ type: "CVSS_V3" }] }],
  ])("names %s of %o, and nothing is written", async (field, change) => {
    const { group, token } = await platform.organization();
    const answer = await load(token, group, plain("GOOD"), { ...plain("BAD"), ...change });
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer.body)).toContain(`records[1].${field}`);
    expect(fieldsOf(answer.body).filter((one) => one.startsWith("records[0]"))).toEqual([]);
    expect((await advisories(token)).totalCount).toBe("0");
    expect(await outbox(group)).toEqual([]);
  });

  test("names every one of them", async () => {
    const { group, token } = await platform.organization();
    const answer = await load(token, group, {}, plain("GOOD"), plain("BAD", { modified: "no" }));
    expect(fieldsOf(answer.body)).toEqual([
      "records[0].modified",
      "records[0].affected",
      "records[0].id",
      "records[2].modified",
    ]);
  });

  test.each([[[]], [Array.from({ length: 501 }, (_, i) => plain(`N-${i}`))], ["text"], [["text"]]])(
    "is refused as a whole (%#)",
    async (records) => {
      const { group, token } = await platform.organization();
      const answer = await platform.call(token, `osvRecords/${group}:import`, { records });
      expect(answer.status).toBe(400);
      expect((await advisories(token)).totalCount).toBe("0");
    },
  );

  const fieldsOf = (body: Record<string, unknown>) =>
    (body.details as { fieldViolations?: { field: string }[] }[]).flatMap(
      ({ fieldViolations }) => fieldViolations?.map(({ field }) => field) ?? [],
    );
});

describe("a load is for", () => {
  test("a group that is there", async () => {
    const { group, token } = await platform.organization();
    const absent = `${group}/0123456789abcdef`;
    const answer = await load(token, absent, box);
    expect(answer.status).toBe(404);
    expect(answer.body.details).toContainEqual(
      expect.objectContaining({ resourceType: "iam.platform.example/Group", resourceName: absent }),
    );
  });

  test("a group below, whose advisories are then found from above", async () => {
    const { group, token } = await platform.organization();
    const team = `${group}/${hex(16)}`;
    await platform.insert("groups", { uid: team, name: "team", create_time: 1, update_time: 1 });
    expect((await load(token, team, box)).body).toMatchObject({ created: 1 });
    expect((await load(token, group, box)).body).toMatchObject({ created: 1 });
    expect((await advisories(token, `uidp.descendants_of=${group}`)).totalCount).toBe("2");
    expect((await advisories(token, `uidp.children_of=${group}`)).totalCount).toBe("1");
  });

  test("callers who may create and update advisories there", async () => {
    const { group, token } = await platform.organization(roles.advisoriesViewer);
    expect((await load(token, group, box)).status).toBe(403);
    for (const capabilities of ["[1900,1902]", "[1901,1902]"]) {
      const role = { uid: `${group}/${hex(16)}`, name: capabilities, capabilities };
      await platform.insert("roles", { ...role, create_time: 1, update_time: 1 });
      const answer = await load(await platform.member(group, role.uid), group, box);
      expect(answer.status).toBe(403);
    }
    expect((await advisories(token)).totalCount).toBe("0");
    const admin = await platform.member(group, roles.advisoriesAdmin);
    expect((await load(admin, group, box)).status).toBe(200);
    const stranger = await platform.organization();
    expect((await load(stranger.token, group, box)).status).toBe(403);
  });
});

/** OSV records of the Python packaging advisory database (CC-BY-4.0), one a line. */
const realData = "../shared/data/osv-pypi.jsonl.gz";

test("419 real records are created in one call, and are unchanged in the next", async (context) => {
  if (!existsSync(realData)) return context.skip(`${realData} is absent`);
  const { group, token } = await platform.organization();
  const lines = gunzipSync(readFileSync(realData)).toString().trim().split("\n");
  const records = lines.map((line) => JSON.parse(line) as { id: string });
  expect((await load(token, group, ...records)).body).toEqual({
    created: 419,
    updated: 0,
    unchanged: 0,
  });
  expect((await load(token, group, ...records)).body).toEqual({
    created: 0,
    updated: 0,
    unchanged: 419,
  });
  const { all, totalCount } = await advisories(token);
  expect(totalCount).toBe("419");
  expect(all).toHaveLength(200);
  expect((await advisories(token, "aliases=CVE-2021-21330")).all).toMatchObject([
    { advisoryId: "PYSEC-2021-76", artifactName: "aiohttp" },
  ]);
  expect((await advisories(token, "aliases=CVE-2021-21330")).all[0]?.events).toMatchObject([
    { detection: { manual: {} }, createTime: "2021-02-26T03:15:00.000Z" },
    { fixed: { fixedVersion: "3.7.4" } },
  ]);
});
