/** The libraries that an import of OSV records creates. */
import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { affectedPackage, osvRecordOf } from "../../libraries/osv_libraries.ts";
import { sql } from "../../world/platform.ts";
import { newTenant } from "../callers.ts";
import { loadOsv, outbox } from "../osv/osv_imports.ts";

interface Row {
  uid: string;
  name: string;
  ecosystem: number;
  latest_version: string;
  version_count: number;
  remediated: number;
  cuda_versions: string;
  create_time: number;
  update_time: number;
}

const artifactsOf = (group: string) =>
  sql<Row>("select * from artifacts where parent = ? order by name", group);

const versionsOf = (group: string) =>
  sql<{ version: string; create_time: number; update_time: number }>(
    `select one.value as version, span.value ->> 0 as create_time, span.value ->> 1 as update_time
      from artifact_versions as v join artifacts as a on a.uid = v.parent,
        json_each(v.versions) as span, json_each(span.value, '$[2]') as one
      where a.parent = ? order by a.name, version`,
    group,
  );

const ms = (time: string) => Date.parse(time);

describe("an import creates libraries", () => {
  test("for every PyPI and Maven package that its records name", async () => {
    const { group, token } = await newTenant();
    await loadOsv(
      token,
      group,
      osvRecordOf("E-1", [
        affectedPackage("npm", "n", ["1"]),
        affectedPackage("PyPI", "Zope.Interface", ["1"]),
        affectedPackage("PyPI", "zope_interface", ["2"]),
        affectedPackage("Maven:https://repo.example", "g:A", ["1"], "2"),
      ]),
    );
    expect(await artifactsOf(group)).toMatchObject([
      { name: "g:A", ecosystem: 1, latest_version: "2", version_count: 2, remediated: 1 },
      { name: "zope-interface", ecosystem: 2, latest_version: "2", version_count: 2 },
    ]);
  });

  test("with the affected and the fixed versions, but without commits", async () => {
    const { group, token } = await newTenant();
    const ranges = [
      { type: "GIT", events: [{ introduced: "0" }, { fixed: "c0ffee" }] },
      { type: "SEMVER", events: [{ introduced: "1.0" }, { fixed: "1.2" }, { last_affected: "3" }] },
      { type: "ECOSYSTEM", events: [{ introduced: "0" }, { fixed: "0.9" }] },
    ];
    const one = { package: { ecosystem: "PyPI", name: "one" }, versions: ["1.0", "1.0"], ranges };
    await loadOsv(token, group, osvRecordOf("E-1", [one]));
    expect((await versionsOf(group)).map(({ version }) => version)).toEqual(["0.9", "1.0", "1.2"]);
  });

  test("in the same rows, in any order and any number of times", async () => {
    const early = osvRecordOf("E-1", [affectedPackage("PyPI", "x", ["1.0", "2.0+cu118"])], {
      published: "2020-01-01T00:00:00Z",
      modified: "2020-02-01T00:00:00Z",
    });
    const late = osvRecordOf("E-2", [
      affectedPackage("PyPI", "X", ["2.0+cu118", "2.0+cu92.x", "2.0"], "3.0"),
    ]);
    const results = [];
    for (const loads of [[[early], [late]], [[late], [early]], [[early, late]], [[late, early]]]) {
      const { group, token } = await newTenant();
      for (const records of loads) await loadOsv(token, group, ...records);
      const [artifact] = await artifactsOf(group);
      const versions = (await versionsOf(group)).map((rest) => ({
        version: rest.version,
        create: rest.create_time,
        update: rest.update_time,
      }));
      // The columns that follow from the group are different in each run.
      const ofGroup = { uid: "", artifact_uid: "", parent: "", ancestor0: "", path: "" };
      results.push({ ...artifact, ...ofGroup, step: "", parent_key: "", key0: "", versions });
    }
    expect(results[0]).toMatchObject({
      latest_version: "3.0",
      version_count: 5,
      remediated: 1,
      cuda_versions: '["cu118","cu92"]',
      create_time: ms("2020-01-01T00:00:00Z"),
      update_time: ms("2024-03-01T10:00:00Z"),
      versions: [
        { version: "1.0", update: ms("2020-02-01T00:00:00Z") },
        { version: "2.0" },
        {
          version: "2.0+cu118",
          create: ms("2020-01-01T00:00:00Z"),
          update: ms("2024-03-01T10:00:00Z"),
        },
        { version: "2.0+cu92.x" },
        { version: "3.0" },
      ],
    });
    expect(new Set(results.map((one) => JSON.stringify(one))).size).toBe(1);
  });

  test("and keeps the versions that a newer record leaves out", async () => {
    const { group, token } = await newTenant();
    await loadOsv(
      token,
      group,
      osvRecordOf("E-1", [affectedPackage("PyPI", "x", ["1.0", "1.1"], "2.0")]),
    );
    const modified = "2025-01-01T00:00:00Z";
    await loadOsv(
      token,
      group,
      osvRecordOf("E-1", [affectedPackage("PyPI", "x", ["1.2"])], { modified }),
    );
    expect((await versionsOf(group)).map(({ version }) => version)).toHaveLength(4);
    expect(await artifactsOf(group)).toMatchObject([{ version_count: 4, remediated: 1 }]);
  });

  test("whose versions are not remediated by a withdrawn record", async () => {
    const { group, token } = await newTenant();
    const withdrawn = "2024-03-01T00:00:00Z";
    await loadOsv(
      token,
      group,
      osvRecordOf("E-1", [affectedPackage("PyPI", "x", ["1"], "2")], { withdrawn }),
    );
    expect(await artifactsOf(group)).toMatchObject([{ version_count: 2, remediated: 0 }]);
  });

  test("and a second one changes nothing", async () => {
    const { group, token } = await newTenant();
    const records = [osvRecordOf("E-1", [affectedPackage("PyPI", "x", ["1.0"], "2.0")])];
    await loadOsv(token, group, ...records);
    const before = [await artifactsOf(group), await versionsOf(group)];
    const again = await loadOsv(token, group, ...records);
    expect(again.body).toEqual({ created: 0, updated: 0, unchanged: 1, skippedCount: 0 });
    expect(again.roundTrips).toBe(1);
    expect([await artifactsOf(group), await versionsOf(group)]).toEqual(before);
    expect(await outbox(group)).toHaveLength(1);
  });

  test("also for records that were imported before libraries existed", async () => {
    const { group, token } = await newTenant();
    const records = [osvRecordOf("E-1", [affectedPackage("PyPI", "x", ["1.0"])])];
    await loadOsv(token, group, ...records);
    const [before] = await artifactsOf(group);
    await sql("delete from artifact_versions where parent = ?", before?.uid);
    await sql("delete from artifacts where parent = ?", group);
    // As the first release digested records.
    await sql("update advisories set source_digest = ? where parent = ?", "0".repeat(64), group);
    expect((await loadOsv(token, group, ...records)).body).toMatchObject({ updated: 1 });
    expect(await artifactsOf(group)).toEqual([before]);
  });

  test("once, if several run at the same time", async () => {
    const { group, token } = await newTenant();
    const versions = Array.from({ length: 1500 }, (_, i) => `1.${i}`);
    const records = ["E-1", "E-2", "E-3"].map((id) =>
      osvRecordOf(id, [affectedPackage("PyPI", "x", versions)]),
    );
    const answers = await Promise.all([
      ...records.map((one) => loadOsv(token, group, one)),
      ...records.map((one) => loadOsv(token, group, one)),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await artifactsOf(group)).toMatchObject([
      { version_count: 1500, latest_version: "1.1499" },
    ]);
    expect(await versionsOf(group)).toHaveLength(1500);
    const [latest] = answers.map(({ roundTrips }) => roundTrips).sort((a, b) => b - a);
    expect(latest).toBeLessThanOrEqual(10);
  });
});

test.each([
  [{ versions: [7] }, "records[0].affected[0].versions[0]"],
  [{ versions: ["1", "x".repeat(256)] }, "records[0].affected[0].versions[1]"],
  [{ versions: "1" }, "records[0].affected[0].versions"],
])(
  "a library that reads %j is rejected naming %s, and nothing is written",
  async (change, field) => {
    const { group, token } = await newTenant();
    const one = { ...affectedPackage("PyPI", "x", ["1"]), ...change };
    const answer = await loadOsv(
      token,
      group,
      osvRecordOf("E-1", [one]),
      osvRecordOf("E-2", [one]),
    );
    expect(answer.status).toBe(400);
    expect(answer.body.details).toContainEqual(
      expect.objectContaining({
        fieldViolations: expect.arrayContaining([expect.objectContaining({ field })]),
      }),
    );
    expect(await artifactsOf(group)).toEqual([]);
  },
);

test.each([
  [
    "versions",
    [
      affectedPackage(
        "PyPI",
        "x",
        Array.from({ length: 20_001 }, (_, i) => `${i}`),
      ),
    ],
  ],
  ["libraries", Array.from({ length: 2_001 }, (_, i) => affectedPackage("PyPI", `x${i}`, []))],
])("more %s than the database takes at once are refused", async (_, packages) => {
  const { group, token } = await newTenant();
  const answer = await loadOsv(token, group, osvRecordOf("E-1", packages));
  expect(answer.status).toBe(400);
  expect(answer.body.message).toMatch(
    /^Invalid argument: records: .*send fewer records in one call/,
  );
  expect(await artifactsOf(group)).toEqual([]);
});

/** OSV records of the Python packaging advisory database (CC-BY-4.0), one on each line. */
const realData = "../shared/data/osv-pypi.jsonl.gz";

test("419 real records create 25 libraries with every version, in two round trips", async (context) => {
  if (!existsSync(realData)) return context.skip(`${realData} is absent`);
  const { group, token } = await newTenant();
  const lines = gunzipSync(readFileSync(realData)).toString().trim().split("\n");
  const answer = await loadOsv(token, group, ...lines.map((line) => JSON.parse(line) as object));
  expect(answer.roundTrips).toBe(2);
  const found = await artifactsOf(group);
  expect(found).toHaveLength(25);
  const versions = await versionsOf(group);
  expect(found.reduce((sum, one) => sum + one.version_count, 0)).toBe(versions.length);
  expect(versions.length).toBeGreaterThanOrEqual(4095);
  const django = found.find(({ name }) => name === "django");
  expect(django).toMatchObject({ remediated: 1 });
});
