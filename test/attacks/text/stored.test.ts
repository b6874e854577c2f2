/** Texts that were stored before such texts were refused: no list, export or event fails because of them. */
import { gunzipSync, gzipSync } from "node:zlib";
import { createClient } from "@connectrpc/connect";
import { beforeAll, describe, expect, test } from "vitest";
import { GroupsService } from "../../../schema/gen/platform/iam/v2/groups_pb.js";
import { AdvisoriesService } from "../../../schema/gen/platform/vulnerabilities/v2/advisories_pb.js";
import { callFeed, importRecords, osvRecordOf, publicGroup } from "../../advisory/public_feed.ts";
import { newRepoIn, putManifest, putSbom } from "../../registry/images/stored_images.ts";
import { spdxDocument } from "../../registry/sboms/documents.ts";
import { grypeReport, matchOf, packedReport } from "../../registry/vuln_reports/grype_reports.ts";
import { insertAdvisory } from "../../vulnerabilities/advisories/stored_advisories.ts";
import { insertRow } from "../../vulnerabilities/callers.ts";
import {
  createResource,
  newOrganization,
  type Organization,
  randomName,
} from "../../world/personas.ts";
import { baseUrl, callRest, sql, transports } from "../../world/platform.ts";

/** Half of a surrogate pair as an escape in JSON, and as the bytes that SQLite stores for it. */
const half = "\\ud83d";
const bytes = "cast(x'61eda0bd62' as text)";

let organization: Organization;
let repo: string;
let digest: string;
let token: string;
let advisory: string;
let robot: string;

const falsePositive = 4;

/** The rows of an organization, with a bad text in every column that can have one. */
async function poison() {
  organization = await newOrganization();
  token = organization.owner.token;
  const { uid } = organization;
  repo = await newRepoIn(organization);
  digest = await putManifest(
    organization,
    repo,
    JSON.stringify({ architecture: "amd64", config: { Env: ["A=~"], Labels: { "~": "~" } } }),
  );
  await putSbom(organization, repo, digest, spdxDocument());
  const report = { digest, content: packedReport(grypeReport([matchOf("CVE-2024-0001", "High")])) };
  await createResource(`/registry/v2/vulnReports/${repo}`, token, report);
  const claimMatch = { issuer: "https://a.example", subject: "~", claims: { "~": "~" } };
  ({ uid: robot } = await createResource(`/iam/v2/identities/${uid}`, token, {
    name: "robot",
    claimMatch,
  }));
  advisory = await insertAdvisory(uid, { aliases: `["${half}"]` }, [
    { type: falsePositive, detail: `{"note":"a${half}b"}` },
  ]);
  const document = gzipSync(JSON.stringify(spdxDocument()).replaceAll("apk", half));
  const [stored] = await sql<{ findings: string }>(
    "select findings from vuln_reports where parent = ?",
    repo,
  );
  const found = gunzipSync(Buffer.from(stored?.findings ?? "", "base64")).toString();
  const findings = gzipSync(found.replaceAll("What", half)).toString("base64");
  const overlay = `{"environment":{"A${half}":"${half}"}}`;
  const changes: [string, ...unknown[]][] = [
    [`update advisories set artifact_name = ${bytes}, author = ${bytes} where uid = ?`, advisory],
    [`update advisory_events set author = ${bytes} where advisory_uid = ?`, advisory],
    ["insert into osv_records (uid, record) values (?, ?)", advisory, `{"id":"${half}"}`],
    [`update groups set description = ${bytes} where uid = ?`, uid],
    [`update repos set custom_overlay = ?, readme = ${bytes} where uid = ?`, overlay, repo],
    ["update repos set aliases = ? where uid = ?", `["${half}"]`, repo],
    ["update manifests set config = replace(config, '~', ?) where parent = ?", half, repo],
    [
      "update identities set relationship = replace(relationship, '~', ?) where uid = ?",
      half,
      robot,
    ],
    ["update sboms set content = ? where parent = ?", document.toString("base64"), repo],
    ["update vuln_reports set findings = ? where parent = ?", findings, repo],
  ];
  for (const [query, ...values] of changes) await sql(query, ...values);
  const accounts = `{"azure":{"tenantId":"${half}","clientIds":{"${half}":"${half}"}}}`;
  const times = { create_time: 1, update_time: 1 };
  await insertRow("account_associations", { uid, name: "links", accounts, ...times });
}

beforeAll(poison);

/**
 * Reads of these rows over REST, by the uid of the organization, the repository, its image and the advisory.
 */
const reads: [string, () => string][] = [
  ["advisories", () => `/vulnerabilities/v2/advisories?uidp.children_of=${organization.uid}`],
  ["all advisories", () => "/vulnerabilities/v2/advisories"],
  ["advisories in order", () => "/vulnerabilities/v2/advisories?order_by=artifact_name"],
  ["advisories of version 1", () => `/vulnerabilities/v1/advisories?id=${advisory}`],
  ["all advisories of version 1", () => "/vulnerabilities/v1/advisories"],
  ["events of version 1", () => `/vulnerabilities/v1/advisories/${advisory}/events`],
  ["an advisory", () => `/vulnerabilities/v2/advisories/${advisory}`],
  ["an advisory as OSV", () => `/vulnerabilities/v2/advisories/${advisory}?format=osv`],
  ["an advisory as OpenVEX", () => `/vulnerabilities/v2/advisories/${advisory}?format=openvex`],
  ["a group", () => `/iam/v2/groups/${organization.uid}`],
  ["groups", () => "/iam/v2/groups"],
  ["a repo", () => `/registry/v2/repos/${repo}`],
  ["repos", () => "/registry/v2/repos"],
  ["repos of version 1", () => "/registry/v1/repos"],
  ["identities", () => "/iam/v2/identities"],
  ["identities of version 1", () => "/iam/v1/identities"],
  ["account associations", () => "/iam/v2/accountAssociations"],
  ["account associations of version 1", () => "/iam/v1/account_associations"],
  ["a report of version 1", () => `/registry/v1/repos/${repo}/digests/${digest}/vulnreport`],
  ["an image's configuration", () => `/registry/v1/repos/${repo}/digests/${digest}/imageconfig`],
  ["an SBOM of version 1", () => `/registry/v1/repos/${repo}/digests/${digest}/sbom`],
];

describe("over REST, with well-formed text", () => {
  test.each(reads)("%s", async (_, path) => {
    const response = await fetch(`${baseUrl()}${path()}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const text = await response.text();
    expect([response.status, response.ok ? "" : text]).toEqual([200, ""]);
    expect(text).not.toMatch(/\\u[dD][89a-fA-F]/);
    expect(text).toContain("\ufffd");
  });
});

test.each(["connect", "connectJson", "grpcWeb"] as const)(
  "over %s, with well-formed text",
  async (way) => {
    const transport = transports(token)[way];
    const { advisories } = await createClient(AdvisoriesService, transport).listAdvisories({});
    const [event] = advisories[0]?.events ?? [];
    expect(event?.type.value).toMatchObject({ note: "a\ufffdb" });
    const { groups } = await createClient(GroupsService, transport).listGroups({});
    expect(groups[0]?.description).toContain("\ufffd");
  },
);

test("paging continues past these rows", async () => {
  const { uid } = organization;
  for (const name of ["a", "b"]) await insertAdvisory(uid, { artifact_name: name });
  for (const order of ["artifact_name", "artifact_name desc"]) {
    const seen: string[] = [];
    let next = "";
    do {
      const query = `uidp.children_of=${uid}&page_size=1&order_by=${order}&page_token=${next}`;
      const { status, body } = await callRest(`/vulnerabilities/v2/advisories?${query}`, { token });
      expect(status, JSON.stringify(body)).toBe(200);
      seen.push(...body.advisories.map((one: { uid: string }) => one.uid));
      next = body.nextPageToken ?? "";
    } while (next !== "" && seen.length < 5);
    expect([order, new Set(seen).size, seen.length]).toEqual([order, 3, 3]);
  }
});

test("the event of a change to such a row is well-formed", async () => {
  const body = { description: "changed" };
  const changed = await callRest(`/iam/v2/identities/${robot}`, { method: "PATCH", token, body });
  expect([changed.status, changed.body.message]).toEqual([200, undefined]);
  const [event] = await sql<{ data: string }>(
    "select data from events where subject = ? order by rowid desc limit 1",
    robot,
  );
  const change = JSON.parse(event?.data ?? "").body;
  expect(change.claimMatch).toMatchObject({ subject: "\ufffd", claims: { "\ufffd": "\ufffd" } });
});

test("the public feed returns these rows with well-formed text", async () => {
  const { group, token: owner } = await publicGroup();
  const origin = randomName("package");
  await importRecords(owner, group, osvRecordOf(origin));
  await sql(
    `update advisory_events set detail = ? where type = ? and advisory_uid in (
      select uid from advisories where origin = ?)`,
    `{"fixedVersion":"${half}"}`,
    3,
    origin,
  );
  const { status, body } = await callFeed(`documents?id=${origin}`);
  expect([status, JSON.stringify(body)]).toEqual([200, expect.stringContaining("\ufffd")]);
});
