import { describe, expect, test } from "vitest";
import { sql } from "../../world/platform.ts";
import { callApi, insertRow, newTenant, randomHex } from "../callers.ts";
import { box, listAdvisories, loadOsv, manyFixes, outbox, plain } from "../osv/osv_imports.ts";
import { loadOpenVex, openVexOf, statementOf } from "../vex/vex_imports.ts";
import { callsOf, ok } from "./calls.v1.ts";

const osv = "ADVISORY_SOURCE_OSV";
const vex = "ADVISORY_SOURCE_VEX";

const purge = (token: string, group: string, body: object = {}) =>
  callApi(token, `advisories/${group}:purge`, { force: true, ...body });

/** Calls the purge until nothing is left. */
async function purgeAll(token: string, group: string, body: object = {}) {
  const steps = [];
  for (let more = true; more; ) {
    const { status, body: answer } = await purge(token, group, body);
    expect(status, JSON.stringify(answer)).toBe(200);
    steps.push(answer);
    more = answer.more;
    expect(steps.length).toBeLessThan(100);
  }
  return steps;
}

const tables = {
  advisories: "parent",
  advisory_documents: "parent",
  artifacts: "parent",
  vulnerability_metadata: "parent",
  artifact_versions: "ancestor0",
  advisory_events: "substr(uid, 1, 40)",
  osv_records: "substr(uid, 1, 40)",
  vex_subjects: "substr(uid, 1, 40)",
  advisory_aliases: "substr(advisory_uid, 1, 40)",
};

/** The number of rows in each table of the group, without empty tables. */
async function rowsOf(group: string): Promise<Record<string, number>> {
  const found = await Promise.all(
    Object.entries(tables).map(async ([table, column]) => {
      const [row] = await sql<{ n: number }>(
        `select count(*) as n from ${table} where ${column} = ?`,
        group,
      );
      return [table, row?.n ?? 0] as const;
    }),
  );
  return Object.fromEntries(found.filter(([, n]) => n > 0));
}

/** The totals that triggers maintain, without zeros. */
const totalsOf = (group: string) =>
  sql(
    "select kind, class, children, descendants from counts where ancestor = ? and kind <> 'role_bindings' and kind <> 'identities' and (children <> 0 or descendants <> 0)",
    group,
  );

const eventsOf = async (group: string) =>
  (await outbox(group)).filter(({ type }) => !type.endsWith("imported.v1"));

const deleted = "dev.vendor.api.vulnerabilities.advisory.deleted.v1";
const purged = "dev.vendor.api.vulnerabilities.advisories.purged.v1";

describe("a purge of everything", () => {
  test("leaves nothing of the group, emits an event for each advisory and for the step, and keeps the totals", async () => {
    const { group, token } = await newTenant();
    await loadOsv(token, group, box, plain("N-1"));
    await loadOpenVex(token, group, openVexOf([statementOf()]));
    await ok(
      callsOf(token).create(group, {
        advisoryId: "HAND-1",
        artifactName: "solo",
        artifactType: "apk",
      }),
    );
    const uids = (await listAdvisories(token)).all.map(({ uid }) => uid).sort();
    const { body, roundTrips } = await purge(token, group);
    expect(body).toMatchObject({
      ...{ advisories: 4, reducedAdvisories: 0, documents: 3, artifacts: 2 },
      ...{ vulnerabilityMetadata: 3, more: false },
    });
    expect(roundTrips).toBe(2);
    expect([await rowsOf(group), await totalsOf(group)]).toEqual([{}, []]);
    const events = (await eventsOf(group)).filter(({ type }) => !type.endsWith("created.v1"));
    const [step, ...others] = events.toSorted((a, b) => (a.type > b.type ? -1 : 1)).reverse();
    expect(step).toMatchObject({ type: purged, subject: group, audience: "customer" });
    expect(JSON.parse(step?.data ?? "")).toMatchObject({ body: { parent: group, force: true } });
    expect(others.map(({ subject }) => subject).sort()).toEqual(uids);
    for (const { type, subject, body_type, data } of others) {
      expect({ type, body_type }).toEqual({
        type: deleted,
        body_type: "platform.vulnerabilities.v1.DeleteAdvisoryRequest",
      });
      expect(JSON.parse(data).body).toEqual({ id: subject });
    }
  });

  test("again changes nothing and emits nothing", async () => {
    const { group, token } = await newTenant();
    await loadOsv(token, group, box);
    await purge(token, group);
    const before = await outbox(group);
    const again = await purge(token, group);
    expect(again.body).toMatchObject({ advisories: 0, artifacts: 0, more: false });
    expect(again.roundTrips).toBe(1);
    expect(await outbox(group)).toEqual(before);
  });

  test("ends even if a total is wrong", async () => {
    const { group, token } = await newTenant();
    await loadOsv(token, group, box);
    await sql("update counts set children = children + 1 where ancestor = ?", group);
    await purgeAll(token, group);
    expect(await rowsOf(group)).toEqual({});
    expect((await purge(token, group)).body).toMatchObject({ more: false });
  });

  test("allows the same records to be imported again", async () => {
    const { group, token } = await newTenant();
    await loadOsv(token, group, box);
    const first = (await listAdvisories(token)).all.map(({ advisoryId }) => advisoryId);
    await purge(token, group);
    expect((await loadOsv(token, group, box)).body).toMatchObject({ created: 1 });
    expect((await listAdvisories(token)).all.map(({ advisoryId }) => advisoryId)).toEqual(first);
  });

  test("does not change the groups below and other organizations", async () => {
    const { group, token } = await newTenant();
    const other = await newTenant();
    const below = `${group}/${randomHex(16)}`;
    await insertRow("groups", { uid: below, name: "below", create_time: 1, update_time: 1 });
    await loadOsv(token, below, box);
    await loadOsv(other.token, other.group, box);
    const before = [await rowsOf(below), await rowsOf(other.group)];
    await loadOsv(token, group, box);
    await purge(token, group);
    expect([await rowsOf(below), await rowsOf(other.group)]).toEqual(before);
    expect((await listAdvisories(token)).totalCount).toBe("1");
  });

  test("emits no second event for an advisory that a person deleted", async () => {
    const { group, token } = await newTenant();
    await loadOsv(token, group, box);
    const [one] = (await listAdvisories(token)).all;
    await ok(callsOf(token).remove(one?.uid ?? ""));
    await purge(token, group);
    expect((await eventsOf(group)).filter(({ type }) => type === deleted)).toHaveLength(1);
    expect(await rowsOf(group)).toEqual({});
  });
});

describe("a step of a purge", () => {
  test("deletes at most 200 advisories, and the next ones delete the rest", async () => {
    const { group, token } = await newTenant();
    const records = Array.from({ length: 450 }, (_, i) => plain(`N-${i}`));
    await loadOsv(token, group, ...records);
    const steps = await purgeAll(token, group);
    expect(steps.map((one) => one.advisories)).toEqual([200, 200, 50]);
    expect(steps.map((one) => one.more)).toEqual([true, true, false]);
    expect(steps.reduce((sum, one) => sum + one.documents, 0)).toBe(450);
    expect(steps.reduce((sum, one) => sum + one.vulnerabilityMetadata, 0)).toBe(450);
    expect([await rowsOf(group), await totalsOf(group)]).toEqual([{}, []]);
  });

  test("deletes fewer advisories if they have many events", async () => {
    const { group, token } = await newTenant();
    await loadOsv(
      token,
      group,
      ...Array.from({ length: 45 }, (_, i) => plain(`M-${i}`, manyFixes)),
    );
    const before = (await rowsOf(group)).advisory_events ?? 0;
    const { body } = await purge(token, group);
    expect(before - ((await rowsOf(group)).advisory_events ?? 0)).toBe(19 * 201);
    expect(body).toMatchObject({ advisories: 19, more: true });
    await purgeAll(token, group);
    expect(await rowsOf(group)).toEqual({});
  });

  test("deletes a library with all its versions", async () => {
    const { group, token } = await newTenant();
    const versions = Array.from({ length: 6_000 }, (_, i) => `1.${i}`);
    const affected = [{ package: { name: "many", ecosystem: "PyPI" }, versions }];
    await loadOsv(token, group, plain("V-1", { affected }));
    expect((await rowsOf(group)).artifact_versions).toBe(32);
    const { body } = await purge(token, group);
    expect(body).toMatchObject({ advisories: 1, artifacts: 1 });
    expect([await rowsOf(group), await totalsOf(group)]).toEqual([{}, []]);
  });
});

describe("a purge of one source", () => {
  test("keeps the data of another source, and data of both", async () => {
    const { group, token } = await newTenant();
    // Both are about CVE-2024-1001 and of the package box.
    await loadOsv(token, group, { ...box, aliases: ["CVE-2024-1001"] }, plain("N-1"));
    await loadOpenVex(
      token,
      group,
      openVexOf([
        statementOf({ products: [{ "@id": "pkg:pypi/box@1.0" }] }),
        statementOf({ vulnerability: { name: "CVE-2024-2" } }),
      ]),
    );
    const before = await listAdvisories(token);
    const names = async (table: string, column: string) =>
      (await sql(`select ${column} as name from ${table} where parent = ? order by 1`, group)).map(
        ({ name }) => name,
      );
    const vexOnes = before.all.filter(({ advisoryId }) => String(advisoryId).startsWith("CVE"));
    expect(vexOnes).toHaveLength(2);
    expect(await purgeAll(token, group, { source: osv })).toMatchObject([
      { advisories: 2, documents: 1, artifacts: 2, vulnerabilityMetadata: 1, more: false },
    ]);
    expect((await listAdvisories(token)).all).toEqual(vexOnes);
    expect(await names("advisory_documents", "origin")).toEqual(["box"]);
    expect(await names("vulnerability_metadata", "vulnerability_id")).toEqual([
      "CVE-2024-1001",
      "CVE-2024-2",
    ]);
    expect(await purgeAll(token, group, { source: vex })).toMatchObject([
      { advisories: 2, documents: 1, artifacts: 0, vulnerabilityMetadata: 2, more: false },
    ]);
    expect([await rowsOf(group), await totalsOf(group)]).toEqual([{}, []]);
  });

  test("keeps the libraries the other way round, and the document of the records", async () => {
    const { group, token } = await newTenant();
    await loadOsv(token, group, { ...box, aliases: ["CVE-2024-1001"] });
    await loadOpenVex(token, group, openVexOf([statementOf()]));
    expect(await purgeAll(token, group, { source: vex })).toMatchObject([
      { advisories: 1, documents: 0, artifacts: 0, vulnerabilityMetadata: 0, more: false },
    ]);
    const left = await rowsOf(group);
    expect(left).toMatchObject({ advisories: 1, advisory_documents: 1, artifacts: 2 });
    expect(left).toMatchObject({ vulnerability_metadata: 1, osv_records: 1 });
  });

  test("keeps libraries until the last record is gone", async () => {
    const { group, token } = await newTenant();
    await loadOsv(token, group, ...Array.from({ length: 201 }, (_, i) => plain(`N-${i}`)), box);
    const [first, second] = await purgeAll(token, group, { source: osv });
    expect([first?.artifacts, second?.artifacts]).toEqual([0, 2]);
  });

  test("of an advisory with manual changes deletes the source's events, and an import adds them again", async () => {
    const { group, token } = await newTenant();
    const calls = callsOf(token);
    await loadOsv(token, group, box);
    await loadOpenVex(token, group, openVexOf([statementOf()]));
    const before = (await listAdvisories(token)).all;
    for (const { uid } of before) {
      await ok(calls.addEvent(uid, { fixed: { fixedVersion: "9.9" } }));
    }
    for (const source of [osv, vex]) {
      expect(await purgeAll(token, group, { source })).toMatchObject([
        { advisories: 0, reducedAdvisories: 1, more: false },
      ]);
    }
    const after = (await listAdvisories(token)).all;
    expect(after.map(({ uid, advisoryId }) => [uid, advisoryId])).toEqual(
      before.map(({ uid, advisoryId }) => [uid, advisoryId]),
    );
    for (const { events } of after) {
      expect(events).toMatchObject([{ fixed: { fixedVersion: "9.9" } }]);
    }
    expect((await eventsOf(group)).filter(({ type }) => type === deleted)).toEqual([]);
    expect((await loadOsv(token, group, box)).body).toMatchObject({ updated: 1 });
    const again = await loadOpenVex(token, group, openVexOf([statementOf()]));
    expect(again.body).toMatchObject({ updated: 1 });
    const events = (all: { events: unknown[] }[]) => all.map((one) => one.events.length);
    expect(events((await listAdvisories(token)).all)).toEqual(events(before).map((n) => n + 1));
  });

  test("does not change manual advisories", async () => {
    const { group, token } = await newTenant();
    await ok(
      callsOf(token).create(group, {
        advisoryId: "HAND-1",
        artifactName: "solo",
        artifactType: "apk",
      }),
    );
    await loadOsv(token, group, box);
    const [hand] = (await listAdvisories(token)).all;
    await purgeAll(token, group, { source: osv });
    expect((await listAdvisories(token)).all).toEqual([hand]);
  });
});

describe("a purge without force", () => {
  test("reports the existing data, and deletes nothing", async () => {
    const { group, token } = await newTenant();
    await loadOsv(token, group, box, plain("N-1"));
    await loadOpenVex(token, group, openVexOf([statementOf()]));
    const before = [await rowsOf(group), await outbox(group)];
    const ask = async (source?: string) => {
      const { body, roundTrips } = await purge(token, group, { force: false, source });
      expect(roundTrips).toBe(1);
      return body;
    };
    expect(await ask()).toMatchObject({
      ...{ advisories: 3, documents: 2, artifacts: 2, vulnerabilityMetadata: 3, more: true },
    });
    expect(await ask(osv)).toMatchObject({ advisories: 2, artifacts: 2, documents: 0, more: true });
    expect(await ask(vex)).toMatchObject({ advisories: 1, artifacts: 0, more: true });
    expect([await rowsOf(group), await outbox(group)]).toEqual(before);
    await purgeAll(token, group);
    expect(await ask()).toMatchObject({ advisories: 0, documents: 0, artifacts: 0, more: false });
  });
});

test("a purge of an unknown source is INVALID_ARGUMENT", async () => {
  const { group, token } = await newTenant();
  expect((await purge(token, group, { source: 7 })).status).toBe(400);
  expect((await purge(token, group, { source: "OSV" })).status).toBe(400);
});

test("parallel imports and purges leave nothing incomplete", async () => {
  const { group, token } = await newTenant();
  const records = Array.from({ length: 30 }, (_, i) => ({
    ...plain(`R-${i}`),
    aliases: [`CVE-2024-${i}`],
    affected: [{ package: { name: `lib-${i}`, ecosystem: "PyPI" }, versions: ["1.0"] }],
  }));
  for (let round = 0; round < 6; round++) {
    const answers = await Promise.all([
      loadOsv(token, group, ...records),
      purge(token, group, { source: osv }),
      purge(token, group),
      loadOsv(token, group, ...records.slice(0, 10)),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const left = await rowsOf(group);
    const n = left.advisories ?? 0;
    // An advisory is there with all that its record brought, or not at all.
    expect(left.osv_records ?? 0).toBe(n);
    expect(left.advisory_events ?? 0).toBe(n);
    expect(left.advisory_documents ?? 0).toBe(n);
    expect(left.vulnerability_metadata ?? 0).toBe(n);
    expect(left.artifacts ?? 0).toBeGreaterThanOrEqual(n);
    expect(left.artifact_versions ?? 0).toBe(left.artifacts ?? 0);
  }
  await purgeAll(token, group);
  expect([await rowsOf(group), await totalsOf(group)]).toEqual([{}, []]);
});
