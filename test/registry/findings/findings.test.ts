/** ListFindings returns the findings in the newest report of each image. */
import { beforeEach, describe, expect, test } from "vitest";
import {
  createResource,
  fakeDigest,
  newIdentity,
  newOrganization,
  type Organization,
} from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { newRepoIn, putIndex } from "../images/stored_images.ts";
import { grypeReport, matchOf, nvdRecord, packedReport } from "../vuln_reports/grype_reports.ts";

let organization: Organization;
let token: string;
let repo: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
  repo = await newRepoIn(organization);
});

const image = fakeDigest("image");

/** A package of Maven. */
const jar = (version: string, name = "log4j-core") => ({
  artifact: {
    name,
    version,
    purl: `pkg:maven/org.apache.logging.log4j/${name}@${version}`,
  },
});

interface Scan {
  at?: string;
  digest?: string;
  day?: number;
}

/** Stores the report of a scan and returns its uid. */
async function scan(matches: object[], { at = repo, digest = image, day = 1 }: Scan = {}) {
  const scanned = new Date(Date.UTC(2026, 4, day)).toISOString();
  const content = packedReport(grypeReport(matches, { scanned }));
  return (await createResource(`/registry/v2/vulnReports/${at}`, token, { digest, content })).uid;
}

const tag = (name: string, digest = image, at = repo) =>
  createResource(`/registry/v2/tags/${at}`, token, { name, digest });

const ask = (query: Record<string, string> = {}, as = token) =>
  callRest(`/registry/v2/findings?${new URLSearchParams(query)}`, { token: as });

async function found(query: Record<string, string> = {}) {
  const scope = { "uidp.descendants_of": organization.uid, ...query };
  const { status, body } = await ask(scope);
  expect(status, JSON.stringify(body)).toBe(200);
  return (body.findings ?? []) as Record<string, unknown>[];
}

const idsOf = (rows: Record<string, unknown>[]) =>
  rows.map(({ vulnerabilityId }) => vulnerabilityId).sort();

test("a finding names the repository, the image, its tags, the package, the fix and the scan", async () => {
  const reportUid = await scan([
    matchOf("GHSA-jfh8-c2jp-5v3q", "Critical", {
      ...jar("2.14.1"),
      related: [nvdRecord("CVE-2021-44228", "Log4Shell")],
      fix: { versions: ["2.15.0"], state: "fixed" },
    }),
  ]);
  await tag("2.0");
  await tag("1.0");
  const [{ name }] = (await sql<{ name: string }>(
    "select name from repos where uid = ?",
    repo,
  )) as [{ name: string }];
  expect(await found({ vulnerability: "cve-2021-44228" })).toEqual([
    {
      uid: expect.stringMatching(new RegExp(`^${repo}/[0-9a-f]{16}$`)),
      repoUid: repo,
      repoName: name,
      digest: image,
      tags: ["1.0", "2.0"],
      vulnerabilityId: "GHSA-jfh8-c2jp-5v3q",
      aliases: ["CVE-2021-44228"],
      severity: "FINDING_SEVERITY_CRITICAL",
      package: {
        name: "log4j-core",
        version: "2.14.1",
        purl: "pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1",
        type: "maven",
      },
      fixState: "FIX_STATE_FIXED",
      fixedVersions: ["2.15.0"],
      scanTime: "2026-05-01T00:00:00.000Z",
      scanner: "grype",
      scannerVersion: "0.92.0",
      reportUid,
      foundBy: "FOUND_BY_SCANNER",
      state: "FINDING_STATE_AFFECTED",
      foundTime: expect.any(String),
    },
  ]);
  expect(await found({ vulnerability: "GHSA-JFH8-C2JP-5V3Q" })).toHaveLength(1);
  expect(await found({ vulnerability: "CVE-2021-4422" })).toEqual([]);
});

describe("the ids of a vulnerability that advisories of the organization name", () => {
  const load = (records: object[], at = organization, as = token) =>
    createResource(`/vulnerabilities/v2/osvRecords/${at.uid}:import`, as, { records });
  const record = (id: string, aliases: string[]) => ({
    ...{ id, aliases, modified: "2026-01-01T00:00:00Z" },
    affected: [{ package: { ecosystem: "PyPI", name: "sample" } }],
  });

  test("find a report that names only one of them, and each finding once", async () => {
    await scan([
      matchOf("CVE-2026-10", "High", { related: [] }),
      matchOf("CVE-2026-11", "High", { related: [nvdRecord("GHSA-aaaa-bbbb-cccc", "")] }),
    ]);
    expect(await found({ vulnerability: "GHSA-aaaa-bbbb-cccc" })).toHaveLength(1);
    await load([record("GHSA-aaaa-bbbb-cccc", ["CVE-2026-10", "CVE-2026-11", "PYSEC-2026-1"])]);
    for (const id of ["ghsa-AAAA-bbbb-cccc", "CVE-2026-10", "PYSEC-2026-1"]) {
      const rows = await found({ vulnerability: id });
      expect(idsOf(rows)).toEqual(["CVE-2026-10", "CVE-2026-11"]);
    }
    const first = await ask({
      ...{ "uidp.descendants_of": organization.uid, page_size: "1" },
      vulnerability: "PYSEC-2026-1",
    });
    expect(first.body.nextPageToken).toBeTruthy();
    expect(await found({ vulnerability: "CVE-2026-12" })).toEqual([]);
  });

  test("do not count if they are of another organization", async () => {
    const other = await newOrganization();
    await scan([matchOf("CVE-2026-10", "High", { related: [] })]);
    await load([record("GHSA-aaaa-bbbb-cccc", ["CVE-2026-10"])], other, other.owner.token);
    expect(await found({ vulnerability: "GHSA-aaaa-bbbb-cccc" })).toEqual([]);
  });
});

describe("only the newest report of an image counts", () => {
  test("a later scan removes what it no longer finds, and keeps the uid of what it still finds", async () => {
    await scan([matchOf("CVE-1", "High"), matchOf("CVE-2", "High")]);
    const [before] = await found({ vulnerability: "CVE-2" });
    await scan([matchOf("CVE-2", "Low"), matchOf("CVE-3", "High")], { day: 2 });
    expect(idsOf(await found())).toEqual(["CVE-2", "CVE-3"]);
    const [after] = await found({ vulnerability: "CVE-2" });
    expect(after?.uid).toBe(before?.uid);
    expect(after).toMatchObject({ severity: "FINDING_SEVERITY_LOW" });
    expect(await found({ vulnerability: "CVE-1" })).toEqual([]);
  });

  test("an earlier scan that arrives later changes nothing", async () => {
    await scan([matchOf("CVE-2", "High")], { day: 2 });
    await scan([matchOf("CVE-1", "High")], { day: 1 });
    expect(idsOf(await found())).toEqual(["CVE-2"]);
  });

  test("a scan without vulnerabilities removes all findings of the image and of no other", async () => {
    await scan([matchOf("CVE-1", "High")]);
    await scan([matchOf("CVE-1", "High")], { digest: fakeDigest("other") });
    await scan([], { day: 2 });
    const rows = await found();
    expect(rows.map(({ digest }) => digest)).toEqual([fakeDigest("other")]);
  });

  test("a package in several places is one finding", async () => {
    await scan([matchOf("CVE-1", "Low"), matchOf("CVE-1", "High")]);
    expect(await found()).toMatchObject([{ severity: "FINDING_SEVERITY_HIGH" }]);
  });
});

describe("filters", () => {
  beforeEach(async () => {
    const unfixed = { fix: { versions: [], state: "not-fixed" } };
    await scan([
      matchOf("CVE-1", "Critical", { ...jar("2.14.1"), ...unfixed }),
      matchOf("CVE-2", "High", jar("2.14.1")),
      matchOf("CVE-3", "Low", jar("2.14.1", "log4j-api")),
      matchOf("CVE-4", "Negligible"),
      matchOf("CVE-5", "Unheard"),
    ]);
    await scan([matchOf("CVE-2", "Medium", jar("2.15.0"))], { digest: fakeDigest("other") });
  });

  const log4j = "pkg:maven/org.apache.logging.log4j/log4j-core";
  const severity = (name: string) => `FINDING_SEVERITY_${name}`;
  const atLeast = (name: string) => ({ min_severity: severity(name) });
  const filters: [string, Record<string, string>, string[]][] = [
    ["none", {}, ["CVE-1", "CVE-2", "CVE-2", "CVE-3", "CVE-4", "CVE-5"]],
    ["high", atLeast("HIGH"), ["CVE-1", "CVE-2"]],
    ["low", atLeast("LOW"), ["CVE-1", "CVE-2", "CVE-2", "CVE-3"]],
    ["negligible", atLeast("NEGLIGIBLE"), ["CVE-1", "CVE-2", "CVE-2", "CVE-3", "CVE-4"]],
    ["a fix", { has_fix: "true" }, ["CVE-2", "CVE-2", "CVE-3", "CVE-4", "CVE-5"]],
    ["no fix", { has_fix: "false" }, ["CVE-1"]],
    ["a fix and high", { has_fix: "true", ...atLeast("HIGH") }, ["CVE-2"]],
    [
      "a fix and negligible",
      { has_fix: "true", ...atLeast("NEGLIGIBLE") },
      ["CVE-2", "CVE-2", "CVE-3", "CVE-4"],
    ],
    ["a package", { purl: log4j }, ["CVE-1", "CVE-2", "CVE-2"]],
    ["a package in a version", { purl: `${log4j}@2.15.0` }, ["CVE-2"]],
    ["a package and an id", { purl: log4j, vulnerability: "CVE-1" }, ["CVE-1"]],
    ["an id and high", { vulnerability: "CVE-2", ...atLeast("HIGH") }, ["CVE-2"]],
    ["an id without a fix", { vulnerability: "CVE-2", has_fix: "false" }, []],
    ["a package that no image has", { purl: "pkg:npm/log4j-core" }, []],
    ["a qualifier that the package does not have", { purl: `${log4j}?type=jar` }, []],
    ["one severity", { severities: severity("MEDIUM") }, ["CVE-2"]],
    ["an unknown severity", { severities: severity("UNKNOWN") }, ["CVE-5"]],
    ["one severity and a fix", { severities: severity("UNKNOWN"), has_fix: "true" }, ["CVE-5"]],
    ["one severity below the lowest", { severities: severity("LOW"), ...atLeast("HIGH") }, []],
    [
      "an id and one severity",
      { severities: severity("MEDIUM"), vulnerability: "CVE-2" },
      ["CVE-2"],
    ],
  ];

  test("several severities", async () => {
    const query = new URLSearchParams({ "uidp.descendants_of": organization.uid });
    for (const one of ["CRITICAL", "LOW"]) query.append("severities", `FINDING_SEVERITY_${one}`);
    const { body } = await callRest(`/registry/v2/findings?${query}`, { token });
    expect(idsOf(body.findings)).toEqual(["CVE-1", "CVE-3"]);
  });

  test("the findings of one image of a repository, page by page and with other filters", async () => {
    const ofImage = { "uidp.children_of": repo, digest: image };
    const first = (await ask({ ...ofImage, page_size: "3" })).body;
    const rest = (await ask({ ...ofImage, page_size: "3", page_token: first.nextPageToken })).body;
    expect(first.findings).toHaveLength(3);
    expect(rest.nextPageToken).toBeUndefined();
    const all = [...first.findings, ...rest.findings];
    expect(idsOf(all)).toEqual(["CVE-1", "CVE-2", "CVE-3", "CVE-4", "CVE-5"]);
    expect(all.map(({ digest }) => digest)).toEqual(all.map(() => image));
    const high = await ask({ ...ofImage, severities: "FINDING_SEVERITY_HIGH" });
    expect(idsOf(high.body.findings)).toEqual(["CVE-2"]);
    const id = await ask({ ...ofImage, vulnerability: "CVE-2" });
    expect(idsOf(id.body.findings)).toEqual(["CVE-2"]);
    expect((await ask({ ...ofImage, digest: fakeDigest("none") })).body.findings).toBeUndefined();
    const elsewhere = { ...ofImage, "uidp.children_of": await newRepoIn(organization) };
    expect((await ask(elsewhere)).body.findings).toBeUndefined();
  });

  test("refuses a digest without a repository", async () => {
    const { status, body } = await ask({ digest: image });
    expect(status).toBe(400);
    expect(body.details[1].fieldViolations[0].field).toBe("digest");
  });

  test.each(filters)("%s, one row on each page", async (_, query, ids) => {
    const seen: Record<string, unknown>[] = [];
    const scope = { "uidp.descendants_of": organization.uid, page_size: "1", ...query };
    let page = (await ask(scope)).body;
    for (let i = 0; i < 10 && page; i += 1) {
      seen.push(...(page.findings ?? []));
      if (!page.nextPageToken) break;
      page = (await ask({ ...scope, page_token: page.nextPageToken })).body;
    }
    expect(idsOf(seen)).toEqual(ids);
  });

  test.each(["log4j", "pkg:", "pkg:npm/a?vers=vers:npm/<2"])(
    "refuses the package URL %s",
    async (purl) => {
      const { status, body } = await ask({ purl });
      expect(status).toBe(400);
      expect(body.details[1].fieldViolations[0].field).toBe("purl");
    },
  );
});

describe("scopes", () => {
  test("a repository, a group, and only what the caller may see", async () => {
    const group = (
      await createResource(`/iam/v2/groups/${organization.uid}`, token, { name: "team" })
    ).uid;
    const inGroup = (await createResource(`/registry/v2/repos/${group}`, token, { name: "app" }))
      .uid;
    await scan([matchOf("CVE-1", "High")]);
    await scan([matchOf("CVE-1", "High"), matchOf("CVE-2", "High")], { at: inGroup });
    expect(await found({ vulnerability: "CVE-1" })).toHaveLength(2);
    const ofGroup = { "uidp.descendants_of": group };
    expect(await found({ ...ofGroup, vulnerability: "CVE-1" })).toHaveLength(1);
    const children = async (uid: string, query: Record<string, string> = {}) =>
      (await ask({ "uidp.children_of": uid, ...query })).body.findings?.length ?? 0;
    expect(await children(inGroup)).toBe(2);
    expect(await children(inGroup, { vulnerability: "CVE-1" })).toBe(1);
    expect(await children(inGroup, { min_severity: "FINDING_SEVERITY_HIGH" })).toBe(2);
    expect(await children(group)).toBe(0);
    const member = await newIdentity(organization, "viewer", { group });
    expect((await ask({ vulnerability: "CVE-1" }, member.token)).body.findings).toHaveLength(1);
    const above = { "uidp.children_of": repo };
    expect((await ask(above, member.token)).status).toBe(403);
  });
});

describe("tags", () => {
  test("a tag of an index leads to the image in it, and tagged_only leaves out all other images", async () => {
    await scan([matchOf("CVE-1", "High")]);
    await scan([matchOf("CVE-1", "High")], { digest: fakeDigest("untagged") });
    const index = await putIndex(organization, repo, [["amd64", image]]);
    expect(await found({ tagged_only: "true" })).toEqual([]);
    await tag("latest", index);
    await tag("direct");
    expect(await found({ tagged_only: "true" })).toMatchObject([
      { digest: image, tags: ["direct", "latest"] },
    ]);
    const all = await found({ vulnerability: "CVE-1" });
    expect(all.find(({ digest }) => digest !== image)).not.toHaveProperty("tags");
    await tag("latest", fakeDigest("elsewhere"));
    await tag("direct", fakeDigest("elsewhere"));
    expect(await found({ tagged_only: "true" })).toEqual([]);
  });

  test("a tag of another repository with the same digest does not count", async () => {
    await scan([matchOf("CVE-1", "High")]);
    await tag("latest", image, await newRepoIn(organization));
    expect(await found({ tagged_only: "true" })).toEqual([]);
  });
});

test("deleting a repository deletes its findings and their ids", async () => {
  await scan([matchOf("CVE-1", "High")]);
  const { status } = await callRest(`/registry/v2/repos/${repo}`, { token, method: "DELETE" });
  expect(status).toBe(200);
  for (const table of ["examined_images", "findings", "finding_ids"]) {
    const range = [`${repo}/`, `${repo}0`];
    expect(await sql(`select uid from ${table} where uid > ? and uid < ?`, ...range)).toEqual([]);
  }
});
