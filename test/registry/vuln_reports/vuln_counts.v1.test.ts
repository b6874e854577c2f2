/** Vulnerability counts over time for the images that a tag pointed to. */
import { beforeEach, describe, expect, test } from "vitest";
import { Vulnerabilities } from "../../../schema/gen/platform/registry/vulnerabilities_pb.js";
import {
  createResource,
  fakeDigest,
  newIdentity,
  newOrganization,
  type Organization,
} from "../../world/personas.ts";
import { callRest, clientOf, costOf, sql, tokenFor } from "../../world/platform.ts";
import { grypeReport, matchOf, packedReport } from "./grype_reports.ts";

const [one, two] = [fakeDigest("one"), fakeDigest("two")];
/** A time on a day in May. */
const at = (day: number, hour = 0) => new Date(Date.UTC(2026, 4, day, hour)).toISOString();

let organization: Organization;
let token: string;
/** `app:latest` pointed to `one` since the 2nd and to `two` since the 5th. */
let repo: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
  await move("latest", [2, one], [5, two]);
  const { body } = await callRest(`/registry/v2/repos?uidp.children_of=${organization.uid}`, {
    token,
  });
  repo = body.repos[0].uid;
});

async function move(tag: string, ...days: [number, string][]) {
  const moves = days.map(([day, digest]) => ({ repo: "app", tag, updateTime: at(day), digest }));
  await createResource(`/registry/v2/tagMoves/${organization.uid}:import`, token, { moves });
}

const scan = (digest: string, scanned: string, matches: object[] = [], of = repo, more = {}) =>
  createResource(`/registry/v2/vulnReports/${of}`, token, {
    digest,
    content: packedReport(grypeReport(matches, { scanned, ...more })),
  });

const ask = (query: string, as = token, path = "counts") =>
  callRest(`/registry/v1/vuln_reports/${path}?${query}`, { token: as });

/** The repository, tag and day of each report. */
async function readCounts(query: string, as = token) {
  const { status, body } = await ask(query, as);
  expect(status, JSON.stringify(body)).toBe(200);
  return (body.items ?? []).map((item: { repo: string; tag: string; date: string }) => [
    item.repo,
    item.tag,
    item.date,
  ]);
}

/** The times of the scans of `app:latest`. */
const dates = async (query = "") =>
  (await readCounts(`repo=app&tag=latest${query}`)).map(([, , date]: string[]) => date);

describe("a count report", () => {
  test("counts each vulnerability once, by its worst severity", async () => {
    await scan(one, at(3), [
      matchOf("CVE-1", "Critical"),
      matchOf("CVE-2", "Low"),
      matchOf("CVE-2", "High", { artifact: { name: "other" } }),
      matchOf("CVE-2", "Medium"),
      matchOf("CVE-3", "Negligible"),
      matchOf("CVE-4", "Negligible"),
      matchOf("CVE-5", "Unknown"),
    ]);
    const answer = await ask("repo=app&tag=latest");
    expect(answer.body).toEqual({
      items: [
        {
          repo: "app",
          tag: "latest",
          date: at(3),
          vulnCounts: [
            { severity: "CRITICAL", count: 1 },
            { severity: "HIGH", count: 1 },
            { severity: "MEDIUM", count: 0 },
            { severity: "LOW", count: 0 },
            { severity: "NEGLIGIBLE", count: 2 },
            { count: 1 },
          ],
          sizeBytes: "123456",
        },
      ],
    });
    expect(costOf(answer).roundTrips).toBe(2);
  });

  test("exists for each scan of the image that the tag pointed to at that time, oldest first", async () => {
    await scan(two, at(6));
    await scan(two, at(4));
    await scan(one, at(5));
    await scan(one, at(4, 23));
    await scan(one, at(2));
    await scan(one, at(1));
    await scan(fakeDigest("other"), at(3));
    expect(await dates()).toEqual([at(2), at(4, 23), at(6)]);
  });

  test("counts a digest again if the tag returns to it", async () => {
    await move("latest", [8, one]);
    for (const day of [4, 6, 9]) await scan(one, at(day));
    expect(await dates()).toEqual([at(4), at(9)]);
    expect(await dates(`&from=${at(7)}`)).toEqual([at(9)]);
  });

  test("includes both from and to", async () => {
    for (const [digest, day] of [
      [one, 3],
      [one, 4],
      [two, 5],
      [two, 6],
    ] as const)
      await scan(digest, at(day));
    expect(await dates(`&from=${at(4)}&to=${at(5)}`)).toEqual([at(4), at(5)]);
    expect(await dates(`&from=${at(4)}`)).toEqual([at(4), at(5), at(6)]);
    expect(await dates(`&to=${at(3)}`)).toEqual([at(3)]);
    expect(await dates(`&from=${at(7)}`)).toEqual([]);
    const { status, body } = await ask(`repo=app&tag=latest&from=${at(2)}&to=${at(1)}`);
    expect(status).toBe(400);
    expect(body.details[1].fieldViolations).toMatchObject([{ field: "to" }]);
  });

  test("without a tag is about every current tag of the repository", async () => {
    await move("1.0", [2, one]);
    await move("gone", [2, one]);
    await scan(one, at(3));
    const { body } = await callRest(`/registry/v2/tags?uidp.children_of=${repo}&name=gone`, {
      token,
    });
    await callRest(`/registry/v2/tags/${body.tags[0].uid}`, { method: "DELETE", token });
    expect(await readCounts("repo=app")).toEqual([
      ["app", "1.0", at(3)],
      ["app", "latest", at(3)],
    ]);
    expect(await readCounts("repo=app&tag=gone")).toEqual([["app", "gone", at(3)]]);
  });

  test("is empty for a repository or a tag that does not exist", async () => {
    await scan(one, at(3));
    for (const query of ["repo=none&tag=latest", "repo=app&tag=none", "repo=none"])
      expect(await readCounts(query)).toEqual([]);
  });
});

describe("the size of the image", () => {
  const media = (kind: string) => `application/vnd.oci.image.${kind}.v1+json`;
  const store = async (kind: string, content: object) => {
    const body = { mediaType: media(kind), content: btoa(JSON.stringify(content)) };
    return (await createResource(`/registry/v2/manifests/${repo}`, token, body)).digest as string;
  };
  const sizes = async () => {
    const { body } = await ask("repo=app&tag=sized");
    return body.items.map(({ sizeBytes = "0" }) => sizeBytes);
  };

  test("is that of its manifest, or of the amd64 manifest of an index, and otherwise that of the scanner", async () => {
    const single = await store("manifest", { config: { size: 1 }, layers: [{ size: 41 }] });
    const manifests = [
      { digest: one, platform: { os: "linux", architecture: "arm64" } },
      { digest: single, platform: { os: "linux", architecture: "amd64" } },
    ];
    const index = await store("index", { manifests });
    const empty = await store("index", { manifests: [] });
    await move("sized", [11, single], [12, index], [13, empty], [14, two], [15, one]);
    for (const [day, digest] of [single, index, empty, two].entries()) {
      await scan(digest, at(11 + day, 1));
    }
    await scan(one, at(15, 1), [], repo, { target: { imageSize: "?" } });
    expect(await sizes()).toEqual(["42", "42", "123456", "123456", "0"]);
  });
});

describe("references", () => {
  const counts = () => clientOf(Vulnerabilities, token);
  const names = (items: { repo: string; tag: string }[]) => items.map((one) => one.tag).sort();

  test("replace repository and tag, and each is reported once", async () => {
    await move("1.0", [2, one]);
    await move("2.0", [2, one]);
    await scan(one, at(3));
    const references = ["1.0", "2.0", "1.0", "none"].map((tag) => ({ repo: "app", tag }));
    const { items } = await counts().listVulnCountReports({
      repo: "app",
      tag: "latest",
      references,
    });
    expect(names(items)).toEqual(["1.0", "2.0"]);
    const all = await counts().listVulnCountReports({ references: [{ repo: "app" }] });
    expect(names(all.items)).toEqual(["1.0", "2.0", "latest"]);
  });

  test("require a repository each, and there can be at most 200", async () => {
    const unnamed = counts().listVulnCountReports({ references: [{ repo: "app" }, { tag: "x" }] });
    await expect(unnamed).rejects.toThrow(/references\[1\]\.repo/);
    const references = Array.from({ length: 201 }, () => ({ repo: "app", tag: "latest" }));
    const many = counts().listVulnCountReports({ references });
    await expect(many).rejects.toThrow(/at most 200/);
  });
});

describe("a cumulative count report", () => {
  const cumulative = (query: string, as = token) => ask(query, as, "counts_cumulative");

  test("has the vulnerabilities found so far in the range, with the newest severity", async () => {
    await scan(one, at(3), [matchOf("CVE-2", "High"), matchOf("CVE-1", "Low")]);
    await scan(two, at(6), [matchOf("CVE-2", "Critical"), matchOf("GHSA-3", "Negligible")]);
    await scan(two, at(7), [matchOf("CVE-4", "Medium"), matchOf("CVE-5", "Unknown")]);
    const { body } = await cumulative("repo=app&tag=latest");
    expect(body.items).toMatchObject([
      { date: at(3), cveIds: ["CVE-1", "CVE-2"], lowCveIds: ["CVE-1"], highCveIds: ["CVE-2"] },
      {
        date: at(6),
        cveIds: ["CVE-1", "CVE-2", "GHSA-3"],
        lowCveIds: ["CVE-1"],
        critCveIds: ["CVE-2"],
        negligibleCveIds: ["GHSA-3"],
      },
      {
        date: at(7),
        cveIds: ["CVE-1", "CVE-2", "CVE-4", "CVE-5", "GHSA-3"],
        medCveIds: ["CVE-4"],
        unknownCveIds: ["CVE-5"],
        vulnCounts: [
          { severity: "CRITICAL", count: 1 },
          { severity: "HIGH", count: 0 },
          { severity: "MEDIUM", count: 1 },
          { severity: "LOW", count: 1 },
          { severity: "NEGLIGIBLE", count: 1 },
          { count: 1 },
        ],
        sizeBytes: "123456",
      },
    ]);
    expect(body.items[1].highCveIds).toBeUndefined();
    const later = await cumulative(`repo=app&tag=latest&from=${at(7)}`);
    expect(later.body.items).toMatchObject([{ cveIds: ["CVE-4", "CVE-5"] }]);
  });

  test("keeps the tags apart", async () => {
    await move("1.0", [2, two]);
    await scan(one, at(3), [matchOf("CVE-1", "Low")]);
    await scan(two, at(4), [matchOf("CVE-2", "Low")]);
    const { body } = await cumulative("repo=app");
    expect(body.items).toMatchObject([
      { tag: "latest", cveIds: ["CVE-1"] },
      { tag: "1.0", cveIds: ["CVE-2"] },
    ]);
  });

  test("reports that it would have too many ids", async () => {
    const { uid } = await scan(one, at(3), [matchOf("CVE-1", "Low")]);
    await scan(one, at(4));
    await sql("update vuln_reports set id_count = 500000 where uid = ?", uid);
    expect((await cumulative("repo=app&tag=latest")).status).toBe(429);
    expect((await cumulative(`repo=app&tag=latest&to=${at(3)}`)).status).toBe(200);
  });
});

test("has all of hundreds of scans", async () => {
  const { uid } = await scan(one, at(3), [matchOf("CVE-1", "Low")]);
  await sql(
    `insert into vuln_reports (uid, create_time, update_time, digest, scan_time, scanner,
       scanner_version, db_build_time, image_size, id_count, finding_bytes, counts, ids, findings)
     select ? || '/' || printf('%016x', value), 1, 1, digest, scan_time + value, scanner,
       scanner_version, db_build_time, image_size, id_count, finding_bytes, counts, ids, findings
     from vuln_reports, json_each(?) where vuln_reports.uid = ?`,
    repo,
    JSON.stringify(Array.from({ length: 300 }, (_, i) => i + 1)),
    uid,
  );
  expect(await dates()).toHaveLength(301);
  const { body } = await callRest(`/registry/v1/vuln_reports?repo_id=${repo}`, { token });
  expect(body.items).toHaveLength(301);
});

test("a tag that moves back and forth costs its moves plus its scans, not their product", async () => {
  const { uid } = await scan(two, at(6), [matchOf("CVE-1", "Low")]);
  const times = JSON.stringify(Array.from({ length: 500 }, (_, i) => i));
  await sql(
    `insert into tag_moves (repo_uid, tag, update_time, digest)
     select ?, 'latest', ? + value * 1000, iif(value % 2, ?, ?) from json_each(?)`,
    ...[repo, Date.parse(at(10)), one, two, times],
  );
  await sql(
    `insert into vuln_reports (uid, create_time, update_time, digest, scan_time, scanner,
       scanner_version, db_build_time, image_size, id_count, finding_bytes, counts, ids, findings)
     select ? || '/' || printf('%016x', value), 1, 1, digest, ? + value * 1000, scanner,
       scanner_version, db_build_time, image_size, id_count, finding_bytes, counts, ids, findings
     from vuln_reports, json_each(?) where vuln_reports.uid = ?`,
    ...[repo, Date.parse(at(10)) + 500, times, uid],
  );
  for (const path of ["counts", "counts_cumulative"]) {
    const answer = await ask("repo=app&tag=latest", token, path);
    // Every other scan is of a time when the tag pointed to the other image.
    expect(answer.body.items).toHaveLength(251);
    expect(costOf(answer).rowsRead).toBeGreaterThan(500);
    expect(costOf(answer).rowsRead).toBeLessThan(8_000);
    const early = await ask(`repo=app&tag=latest&to=${at(9)}`, token, path);
    expect(early.body.items).toHaveLength(1);
    expect(costOf(early).rowsRead).toBeLessThan(100);
  }
});

describe("access to reports", () => {
  test("leaves out a repository with the same name outside the group", async () => {
    const group = (
      await createResource(`/iam/v2/groups/${organization.uid}`, token, { name: "team" })
    ).uid;
    const moves = [{ repo: "app", tag: "latest", updateTime: at(2), digest: one }];
    await createResource(`/registry/v2/tagMoves/${group}:import`, token, { moves });
    const { body } = await callRest(`/registry/v2/repos?uidp.children_of=${group}`, { token });
    await scan(one, at(3));
    await scan(one, at(4), [], body.repos[0].uid);
    expect(await dates()).toEqual([at(3), at(4)]);
    const viewer = await newIdentity(organization, "viewer", { bindAt: group });
    expect(await readCounts("repo=app&tag=latest", viewer.token)).toEqual([
      ["app", "latest", at(4)],
    ]);
    const narrowed = await tokenFor(organization.owner.uid, { scopes: [repo] });
    expect(await readCounts("repo=app&tag=latest", narrowed)).toEqual([["app", "latest", at(3)]]);
    const stranger = await newOrganization();
    expect(await readCounts("repo=app&tag=latest", stranger.owner.token)).toEqual([]);
  });

  test("finds a repository by its uid, and shows its name", async () => {
    const group = (
      await createResource(`/iam/v2/groups/${organization.uid}`, token, { name: "team" })
    ).uid;
    const moves = [{ repo: "app", tag: "latest", updateTime: at(2), digest: one }];
    await createResource(`/registry/v2/tagMoves/${group}:import`, token, { moves });
    const { body } = await callRest(`/registry/v2/repos?uidp.children_of=${group}`, { token });
    await scan(one, at(3));
    await scan(one, at(4), [], body.repos[0].uid);
    const asked = encodeURIComponent(repo);
    for (const tag of ["", "&tag=latest"]) {
      expect(await readCounts(`repo=${asked}${tag}`)).toEqual([["app", "latest", at(3)]]);
    }
    const { items } = await clientOf(Vulnerabilities, token).listCumulativeVulnCountReports({
      references: [
        { repo, tag: "latest" },
        { repo: body.repos[0].uid, tag: "" },
      ],
    });
    expect(items.map(({ repo }) => repo)).toEqual(["app", "app"]);
    const viewer = await newIdentity(organization, "viewer", { bindAt: group });
    expect(await readCounts(`repo=${asked}`, viewer.token)).toEqual([]);
    const other = (await newOrganization()).owner.token;
    expect(await readCounts(`repo=${asked}`, other)).toEqual([]);
    expect(await readCounts(`repo=${organization.uid}`)).toEqual([]);
  });
});
