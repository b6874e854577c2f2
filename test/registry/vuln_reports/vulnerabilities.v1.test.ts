/** Reports of vulnerability scans in version 1. */

import { beforeEach, describe, expect, test } from "vitest";
import { Registry } from "../../../schema/gen/platform/registry/registry_pb.js";
import { Vulnerabilities } from "../../../schema/gen/platform/registry/vulnerabilities_pb.js";
import {
  createResource,
  fakeDigest,
  newIdentity,
  newOrganization,
  type Organization,
} from "../../world/personas.ts";
import { callRest, clientOf, costOf, sql, tokenFor } from "../../world/platform.ts";
import {
  cvssScore,
  debianPackage,
  grypeReport,
  matchOf,
  nvdRecord,
  packedReport,
} from "./grype_reports.ts";

/** Names of members that every JavaScript object has. */
const inherited: [word: string, expected: undefined][] = [
  ["constructor", undefined],
  ["__proto__", undefined],
  ["toString", undefined],
];

const [one, two] = [fakeDigest("one"), fakeDigest("two")];

let organization: Organization;
let token: string;
let repo: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
  repo = (await createResource(`/registry/v2/repos/${organization.uid}`, token, { name: "app" }))
    .uid;
});

/** Stores a report and returns its uid. */
async function scan(
  digest: string,
  matches: object[],
  more: Parameters<typeof grypeReport>[1] = {},
  where = { repo, token },
) {
  const content = packedReport(grypeReport(matches, more));
  const path = `/registry/v2/vulnReports/${where.repo}`;
  return (await createResource(path, where.token, { digest, content })).uid;
}

const at = (day: number) => `2026-05-0${day}T00:00:00.000Z`;
const list = (query: string, as = token) =>
  callRest(`/registry/v1/vuln_reports?${query}`, { token: as });
const raw = (query: string, as = token) =>
  callRest(`/registry/v1/vuln_reports/raw?${query}`, { token: as });

/** The times of the listed scans. */
async function times(query: string, as = token) {
  const { status, body } = await list(query, as);
  expect(status, JSON.stringify(body)).toBe(200);
  return (body.items ?? []).map(({ createdAt }: { createdAt: string }) => createdAt);
}

const full = matchOf("CVE-2024-0001", "Critical", {
  description: "In short.",
  urls: ["https://example.com/a"],
  fix: { versions: ["3.0.13-1", "3.1.5"], state: "fixed" },
  advisories: [{ id: "DSA-1", link: "https://example.com/DSA-1" }],
  related: [
    nvdRecord("CVE-2024-0001", "At length.", [cvssScore(9.8), cvssScore(7.5, "2.0")]),
    nvdRecord("GHSA-aaaa", "At length."),
  ],
});

describe("ListVulnReports", () => {
  test("returns every field of a report", async () => {
    await scan(one, [full], { scanned: at(1) });
    const { body } = await list(`digest=${one}`);
    expect(body).toEqual({
      items: [
        {
          digest: one,
          scanner: {
            name: "GRYPE",
            version: "0.92.0",
            dbBuildTime: "2026-04-30T01:02:03.000Z",
          },
          createdAt: at(1),
          vulnerabilities: [
            {
              id: "CVE-2024-0001",
              aliases: ["GHSA-aaaa"],
              purls: ["pkg:deb/debian/libssl3@3.0.11-1?arch=amd64&distro=debian-12"],
              description: "In short.",
              details: "At length.",
              severity: "CRITICAL",
              cvss: [
                { score: "9.8", version: "3.1" },
                { score: "7.5", version: "2.0" },
              ],
              fix: { versions: ["3.0.13-1", "3.1.5"], state: "FIXED" },
              relatedUrls: [
                "https://security-tracker.debian.org/tracker/CVE-2024-0001",
                "https://example.com/a",
                "https://example.com/DSA-1",
              ],
              locations: ["/var/lib/dpkg/status", "/usr/share/doc/libssl3/copyright"],
            },
          ],
        },
      ],
    });
  });

  test("lists a vulnerability once for all packages with the same facts", async () => {
    const of = (name: string, fix: object) =>
      matchOf("CVE-2024-0001", "High", { artifact: debianPackage(name, "1"), fix });
    const fixed = { versions: ["2"], state: "fixed" };
    const open = { versions: [], state: "not-fixed" };
    await scan(one, [of("libssl3", fixed), of("openssl", fixed), of("libcrypto", open)]);
    const { body } = await list(`digest=${one}`);
    const [shared, alone] = body.items[0].vulnerabilities;
    expect(shared.purls.map((purl: string) => purl.slice(15, 22))).toEqual(["libssl3", "openssl"]);
    expect(shared.locations).toHaveLength(3);
    expect(shared.fix).toEqual({ versions: ["2"], state: "FIXED" });
    expect(alone).toMatchObject({ fix: { state: "NOT_FIXED" } });
    expect(body.items[0].vulnerabilities).toHaveLength(2);
  });

  test.each([
    ["Negligible", "NEGLIGIBLE"],
    ["Low", "LOW"],
    ["medium", "MEDIUM"],
    ["High", "HIGH"],
    ["CRITICAL", "CRITICAL"],
    ["Unknown", undefined],
    ["Whatever", undefined],
    ...inherited,
    [undefined, undefined],
  ])("severity %s is %s, and UNKNOWN is left out", async (given, shown) => {
    await scan(one, [matchOf("CVE-2024-0001", given as string)]);
    const { body } = await list(`digest=${one}`);
    expect(body.items[0].vulnerabilities[0].severity).toBe(shown);
  });

  test.each([["wont-fix", "WONT_FIX"], ["unknown", undefined], ...inherited])(
    "a fix that is %s is %s",
    async (state, shown) => {
      await scan(one, [matchOf("CVE-2024-0001", "Low", { fix: { versions: [], state } })]);
      const { body } = await list(`digest=${one}`);
      expect(body.items[0].vulnerabilities[0].fix.state).toBe(shown);
    },
  );

  test("returns a report with few fields unchanged", async () => {
    const bare = { vulnerability: { id: "GHSA-x" }, artifact: { name: "left-pad" } };
    await scan(one, [bare], { db: {} });
    const { body } = await list(`digest=${one}`);
    expect(body.items[0].scanner).toEqual({ name: "GRYPE", version: "0.92.0" });
    const [vulnerability] = body.items[0].vulnerabilities;
    expect(vulnerability).toEqual({ id: "GHSA-x" });
  });

  test("lists all images of a repository, newest scan first, or the current image of a tag", async () => {
    await scan(one, [], { scanned: at(1) });
    await scan(two, [], { scanned: at(3) });
    await scan(one, [], { scanned: at(2) });
    expect(await times(`repo_id=${repo}`)).toEqual([at(3), at(2), at(1)]);
    await createResource(`/registry/v2/tags/${repo}`, token, { name: "latest", digest: two });
    await createResource(`/registry/v2/tags/${repo}`, token, { name: "latest", digest: one });
    expect(await times(`repoId=${repo}&tag=latest`)).toEqual([at(2), at(1)]);
    expect(await times(`repoId=${repo}&tag=none`)).toEqual([]);
    expect(costOf(await list(`repo_id=${repo}`)).roundTrips).toBe(1);
  });

  test("prefers a digest to repository and tag", async () => {
    await scan(one, [], { scanned: at(1) });
    const elsewhere = `${organization.uid}/${"0".repeat(16)}`;
    expect(await times(`digest=${one}&repo_id=${elsewhere}&tag=none`)).toEqual([at(1)]);
  });

  test("the filters by scanner and time, alone and together", async () => {
    const newer = { descriptor: { version: "0.93.0" }, db: { built: "2026-05-02T00:00:00Z" } };
    await scan(one, [], { scanned: at(1) });
    await scan(one, [], { scanned: at(2), ...newer });
    await scan(one, [], { scanned: at(3), descriptor: { version: "0.93.0" } });
    for (const scope of [`digest=${one}`, `repo_id=${repo}`]) {
      const by = (query: string) => times(`${scope}&${query}`);
      expect(await by("scanner.name=GRYPE")).toHaveLength(3);
      expect(await by("scanner.name=TRIVY")).toEqual([]);
      expect(await by("scanner.name=UNKNOWN&scanner.version=0.92.0")).toEqual([at(1)]);
      expect(await by("scanner.version=0.93.0")).toEqual([at(3), at(2)]);
      expect(await by("scanner.db_build_time=2026-05-02T00:00:00Z")).toEqual([at(2)]);
      expect(await by(`created_since=${at(1)}`)).toEqual([at(3), at(2)]);
      expect(await by(`createdSince=${at(2)}&scanner.version=0.93.0`)).toEqual([at(3)]);
      expect(await by(`createdSince=${at(2)}&scanner.version=0.92.0`)).toEqual([]);
    }
  });

  test("lists a report of several repositories once", async () => {
    const other = await createResource(`/registry/v2/repos/${organization.uid}`, token, {
      name: "copy",
    });
    await scan(one, [full], { scanned: at(1) });
    await scan(one, [full], { scanned: at(1) }, { repo: other.uid, token });
    expect(await times(`digest=${one}`)).toEqual([at(1)]);
  });

  test("rejects a response that is too large, unless it is a single report", async () => {
    const uid = await scan(one, [full], { scanned: at(1) });
    await scan(one, [], { scanned: at(2) });
    await sql("update vuln_reports set finding_bytes = 9000000 where uid = ?", uid);
    expect(await times(`digest=${one}`)).toHaveLength(2);
    await scan(one, [], { scanned: "2026-04-01T00:00:00Z" });
    const { status, body } = await list(`repo_id=${repo}`);
    expect(status).toBe(429);
    expect(body.message).toMatch(/created_since/);
    expect(await times(`digest=${one}&created_since=${at(1)}`)).toEqual([at(2)]);
  });

  test.each([
    ["", "repo_id"],
    ["tag=latest", "repo_id"],
    ["digest=latest", "digest"],
    ["repo_id=app", "repo_id"],
    ["digest=sha256:0&repo_id=app", "digest"],
  ])("is rejected with ?%s, naming the field", async (query, field) => {
    const { status, body } = await list(query);
    expect(status).toBe(400);
    expect(body.details[1].fieldViolations).toMatchObject([{ field }]);
  });
});

describe("GetRawVulnReport", () => {
  test("is the newest, or the one of a time, byte for byte", async () => {
    const scans = [1, 3, 2].map((day) => grypeReport([full], { scanned: at(day) }));
    for (const report of scans) {
      const body = { digest: one, content: packedReport(JSON.stringify(report, null, 2)) };
      await createResource(`/registry/v2/vulnReports/${repo}`, token, body);
    }
    const scanner = { name: "GRYPE", version: "0.92.0", dbBuildTime: "2026-04-30T01:02:03.000Z" };
    const shown = (index: number, createdAt: string) => ({
      digest: one,
      scanner,
      createdAt,
      rawReport: JSON.stringify(scans[index], null, 2),
    });
    expect((await raw(`digest=${one}`)).body).toEqual(shown(1, at(3)));
    expect((await raw(`digest=${one}&scanner=GRYPE&createdAt=${at(1)}`)).body).toEqual(
      shown(0, at(1)),
    );
    expect(costOf(await raw(`digest=${one}`)).roundTrips).toBe(2);
  });

  test("is empty if there is none", async () => {
    await scan(one, [], { scanned: at(1) });
    for (const query of [
      `digest=${two}`,
      `digest=${one}&scanner=TRIVY`,
      `digest=${one}&created_at=${at(2)}`,
    ]) {
      const { status, body } = await raw(query);
      expect(status).toBe(200);
      expect(body).toEqual({});
    }
  });
});

describe("access to reports", () => {
  test("by digest does not include those of another organization", async () => {
    const stranger = await newOrganization();
    await scan(one, [full], { scanned: at(1) });
    expect(await times(`digest=${one}`, stranger.owner.token)).toEqual([]);
    expect((await raw(`digest=${one}`, stranger.owner.token)).body).toEqual({});
  });

  test("through a grant on a group includes its repositories and no others, and a narrowed token its repository", async () => {
    const group = await createResource(`/iam/v2/groups/${organization.uid}`, token, {
      name: "team",
    });
    const inner = (await createResource(`/registry/v2/repos/${group.uid}`, token, { name: "app" }))
      .uid;
    await scan(one, [], { scanned: at(1) });
    await scan(one, [], { scanned: at(2) }, { repo: inner, token });
    const viewer = await newIdentity(organization, "viewer", { bindAt: group.uid });
    expect(await times(`digest=${one}`, viewer.token)).toEqual([at(2)]);
    expect(await times(`repo_id=${inner}`, viewer.token)).toEqual([at(2)]);
    expect((await list(`repo_id=${repo}`, viewer.token)).status).toBe(403);
    const narrowed = await tokenFor(organization.owner.uid, { scopes: [repo] });
    expect(await times(`digest=${one}`, narrowed)).toEqual([at(1)]);
  });
});

test.each(inherited)(
  "%s is neither a severity nor a fix state over Connect either",
  async (word) => {
    await scan(one, [matchOf("CVE-2024-0001", word, { fix: { versions: [], state: word } })]);
    const [stored] = await sql("select counts from vuln_reports where parent = ?", repo);
    expect(stored?.counts).toBe('{"0":1}');
    const { items } = await clientOf(Vulnerabilities, token).listVulnReports({ digest: one });
    expect(items[0]?.vulnerabilities[0]).toMatchObject({ severity: 0, fix: { state: 0 } });
    const image = { repoId: repo, digest: one };
    const { vulnerabilityMatches } = await clientOf(Registry, token).getVulnReport(image);
    expect(vulnerabilityMatches[0]?.vulnerability?.severity).toBe(0);
    expect(vulnerabilityMatches[0]?.fix?.state).toBe(0);
    const { body } = await callRest(`/registry/v1/repos/${repo}/digests/${one}/vulnreport`, {
      token,
    });
    expect(body.vulnerabilityMatches[0].fix).toEqual({});
  },
);
