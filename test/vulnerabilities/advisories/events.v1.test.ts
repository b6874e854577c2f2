import { beforeEach, describe, expect, test } from "vitest";
import { callRest, costOf, sql } from "../../world/platform.ts";
import { newTenant, randomHex } from "../callers.ts";
import { callsOf, eventsAbout, ok, refusalSummary } from "./calls.v1.ts";
import { insertAdvisory } from "./stored_advisories.ts";

let group: string;
let token: string;
let calls: ReturnType<typeof callsOf>;
let advisory: string;
beforeEach(async () => {
  ({ group, token } = await newTenant());
  calls = callsOf(token);
  const aliases = ["CVE-2026-1"];
  const made = await ok(calls.create(group, { artifactName: "box", artifactType: "apk", aliases }));
  advisory = made.id;
});

const scan = {
  scanner: "grype",
  componentId: "id-1",
  componentVersion: "1.1",
  componentType: "python",
  componentLocation: "usr/lib",
  artifactVersion: "3.4-r0",
  scannerVersion: "0.9",
  grypeDbBuilt: "2026-01-01T00:00:00Z",
  grypeDbChecksum: "sha256:1",
};
const fixed = {
  fixedVersion: "1.2-r3",
  note: "n",
  scannerVersion: "1",
  grypeDbBuilt: "2024-01-01T00:00:00Z",
  grypeDbChecksum: "sha256:1",
};
const moved = { previousLocation: "a", newLocation: "b", note: "moved" };
const mismatch = "COMPONENT_VULNERABILITY_MISMATCH";

/** Each kind of event in version 1, and in version 2 where its form differs. */
const kinds: [object, object?][] = [
  [{ detection: { nvdapi: { cpeSearched: "box", cpeFound: "cpe:2.3:a:box:box" } } }],
  [{ detection: { manual: {} } }],
  [
    { detection: { scanv1: { ...scan, subpackageName: "box-dev", componentName: "box" } } },
    { detection: { scanv1: { ...scan, subpackage: "box-dev", component: "box" } } },
  ],
  [{ truePositiveDetermination: { note: "it is so" } }],
  [{ fixed }],
  [
    { falsePositiveDetermination: { type: mismatch, note: "not ours" } },
    { falsePositiveDetermination: { type: `TYPE_${mismatch}`, note: "not ours" } },
  ],
  [{ analysisNotPlanned: { note: "old" } }],
  [{ fixNotPlanned: { note: "end of life" } }],
  [{ pendingUpstreamFix: { note: "waiting" } }],
  [{ patched: { patchedVersions: ["1.1-r2", "1.1-r3"], note: "by us" } }],
  [{ componentLocationChanged: moved }],
];

describe("an event of an advisory", () => {
  test.each(kinds)(
    "%o is read as it was written, in both versions",
    async (type, typeV2 = type) => {
      const said = {
        ...type,
        timestamp: "2026-01-02T03:04:05.006Z",
        findings: btoa('{"a":[1]}'),
        author: "ann@example.com",
        reviewer: "rex@example.com",
        status: "REQUEST_CHANGES",
        issue: "ISSUE-1",
      };
      const made = await ok(calls.addEvent(advisory, said));
      expect(made).toEqual({ ...said, id: expect.stringMatching(`^${advisory}/[0-9a-f]{16}$`) });
      expect(await ok(calls.listEvents(advisory))).toEqual({ parentId: advisory, items: [made] });
      const { timestamp: createTime, status: _, ...same } = said;
      const [name = ""] = Object.keys(type);
      const { [name as keyof typeof same]: __, ...rest } = same;
      expect((await calls.getV2(advisory)).body.events).toEqual([
        {
          ...rest,
          ...typeV2,
          createTime,
          uid: made.id,
          reviewState: "REVIEW_STATE_REQUEST_CHANGES",
          updateTime: expect.any(String),
        },
      ]);
    },
  );

  test("with few fields waits for a review, with its caller as author and the current time", async () => {
    const before = Date.now();
    const made = await ok(calls.addEvent(advisory, { fixed: {} }));
    expect(made).toEqual({
      id: made.id,
      timestamp: made.timestamp,
      fixed: {},
      author: "someone",
      status: "PENDING",
    });
    expect(Date.parse(made.timestamp)).toBeGreaterThanOrEqual(before - 1000);
    const [{ updatedAt }] = (await ok(calls.list(`id=${advisory}`))).items;
    expect(Date.parse(updatedAt)).toBeGreaterThanOrEqual(Date.parse(made.timestamp));
  });

  test("that is changed is replaced: fields left out are reset, except author and time", async () => {
    const said = { fixed, author: "ann", reviewer: "rex", issue: "I-1", findings: "e30=" };
    const made = await ok(calls.addEvent(advisory, { ...said, timestamp: "2026-01-01T00:00:00Z" }));
    const put = await ok(calls.updateEvent(made.id, { patched: { patchedVersions: ["2"] } }));
    expect(put).toEqual({
      id: made.id,
      timestamp: made.timestamp,
      patched: { patchedVersions: ["2"] },
      author: "ann",
      status: "PENDING",
    });
    expect((await ok(calls.listEvents(advisory))).items).toEqual([put]);
    const [created, updated] = await eventsAbout(made.id);
    expect(JSON.parse(created?.data ?? "").body).toEqual(made);
    expect(updated).toMatchObject({
      type: "dev.vendor.api.vulnerabilities.advisory_event.updated.v1",
      source: "http://localhost:8787/vulnerabilities/v1/advisory_events",
      group_uid: group,
    });
    expect(JSON.parse(updated?.data ?? "").body).toEqual(put);
  });

  test.each([
    [{}, "advisory_event.type"],
    [{ detection: {} }, "advisory_event.detection.type"],
    [{ fixed: {}, timestamp: "1969-12-31T00:00:00Z" }, "advisory_event.timestamp"],
    [{ fixed: {}, timestamp: "2999-01-01T00:00:00Z" }, "advisory_event.timestamp"],
    [{ fixed: {}, status: 9 }, "advisory_event.status"],
    [{ fixed: { note: "x".repeat(100_001) } }, "advisory_event.fixed.note"],
    [{ fixed: {}, findings: btoa("x".repeat(100_001)) }, "advisory_event.findings"],
  ])("is rejected for %o", async (event, field) => {
    expect(await refusalSummary(calls.addEvent(advisory, event))).toMatchObject({
      status: 400,
      fields: [field],
    });
    expect((await ok(calls.listEvents(advisory))).items).toBeUndefined();
  });

  test("beyond 200, or beyond the size of a response, is rejected", async () => {
    const many = await insertAdvisory(group);
    await sql(
      `insert into advisory_events (uid, advisory_uid, create_time, update_time, author, review_state,
         type, detail) select ? || '/' || printf('%016x', value), ?, 1, 1, 'ann', 1, 3, '{}'
       from json_each(?)`,
      many,
      many,
      JSON.stringify(Array.from({ length: 200 }, (_, i) => i + 1)),
    );
    expect((await ok(calls.listEvents(many))).items).toHaveLength(200);
    const more = await refusalSummary(calls.addEvent(many, { fixed: {} }));
    expect(more).toMatchObject({ status: 400, type: "TOO_MANY_EVENTS" });
    const note = "ü".repeat(3_000);
    const events = Array.from({ length: 10 }, () => ({ fixed: { note } }));
    const body = { artifactName: "big", artifactType: "apk", events };
    const big = await ok(calls.create(group, body));
    const last = await refusalSummary(calls.addEvent(big.id, { fixed: { note } }));
    expect(last).toMatchObject({ status: 400, type: "TOO_MANY_EVENTS" });
    // As an import may have left it.
    const detail = JSON.stringify({ note: "x".repeat(100_000) });
    await sql("update advisory_events set detail = ? where advisory_uid = ?", detail, big.id);
    expect((await ok(calls.listEvents(big.id))).items[0].fixed.note).toHaveLength(100_000);
  });
});

test("keeps its approval if an edit arrives at the same time", async () => {
  for (let round = 0; round < 4; round += 1) {
    const made = await ok(calls.addEvent(advisory, { fixed }));
    const approval = { fixed: { fixedVersion: "9" }, status: "APPROVED" };
    const edits = Array.from({ length: 4 }, (_, i) => ({ fixed: { fixedVersion: `${i}` } }));
    const answers = await Promise.all(
      [approval, ...edits].map((event) => calls.updateEvent(made.id, event)),
    );
    const [first] = answers;
    const { items } = await ok(calls.listEvents(advisory));
    const now = items.find(({ id }: { id: string }) => id === made.id);
    expect([200, 409]).toContain(first?.status);
    if (first?.status === 200) expect(now).toEqual(first.body);
    const done = answers.filter(({ status }) => status === 200);
    expect(await eventsAbout(made.id)).toHaveLength(1 + done.length);
  }
});

test("is listed oldest first, in one round trip, and an unknown advisory has none", async () => {
  for (const day of ["03", "01", "02"]) {
    const timestamp = `2026-01-${day}T00:00:00Z`;
    await ok(calls.addEvent(advisory, { fixNotPlanned: { note: day }, timestamp }));
  }
  const answer = await calls.listEvents(advisory);
  expect(costOf(answer).roundTrips).toBe(1);
  const notes = answer.body.items.map((one: { fixNotPlanned: object }) => one.fixNotPlanned);
  expect(notes).toEqual([{ note: "01" }, { note: "02" }, { note: "03" }]);
  const nothing = `${group}/${randomHex(16)}`;
  expect(await ok(calls.listEvents(nothing))).toEqual({ parentId: nothing });
  expect((await calls.updateEvent(`${advisory}/${randomHex(16)}`, { fixed })).status).toBe(404);
});

test("is exported if it is the newest approved one, without the location of the component", async () => {
  const approved = { status: "APPROVED" };
  await ok(calls.addEvent(advisory, { fixed: { fixedVersion: "1.2" }, ...approved }));
  await ok(calls.addEvent(advisory, { componentLocationChanged: moved, ...approved }));
  await ok(calls.addEvent(advisory, { fixNotPlanned: {} }));
  const at = `/vulnerabilities/v2/advisories/${advisory}`;
  const openVex = await callRest(`${at}?format=openvex`, { token });
  expect(openVex.body.statements).toMatchObject([
    { status: "affected", vulnerability: { name: "CVE-2026-1" } },
    { status: "fixed", products: [{ "@id": "pkg:apk/box@1.2" }] },
  ]);
  const osv = await callRest(`${at}?format=osv`, { token });
  expect(osv.body).toMatchObject({ aliases: ["CVE-2026-1"] });
  expect(osv.body.affected[0].database_specific.artifact_name).toBe("box");
});
