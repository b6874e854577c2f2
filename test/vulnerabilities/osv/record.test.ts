import { describe, expect, test } from "vitest";
import { sql } from "../../world/platform.ts";
import { callApi, newTenant } from "../callers.ts";
import { readAdvisory } from "../vex/vex_imports.ts";
import { box, listAdvisories, loadOsv, loadReadable, outbox, plain } from "./osv_imports.ts";

describe("an OSV record", () => {
  test("becomes an advisory with its severities and events", async () => {
    const { group, token } = await newTenant();
    const answer = await loadOsv(token, group, box);
    expect(answer.body).toEqual({ created: 1, updated: 0, unchanged: 0, skippedCount: 0 });
    expect(answer.roundTrips).toBe(2);
    const { all, totalCount } = await listAdvisories(token);
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
        etag: expect.stringMatching(/^"Advisory-/),
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
    expect((await listAdvisories(token, "origin=box")).all).toHaveLength(1);
  });

  test("that was withdrawn is a false positive from then on", async () => {
    const { group, token } = await newTenant();
    await loadOsv(token, group, { ...box, withdrawn: "2024-02-10T00:00:00Z" }, plain("N-1"));
    const query = "latest_event_type=EVENT_TYPE_FILTER_FALSE_POSITIVE_DETERMINATION";
    const { all } = await listAdvisories(token, query);
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
    const { group, token } = await newTenant();
    const given = {
      affected: [{ package: { name: "n", ecosystem } }],
      database_specific: { author: "Ann" },
    };
    await loadOsv(token, group, plain("E-1", given));
    expect((await listAdvisories(token)).all).toMatchObject([
      {
        componentType,
        author: "Ann",
        events: [{ author: "Ann" }],
        createTime: "2024-03-01T10:00:00.000Z",
      },
    ]);
  });

  test("can have its severity on its package, and null for absent values", async () => {
    const { group, token } = await newTenant();
    const severity = [{ type: "CVSS_V3", score: "CVSS:3.1/AV:L" }];
    const affected = [{ package: { name: "n", ecosystem: "Go" }, severity }];
    const answer = await loadOsv(
      token,
      group,
      plain("E-2", { affected, aliases: null, severity: null, withdrawn: null }),
    );
    expect(answer.status).toBe(200);
    expect((await listAdvisories(token)).all).toMatchObject([
      { severities: [{ type: "TYPE_CVSS_V3", score: "CVSS:3.1/AV:L" }] },
    ]);
  });
});

describe("an import with bad records", () => {
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
    ["affected", { affected: [{}] }],
    ["affected", { affected: [{ package: {}, ranges: [{ type: "GIT", events: [] }] }] }],
    ["affected[0].package.name", { affected: [{ package: { ...named, name: "x".repeat(256) } }] }],
    ["affected", { affected: [{ package: { name: "n" } }] }],
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
    const { group, token } = await newTenant();
    const answer = await loadOsv(token, group, plain("GOOD"), { ...plain("BAD"), ...change });
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer.body)).toContain(`records[1].${field}`);
    expect(fieldsOf(answer.body).filter((one) => one.startsWith("records[0]"))).toEqual([]);
    expect((await listAdvisories(token)).totalCount).toBe("0");
    expect(await outbox(group)).toEqual([]);
    const { id } = { id: "BAD", ...change };
    const { body } = await loadReadable(token, group, plain("GOOD"), {
      ...plain("BAD"),
      ...change,
    });
    expect(body).toMatchObject({ created: 1, skippedCount: 1 });
    const reason = expect.stringContaining(field.replace(/^id$/, "id "));
    const named = typeof id === "string" && id !== "" ? { id: id.slice(0, 255) } : {};
    expect(body.skipped).toEqual([{ position: 1, ...named, reason }]);
  });

  test("names each of them", async () => {
    const { group, token } = await newTenant();
    const answer = await loadOsv(token, group, {}, plain("GOOD"), plain("BAD", { modified: "no" }));
    expect(fieldsOf(answer.body)).toEqual([
      "records[0].modified",
      "records[0].affected",
      "records[0].id",
      "records[2].modified",
    ]);
  });

  test.each([[[]], [Array.from({ length: 501 }, (_, i) => plain(`N-${i}`))], ["text"], [["text"]]])(
    "is rejected as a whole (%#)",
    async (records) => {
      const { group, token } = await newTenant();
      const answer = await callApi(token, `osvRecords/${group}:import`, { records });
      expect(answer.status).toBe(400);
      expect((await listAdvisories(token)).totalCount).toBe("0");
    },
  );

  const fieldsOf = (body: Record<string, unknown>) =>
    (body.details as { fieldViolations?: { field: string }[] }[]).flatMap(
      ({ fieldViolations }) => fieldViolations?.map(({ field }) => field) ?? [],
    );
});

describe("a record without a package", () => {
  const git = (repo: string) => ({
    type: "GIT",
    repo,
    events: [{ introduced: "0" }, { fixed: "6fa6f5b7c0" }],
  });
  test("is left out with the reason, and the others are imported", async () => {
    const { group, token } = await newTenant();
    const { status, body } = await loadReadable(
      token,
      group,
      plain("EX-1", { affected: [{ ranges: [git("https://git.example.com/a")] }] }),
      plain("EX-2", { affected: [{ package: {}, ranges: [git("https://git.example.com/b")] }] }),
      plain("EX-3"),
      plain("EX-4", { affected: undefined }),
      plain("EX-5", { affected: [] }),
    );
    expect(status).toBe(200);
    const reason = "affected names no package";
    expect(body).toMatchObject({ created: 1, skippedCount: 4 });
    expect(body.skipped).toEqual([
      { position: 0, id: "EX-1", reason },
      { position: 1, id: "EX-2", reason },
      { position: 3, id: "EX-4", reason },
      { position: 4, id: "EX-5", reason },
    ]);
    expect((await listAdvisories(token)).all).toMatchObject([{ advisoryId: "EX-3" }]);
  });

  test("is not needed first: the first package counts, with its own severity", async () => {
    const { group, token } = await newTenant();
    const severity = [{ type: "CVSS_V3", score: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H" }];
    const named = { package: { ecosystem: "npm", name: "late" }, severity };
    const affected = [{ ranges: [git("https://git.example.com/a")] }, named];
    await loadOsv(token, group, plain("EX-6", { affected }));
    expect((await listAdvisories(token)).all).toMatchObject([
      { artifactName: "late", severities: [{ type: "TYPE_CVSS_V3" }] },
    ]);
  });
});

test("a range that ends where it begins fixes nothing, and adds no version to the library", async () => {
  const { group, token } = await newTenant();
  const range = (introduced: string, fixed: string) => ({
    type: "ECOSYSTEM",
    events: [{ introduced }, { fixed }],
  });
  const zeroed = { package: { ecosystem: "PyPI", name: "zeroed" }, ranges: [range("0", "0")] };
  await loadOsv(token, group, plain("EX-7", { affected: [zeroed] }));
  expect((await listAdvisories(token)).all[0]?.events).toMatchObject([{ detection: {} }]);
  const versions = `select count(*) as n from artifact_versions where uid like ? || '/%'`;
  expect(await sql(versions, group)).toEqual([{ n: 0 }]);
  const twice = { ...zeroed, ranges: [range("1.0", "1.0"), range("2.0", "2.1")] };
  await loadOsv(token, group, plain("EX-8", { affected: [twice] }));
  expect((await listAdvisories(token)).all[1]?.events).toMatchObject([
    { detection: {} },
    { fixed: { fixedVersion: "2.1" } },
  ]);
});

test("the one vulnerability that a distribution names as upstream is an alias, and of several none is", async () => {
  const { group, token } = await newTenant();
  const several = { upstream: ["CVE-2024-1", "CVE-2024-2"], related: ["CVE-2024-3"] };
  await loadOsv(
    token,
    group,
    plain("DEBIAN-1", { upstream: ["CVE-2024-1"] }),
    plain("DSA-1", several),
  );
  expect((await listAdvisories(token)).all.map(({ aliases }) => aliases)).toEqual([
    ["CVE-2024-1"],
    undefined,
  ]);
});

test("long texts are cut, and a long address is left out", async () => {
  const { group, token } = await newTenant();
  const references = [
    { type: "WEB", url: `https://a.example/${"x".repeat(3000)}` },
    { type: "WEB", url: "https://a.example/short" },
  ];
  const texts = { summary: "s".repeat(2000), details: "d".repeat(200_000), references };
  await loadOsv(token, group, plain("EX-9", texts));
  const [row] = await sql("select * from vulnerability_metadata where parent = ?", group);
  expect(String(row?.summary)).toBe(`${"s".repeat(999)}…`);
  expect(String(row?.details)).toHaveLength(100_000);
  expect(String(row?.refs)).not.toContain("xxx");
  expect(String(row?.refs)).toContain("short");
});

describe("a record about one release of a distribution is exported for that release", () => {
  test.each([
    ["without a package URL", {}, "pkg:deb/debian/web@1.2?distro=debian-12"],
    [
      "with a package URL",
      { purl: "pkg:deb/debian/web?arch=source" },
      "pkg:deb/debian/web@1.2?arch=source&distro=debian-12",
    ],
  ])("%s", async (_, more, expected) => {
    const { group, token } = await newTenant();
    const ranges = [{ type: "ECOSYSTEM", events: [{ introduced: "0" }, { fixed: "1.2" }] }];
    const affected = [{ package: { name: "web", ecosystem: "Debian:12", ...more }, ranges }];
    await loadOsv(token, group, plain("DEBIAN-CVE-2024-7", { affected }));
    const uid = (await listAdvisories(token)).all[0]?.uid ?? "";
    const vex = (await readAdvisory(token, uid, "?format=openvex")).body.statements;
    expect(vex).toMatchObject([
      { status: "affected" },
      { status: "fixed", products: [{ identifiers: { purl: expected } }] },
    ]);
    const csaf = (await readAdvisory(token, uid, "?format=csaf")).body.product_tree;
    expect(JSON.stringify(csaf)).toContain(JSON.stringify(expected));
    const osv = (await readAdvisory(token, uid, "?format=osv")).body.affected;
    expect(osv).toMatchObject([{ package: { name: "web", ecosystem: "Debian:12" } }]);
  });
});
