import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { sql } from "../../world/platform.ts";
import { insertRow, newTenant, randomHex } from "../callers.ts";
import { box, listAdvisories, loadOsv, manyFixes, outbox, plain } from "./osv_imports.ts";

describe("an import of OSV records", () => {
  test("a repeated import changes nothing and writes no event", async () => {
    const { group, token } = await newTenant();
    await loadOsv(token, group, box, plain("N-1"));
    const before = await listAdvisories(token);
    const rearranged = Object.fromEntries(Object.entries(box).reverse());
    const again = await loadOsv(token, group, plain("N-1"), rearranged);
    expect(again.body).toEqual({ created: 0, updated: 0, unchanged: 2, skippedCount: 0 });
    expect(again.roundTrips).toBe(1);
    expect(await listAdvisories(token)).toEqual(before);
    expect(await outbox(group)).toHaveLength(1);
  });

  test("replaces the events of the changed records only", async () => {
    const { group, token } = await newTenant();
    await loadOsv(token, group, box, plain("N-1"));
    const [first, other] = (await listAdvisories(token)).all.toReversed();
    const [one] = box.affected;
    const newer = {
      ...box,
      modified: "2024-04-01T00:00:00Z",
      aliases: ["CVE-2024-2"],
      affected: [
        { ...one, ranges: [{ type: "SEMVER", events: [{ introduced: "0" }, { fixed: "5.0" }] }] },
      ],
    };
    const answer = await loadOsv(token, group, newer, plain("N-1"), plain("N-2"));
    expect(answer.body).toEqual({ created: 1, updated: 1, unchanged: 1, skippedCount: 0 });
    const { all, totalCount } = await listAdvisories(token);
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
    const left = await sql(
      "select * from advisory_events where advisory_uid like ? || '/%'",
      group,
    );
    expect(left).toHaveLength(4);
  });

  test("creates the same events for the same record, whatever came between", async () => {
    const { group, token } = await newTenant();
    await loadOsv(token, group, box);
    const before = (await listAdvisories(token)).all;
    await loadOsv(token, group, {
      ...box,
      modified: "2024-05-01T00:00:00Z",
      affected: plain("x").affected,
    });
    await loadOsv(token, group, { ...box, modified: "2024-06-01T00:00:00Z" });
    const after = (await listAdvisories(token)).all;
    expect(after[0]?.events).toEqual(before[0]?.events);
  });

  test("accepts a changed record with the same time, and no older one", async () => {
    const { group, token } = await newTenant();
    await loadOsv(token, group, box);
    const older = { ...box, modified: "2024-03-01T10:00:00.122Z", aliases: ["OLD"] };
    expect((await loadOsv(token, group, older)).body).toEqual({
      created: 0,
      updated: 0,
      unchanged: 1,
      skippedCount: 0,
    });
    const same = { ...box, aliases: ["SAME"] };
    expect((await loadOsv(token, group, same)).body).toEqual({
      created: 0,
      updated: 1,
      unchanged: 0,
      skippedCount: 0,
    });
    expect((await listAdvisories(token)).all).toMatchObject([{ aliases: ["SAME"] }]);
  });

  test("an import writes one event with its counts for the group", async () => {
    const { group, token } = await newTenant();
    await loadOsv(token, group, box, plain("N-1"));
    const [event, ...more] = await outbox(group);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: "dev.vendor.api.vulnerabilities.osv_records.imported.v1",
      subject: group,
      audience: "customer",
      body_type: "platform.vulnerabilities.v2.ImportOsvRecordsResponse",
    });
    expect(JSON.parse(event?.data ?? "")).toMatchObject({
      body: { created: 2, updated: 0, unchanged: 0, skippedCount: 0 },
    });
  });

  test("that runs several times at once writes and counts each record once", async () => {
    const { group, token } = await newTenant();
    // Many events take a while between the read and the write, so that the calls do overlap.
    const records = Array.from({ length: 20 }, (_, i) => plain(`R-${i}`, manyFixes));
    const changed = records.map((one) => ({ ...one, aliases: ["CVE-2024-9"] }));
    for (const round of [records, changed]) {
      const answers = await Promise.all([1, 2, 3, 4].map(() => loadOsv(token, group, ...round)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      const written = answers.map(({ body }) => Number(body.created) + Number(body.updated));
      expect(written.sort((a, b) => a - b)).toEqual([0, 0, 0, 20]);
    }
    const { all, totalCount } = await listAdvisories(token);
    expect(totalCount).toBe("20");
    expect(all.map(({ events }) => events.length)).toEqual(records.map(() => 201));
    expect(await outbox(group)).toHaveLength(2);
  });

  test("of many events is written completely, in as many parameters as it needs", async () => {
    const { group, token } = await newTenant();
    const records = Array.from({ length: 40 }, (_, i) => plain(`M-${i}`, manyFixes));
    expect((await loadOsv(token, group, ...records)).body).toMatchObject({ created: 40 });
    const counted = await sql(
      `select count(*) as n, count(distinct advisory_uid) as of from advisory_events
        where advisory_uid like ? || '/%'`,
      group,
    );
    expect(counted).toEqual([{ n: 40 * 201, of: 40 }]);
  });
});

test("accepts an ecosystem and a scale with the name of an object member", async () => {
  const { group, token } = await newTenant();
  const odd = {
    ...plain("N-1"),
    severity: [{ type: "constructor", score: "1" }],
    affected: [{ package: { name: "x", ecosystem: "constructor" } }],
  };
  expect((await loadOsv(token, group, odd)).body).toMatchObject({ created: 1 });
  const [one] = (await listAdvisories(token)).all;
  expect(one).toMatchObject({ componentType: "constructor" });
  expect(one).not.toHaveProperty("severities");
});

describe("an import requires", () => {
  test("a group below, and its advisories are then found from above", async () => {
    const { group, token } = await newTenant();
    const team = `${group}/${randomHex(16)}`;
    await insertRow("groups", { uid: team, name: "team", create_time: 1, update_time: 1 });
    expect((await loadOsv(token, team, box)).body).toMatchObject({ created: 1 });
    expect((await loadOsv(token, group, box)).body).toMatchObject({ created: 1 });
    expect((await listAdvisories(token, `uidp.descendants_of=${group}`)).totalCount).toBe("2");
    expect((await listAdvisories(token, `uidp.children_of=${group}`)).totalCount).toBe("1");
  });
});

/** OSV records of the Python packaging advisory database (CC-BY-4.0), one on each line. */
test("an advisory is found by every spelling of the name of its package", async () => {
  const { group, token } = await newTenant();
  const about = (ecosystem: string, name: string) => ({
    affected: [{ package: { ecosystem, name } }],
  });
  await loadOsv(
    token,
    group,
    plain("E-1", about("PyPI", "Flask_Login")),
    plain("E-2", about("PyPI", "flask-login")),
    plain("E-3", about("PyPI", "FLASK.LOGIN")),
    plain("E-4", about("npm", "flask-login")),
    plain("E-5", about("Go", "github.com/BurntSushi/toml")),
  );
  const idsOf = async (query: string) =>
    (await listAdvisories(token, query)).all.map(({ advisoryId }) => advisoryId);
  for (const field of ["artifact_names", "component_names"]) {
    expect(await idsOf(`${field}=Flask_Login`)).toEqual(["E-1", "E-2", "E-3"]);
    expect(await idsOf(`${field}=FLASK.login&component_types=python`)).toEqual([
      "E-1",
      "E-2",
      "E-3",
    ]);
    expect(await idsOf(`${field}=flask-login`)).toEqual(["E-1", "E-2", "E-3", "E-4"]);
    expect(await idsOf(`${field}=github.com/burntsushi/toml`)).toEqual(["E-5"]);
    expect(await idsOf(`${field}=github.com/BurntSushi/TOML`)).toEqual(["E-5"]);
  }
});

const realData = "../shared/data/osv-pypi.jsonl.gz";

test("419 real records are created in one call, and are unchanged in the next", async (context) => {
  if (!existsSync(realData)) return context.skip(`${realData} is absent`);
  const { group, token } = await newTenant();
  const lines = gunzipSync(readFileSync(realData)).toString().trim().split("\n");
  const records = lines.map((line) => JSON.parse(line) as { id: string });
  expect((await loadOsv(token, group, ...records)).body).toEqual({
    created: 419,
    updated: 0,
    unchanged: 0,
    skippedCount: 0,
  });
  expect((await loadOsv(token, group, ...records)).body).toEqual({
    created: 0,
    updated: 0,
    unchanged: 419,
    skippedCount: 0,
  });
  const { all, totalCount } = await listAdvisories(token);
  expect(totalCount).toBe("419");
  expect(all).toHaveLength(200);
  expect((await listAdvisories(token, "aliases=CVE-2021-21330")).all).toMatchObject([
    { advisoryId: "PYSEC-2021-76", artifactName: "aiohttp" },
  ]);
  expect((await listAdvisories(token, "aliases=CVE-2021-21330")).all[0]?.events).toMatchObject([
    { detection: { manual: {} }, createTime: "2021-02-26T03:15:00.000Z" },
    { fixed: { fixedVersion: "3.7.4" } },
  ]);
});
