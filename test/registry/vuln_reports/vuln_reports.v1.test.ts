/** The report of one image in one repository, from Registry.GetVulnReport. */
import { beforeEach, expect, test } from "vitest";
import {
  createResource,
  fakeDigest,
  newOrganization,
  type Organization,
} from "../../world/personas.ts";
import { callRest, costOf } from "../../world/platform.ts";
import { cvssScore, grypeReport, matchOf, nvdRecord, packedReport } from "./grype_reports.ts";

const digest = fakeDigest("image");

let organization: Organization;
let token: string;
let repo: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
  repo = (await createResource(`/registry/v2/repos/${organization.uid}`, token, { name: "app" }))
    .uid;
});

const scan = (report: object, of = digest) =>
  createResource(`/registry/v2/vulnReports/${repo}`, token, {
    digest: of,
    content: packedReport(report),
  });
const get = (of = digest, repoId = repo) =>
  callRest(`/registry/v1/repos/${repoId}/digests/${of}/vulnreport`, { token });

test("the vulnerability report has all fields of the newest scan", async () => {
  const match = matchOf("GHSA-aaaa", "High", {
    namespace: "github:language:go",
    description: "In short.",
    urls: ["https://example.com/a"],
    cvss: [cvssScore(8.1)],
    fix: { versions: ["1.2.3"], state: "fixed" },
    advisories: [{ id: "A-1", link: "https://example.com/A-1" }],
    related: [nvdRecord("CVE-2024-0001", "At length.", [cvssScore(9.8)])],
  });
  const report = grypeReport([match], { scanned: "2026-05-02T00:00:00Z" });
  await scan(grypeReport([], { scanned: "2026-05-01T00:00:00Z" }));
  const { uid, createTime } = await scan(report);
  await scan(grypeReport([], { scanned: "2026-04-01T00:00:00Z" }));
  const answer = await get();
  expect(answer.body).toEqual({
    id: uid,
    vulnerabilityDbLastBuildTime: "2026-04-30T01:02:03.000Z",
    vulnerabilityMatches: [
      {
        vulnerability: {
          id: "GHSA-aaaa",
          description: "In short.",
          severity: "HIGH",
          source: "github:language:go",
          cvss: [{ score: "8.1", version: "3.1" }],
          cpeUri: ["cpe:2.3:a:libssl3:libssl3:3.0.11-1:*:*:*:*:*:*:*"],
          relatedUrls: [
            "https://security-tracker.debian.org/tracker/GHSA-aaaa",
            "https://example.com/a",
            "https://example.com/A-1",
          ],
          advisories: { "A-1": "https://example.com/A-1" },
          relatedVulnerabilities: [{ id: "CVE-2024-0001", source: "nvd:cpe" }],
          displayId: "CVE-2024-0001",
        },
        pkg: {
          id: "libssl3-id",
          name: "libssl3",
          version: "3.0.11-1",
          license: "GPL-2.0-only AND MIT",
          purl: "pkg:deb/debian/libssl3@3.0.11-1?arch=amd64&distro=debian-12",
        },
        fix: { versions: ["1.2.3"], state: "FIXED" },
      },
    ],
    scanner: { name: "grype", version: "0.92.0" },
    reportGeneration: "2026-05-02T00:00:00.000Z",
    rawVulnReport: Buffer.from(JSON.stringify(report)).toString("base64"),
    lastSeen: createTime,
  });
  expect(costOf(answer).roundTrips).toBe(1);
});

test("the report lists a match for each package, with texts and scores of related records", async () => {
  const packages = ["a", "b"].map((name) =>
    matchOf("CVE-2024-0001", "Medium", { artifact: { name }, namespace: "" }),
  );
  await scan(grypeReport(packages));
  const { body } = await get();
  expect(body.vulnerabilityMatches).toHaveLength(2);
  expect(body.vulnerabilityMatches[1]).toMatchObject({
    vulnerability: {
      description: "What CVE-2024-0001 is.",
      source: "https://security-tracker.debian.org/tracker/CVE-2024-0001",
      cvss: [{ score: "9.8", version: "3.1" }],
      displayId: "CVE-2024-0001",
    },
    pkg: { name: "b" },
  });
});

test("has no negligible vulnerabilities, because they are low, and those without an assessment are unknown", async () => {
  const severities = ["Negligible", "Low", "Critical", "Unknown"];
  await scan(grypeReport(severities.map((one, i) => matchOf(`CVE-2024-000${i}`, one))));
  const { body } = await get();
  expect(
    body.vulnerabilityMatches.map(
      (one: { vulnerability: { severity: string } }) => one.vulnerability.severity,
    ),
  ).toEqual(["LOW", "LOW", "CRITICAL", undefined]);
});

test("leaves out a fix that the report does not contain", async () => {
  await scan(grypeReport([{ vulnerability: { id: "X-1" }, artifact: { name: "a" } }]));
  const [match] = (await get()).body.vulnerabilityMatches;
  expect(match.fix).toBeUndefined();
  expect(match.vulnerability).toEqual({ id: "X-1", displayId: "X-1" });
});

test("is empty for an image without one, and for an unknown repository", async () => {
  await scan(grypeReport([]));
  const gone = `${organization.uid}/${"0".repeat(16)}`;
  for (const answer of [await get(fakeDigest("other")), await get(digest, gone)]) {
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({});
  }
});

test("a malformed digest is rejected", async () => {
  const { status, body } = await get("sha256:0");
  expect(status).toBe(400);
  expect(body.details[1].fieldViolations).toMatchObject([{ field: "digest" }]);
});
