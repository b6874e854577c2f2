/** Version 2 stores reports that Grype wrote. */

import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import { VulnReportsService } from "../../../schema/gen/platform/registry/v2/vuln_reports_pb.js";
import { withoutDecisionId } from "../../contract/decisions.ts";
import {
  createResource,
  fakeDigest,
  newIdentity,
  newOrganization,
  type Organization,
} from "../../world/personas.ts";
import { callRest, clientOf, costOf, sql } from "../../world/platform.ts";
import { grypeReport, matchOf, packedReport } from "./grype_reports.ts";

let organization: Organization;
let repo: string;
beforeEach(async () => {
  organization = await newOrganization();
  const { token } = organization.owner;
  repo = (await createResource(`/registry/v2/repos/${organization.uid}`, token, { name: "app" }))
    .uid;
});

const digest = fakeDigest("image");

/** Sends a report of the image. */
const send = (report: unknown, more: object = {}) =>
  callRest(`/registry/v2/vulnReports/${repo}`, {
    token: organization.owner.token,
    body: { digest, content: packedReport(report), ...more },
  });

const stored = () =>
  sql("select * from vuln_reports where uid > ? and uid < ?", `${repo}/`, `${repo}0`);

/** The violation for a report, with the field that it names. */
async function refused(report: unknown, more: object = {}) {
  const { status, body } = await send(report, more);
  expect(status, JSON.stringify(body)).toBe(400);
  expect(await stored()).toEqual([]);
  const [violation] = body.details[1].fieldViolations;
  return violation as { field: string; description: string };
}

test("a report is returned with the facts of the scanner, without its content", async () => {
  const matches = [
    matchOf("CVE-2024-0001", "Critical"),
    matchOf("CVE-2024-0001", "High", { artifact: { name: "openssl" } }),
    matchOf("CVE-2024-0002", "Negligible"),
  ];
  const before = Date.now();
  const { status, body, headers } = await send(grypeReport(matches));
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body).toEqual({
    uid: expect.stringMatching(new RegExp(`^${repo}/[0-9a-f]{16}$`)),
    digest,
    scanTime: "2026-05-01T08:00:00.123Z",
    scanner: "grype",
    scannerVersion: "0.92.0",
    dbBuildTime: "2026-04-30T01:02:03.000Z",
    vulnerabilityCount: 2,
    createTime: expect.any(String),
    updateTime: body.createTime,
    etag: expect.any(String),
  });
  expect(Date.parse(body.createTime)).toBeGreaterThanOrEqual(before - 5_000);
  expect(costOf({ headers }).roundTrips).toBe(2);
});

test("the same report again changes nothing, compressed or plain, over REST or Connect", async () => {
  const report = grypeReport([matchOf("CVE-2024-0001", "High")]);
  const first = (await send(report)).body;
  const plain = Buffer.from(JSON.stringify(report));
  const { body, headers } = await send("", { content: plain.toString("base64") });
  expect(body).toEqual(first);
  expect(costOf({ headers })).toMatchObject({ roundTrips: 2, rowsWritten: 0 });
  const scans = clientOf(VulnReportsService, organization.owner.token);
  const vulnReport = { digest, content: gzipSync(plain, { level: 1 }) };
  expect((await scans.createVulnReport({ parent: repo, vulnReport })).uid).toBe(first.uid);
  const time = { scanTime: "2026-05-01T08:00:00.123Z" };
  expect((await send(report, time)).body).toEqual(first);
  expect(await stored()).toHaveLength(1);
  const [events] = await sql("select count(*) as n from events where subject = ?", first.uid);
  expect(events?.n).toBe(1);
});

test("a report is not even decompressed if the caller cannot send it", async () => {
  const stranger = await newIdentity(await newOrganization(), "owner");
  const ask = (content: string) =>
    callRest(`/registry/v2/vulnReports/${repo}`, {
      token: stranger.token,
      body: { digest, content },
    });
  const good = await ask(packedReport(grypeReport([])));
  const damaged = Buffer.from(gzipSync("x").subarray(0, 12)).toString("base64");
  expect(good.status).toBe(403);
  for (const content of [damaged, packedReport("no report")]) {
    const { status, body } = await ask(content);
    expect(status).toBe(403);
    expect(withoutDecisionId(body)).toBe(withoutDecisionId(good.body));
  }
});

test("other bytes and other images create other reports", async () => {
  const report = grypeReport([]);
  await send(report);
  await send(report, { digest: fakeDigest("other") });
  await send(`${JSON.stringify(report)}\n`);
  expect(await stored()).toHaveLength(3);
});

describe("the time of the scan", () => {
  const timeless = grypeReport([], { scanned: "" });

  test("of a report without one is that of the first call", async () => {
    const before = Date.now();
    const { body } = await send(timeless);
    expect(Date.parse(body.scanTime)).toBeGreaterThanOrEqual(before - 5_000);
    expect((await send(timeless)).body).toEqual(body);
  });

  test("can be set in the request, so that the same findings give several scans", async () => {
    const times = ["01", "02", "01"].map((day) => `2026-05-${day}T00:00:00.000Z`);
    const uids = new Set<string>();
    for (const scanTime of times) {
      const { body } = await send(timeless, { scanTime });
      expect(body.scanTime).toBe(scanTime);
      uids.add(body.uid);
    }
    expect(uids.size).toBe(2);
  });

  test("must equal that of the report", async () => {
    const violation = await refused(grypeReport([]), { scanTime: "2026-05-01T10:00:00Z" });
    expect(violation).toMatchObject({ field: "scan_time" });
    expect(violation.description).toContain("2026-05-01T08:00:00.123Z");
  });

  test("must not be in the future", async () => {
    const scanTime = new Date(Date.now() + 3_600_000).toISOString();
    expect((await refused(timeless, { scanTime })).field).toBe("scan_time");
    expect((await refused(grypeReport([], { scanned: scanTime }))).field).toBe("content");
  });
});

describe("the build time of the scanner's database", () => {
  test.each([
    ["of Grype before 0.88", { built: "2024-02-03T04:05:06Z", schemaVersion: 5 }],
    ["of Grype since 0.88", { status: { built: "2024-02-03T04:05:06Z" }, providers: {} }],
  ])("%s", async (_, db) => {
    expect((await send(grypeReport([], { db }))).body.dbBuildTime).toBe("2024-02-03T04:05:06.000Z");
  });

  test("is absent if there is none or it was never set", async () => {
    for (const db of [{}, { status: {} }, { built: "0001-01-01T00:00:00Z" }]) {
      const { status, body } = await send(grypeReport([], { db }));
      expect(status).toBe(200);
      expect(body.dbBuildTime).toBeUndefined();
    }
  });
});

describe("a report about another image is rejected", () => {
  test.each([
    ["its manifest", [fakeDigest("another")]],
    ["the digests it was pulled by", ["", fakeDigest("another")]],
  ])("a report about another image is rejected by %s", async (_, digests) => {
    const violation = await refused(grypeReport([], { digests }));
    expect(violation).toMatchObject({ field: "digest" });
    expect(violation.description).toContain(fakeDigest("another"));
  });

  test.each([
    ["the image is its manifest", [digest, fakeDigest("index")]],
    ["it is the index it was pulled by", [fakeDigest("amd64"), digest]],
    ["it names none", []],
  ])("but is accepted if %s", async (_, digests) => {
    expect((await send(grypeReport([], { digests }))).status).toBe(200);
  });

  test("and a report about a folder names no image", async () => {
    const source = { type: "directory", target: "/srv" };
    expect((await send(grypeReport([], { source }))).status).toBe(200);
  });
});

describe("an error about invalid content names its position:", () => {
  const broken = (change: (match: Record<string, never>) => unknown) =>
    grypeReport([matchOf("CVE-1", "Low"), change(matchOf("CVE-2", "Low") as never) as object]);

  test.each<[string, unknown, RegExp]>([
    ["text", "scanned", /not JSON/],
    ["a list", [], /must be a JSON object/],
    ["of Trivy", { SchemaVersion: 2, Results: [] }, /descriptor\.name must be grype/],
    ["of another tool", grypeReport([], { descriptor: { name: "syft" } }), /descriptor\.name/],
    ["without matches", { descriptor: { name: "grype" } }, /matches must be a list/],
    ["with an invalid match", grypeReport([null as never]), /matches\[0\] must be a JSON object/],
    [
      "with a vulnerability without id",
      broken(({ vulnerability, ...rest }) => ({ ...rest, vulnerability: { severity: "Low" } })),
      /matches\[1\]\.vulnerability\.id is required/,
    ],
    [
      "with an endless id",
      broken((match) => ({ ...match, vulnerability: { id: "C".repeat(129) } })),
      /matches\[1\]\.vulnerability\.id must have at most 128/,
    ],
    [
      "with a package without name",
      broken((match) => ({ ...match, artifact: { version: "1" } })),
      /matches\[1\]\.artifact\.name is required/,
    ],
    ["with an invalid time", grypeReport([], { scanned: "today" }), /descriptor\.timestamp/],
    [
      "with a database of no time",
      grypeReport([], { db: { status: { built: 7 } } }),
      /descriptor\.db\.status\.built/,
    ],
    [
      "with too many matches",
      grypeReport(Array.from({ length: 20_001 }, () => ({}))),
      /at most 20000/,
    ],
  ])("%s", async (_, report, says) => {
    const { field, description } = await refused(report);
    expect(field).toBe("content");
    expect(description).toMatch(says);
  });

  test("a report that is not UTF-8 is rejected", async () => {
    const content = gzipSync(Buffer.from([0x7b, 0xff, 0x7d])).toString("base64");
    expect((await refused("", { content })).description).toMatch(/not UTF-8/);
  });

  test("damaged and incomplete gzip is rejected", async () => {
    const whole = gzipSync(JSON.stringify(grypeReport([])));
    for (const bytes of [whole.subarray(0, -9), Buffer.concat([whole.subarray(0, 12), whole])]) {
      const { description } = await refused("", { content: bytes.toString("base64") });
      expect(description).toMatch(/not valid gzip/);
    }
  });
});

describe("the size of a report", () => {
  /** A match as large as those of real images, with few repeated words. */
  const large = (n: number) =>
    matchOf(`CVE-2024-${10_000 + n}`, "Medium", {
      description: randomBytes(40).toString("hex"),
      urls: Array.from({ length: 60 }, (_, i) => `https://lists.example/announce/${n}/${i}`),
    });

  test("of several megabytes is accepted compressed, and the report is read completely", async () => {
    const report = grypeReport(Array.from({ length: 1_700 }, (_, n) => large(n)));
    const text = JSON.stringify(report, null, 1);
    expect(text.length).toBeGreaterThan(8_000_000);
    const { status, body } = await send(text);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.vulnerabilityCount).toBe(1_700);
    const { token } = organization.owner;
    const raw = await callRest(`/registry/v1/vuln_reports/raw?digest=${digest}`, { token });
    expect(raw.body.rawReport === text).toBe(true);
    const one = await callRest(`/registry/v1/repos/${repo}/digests/${digest}/vulnreport`, {
      token,
    });
    expect(one.body.vulnerabilityMatches).toHaveLength(1_700);
    expect(Buffer.from(one.body.rawVulnReport, "base64").toString() === text).toBe(true);
  });

  test("above 8 MiB after decompression is rejected", async () => {
    const { field, description } = await refused(" ".repeat(8 * 1024 * 1024 + 1));
    expect(field).toBe("content");
    expect(description).toMatch(/at most 8388608 bytes/);
  });

  test("above the limit of the storage is rejected", async () => {
    const ids = Array.from({ length: 17_000 }, (_, n) => `${n}${"x".repeat(110)}`);
    const matches = ids.map((id) => ({ vulnerability: { id }, artifact: { name: "a" } }));
    expect((await refused(grypeReport(matches))).description).toMatch(/too large to store/);
  });
});

test("the deletion of a repository deletes its reports", async () => {
  await send(grypeReport([matchOf("CVE-2024-0001", "High")]));
  const { token } = organization.owner;
  const gone = await callRest(`/registry/v2/repos/${repo}`, { method: "DELETE", token });
  expect(gone.status).toBe(200);
  expect(await stored()).toEqual([]);
  const contents = "select uid from vuln_report_contents where uid > ? and uid < ?";
  expect(await sql(contents, `${repo}/`, `${repo}0`)).toEqual([]);
  const counted = "select descendants from counts where kind = 'vuln_reports' and ancestor = ?";
  expect(await sql(counted, organization.uid)).toEqual([{ descendants: 0 }]);
  expect((await send(grypeReport([]))).status).toBe(404);
});
