/** Reports and counts of an image index. Scanners report the amd64 manifest in it. */
import { beforeEach, describe, expect, test } from "vitest";
import {
  createResource,
  fakeDigest,
  newOrganization,
  type Organization,
} from "../../world/personas.ts";
import { callRest, costOf, sql } from "../../world/platform.ts";
import { newRepoIn, putIndex } from "../images/stored_images.ts";
import { grypeReport, packedReport } from "./grype_reports.ts";

const [amd64, arm64] = [fakeDigest("amd64"), fakeDigest("arm64")];
/** A time on a day in May. */
const at = (day: number) => new Date(Date.UTC(2026, 4, day)).toISOString();

let organization: Organization;
let token: string;
/** `app:latest` points to `index` since the 1st. */
let repo: string;
let index: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
  repo = (await createResource(`/registry/v2/repos/${organization.uid}`, token, { name: "app" }))
    .uid;
  index = await putIndex(organization, repo, [
    ["arm64", arm64],
    ["amd64", amd64],
  ]);
  const moves = [{ repo: "app", tag: "latest", updateTime: at(1), digest: index }];
  await createResource(`/registry/v2/tagMoves/${organization.uid}:import`, token, { moves });
});

/** Stores a Grype report of a digest and returns its uid. */
async function scan(digest: string, day: number, where = { repo, token }): Promise<string> {
  const content = packedReport(grypeReport([], { scanned: at(day), digests: [digest] }));
  const path = `/registry/v2/vulnReports/${where.repo}`;
  return (await createResource(path, where.token, { digest, content })).uid;
}

const ask = (path: string, as = token) => callRest(`/registry/v1/${path}`, { token: as });
const one = (digest = index) => ask(`repos/${repo}/digests/${digest}/vulnreport`);
const raw = (as = token) => ask(`vuln_reports/raw?digest=${index}`, as);
const lists = (as = token) => ({
  byTag: () => ask(`vuln_reports?repo_id=${repo}&tag=latest`, as),
  byDigest: () => ask(`vuln_reports?digest=${index}`, as),
});
const counts = () => ask("vuln_reports/counts?repo=app&tag=latest");
const cumulative = () => ask("vuln_reports/counts_cumulative?repo=app&tag=latest");

test("without a report of its own has those of its amd64 manifest", async () => {
  const uid = await scan(amd64, 2);
  await scan(arm64, 3);
  const answer = await one();
  expect(answer.body.id).toBe(uid);
  expect(costOf(answer).roundTrips).toBe(1);
  for (const [list, roundTrips] of [
    [lists().byTag, 1],
    [lists().byDigest, 2],
  ] as const) {
    const listed = await list();
    expect(listed.body.items).toMatchObject([{ digest: amd64, createdAt: at(2) }]);
    expect(costOf(listed).roundTrips).toBe(roundTrips);
  }
  expect((await raw()).body).toMatchObject({ digest: amd64, createdAt: at(2) });
  for (const counted of [await counts(), await cumulative()]) {
    expect(counted.body.items).toMatchObject([{ tag: "latest", date: at(2) }]);
    expect(costOf(counted).roundTrips).toBe(2);
  }
});

test("has its own reports if there are any", async () => {
  await scan(amd64, 2);
  const uid = await scan(index, 3);
  await scan(amd64, 4);
  expect((await one()).body.id).toBe(uid);
  for (const list of Object.values(lists())) {
    expect((await list()).body.items).toMatchObject([{ digest: index, createdAt: at(3) }]);
  }
  expect((await raw()).body).toMatchObject({ digest: index, createdAt: at(3) });
  for (const counted of [await counts(), await cumulative()]) {
    expect(counted.body.items).toMatchObject([{ date: at(3) }]);
  }
});

test("of other architectures has no reports", async () => {
  await scan(arm64, 2);
  const other = await putIndex(organization, repo, [["arm64", arm64]]);
  expect((await one(other)).body).toEqual({});
  expect((await one()).body).toEqual({});
  expect((await counts()).body).toEqual({});
});

describe("by digest", () => {
  test("is looked up only in groups that the caller can see", async () => {
    const stranger = await newOrganization();
    const theirs = { repo: await newRepoIn(stranger), token: stranger.owner.token };
    await scan(amd64, 2, theirs);
    expect((await lists(theirs.token).byDigest()).body).toEqual({});
    expect((await raw(theirs.token)).body).toEqual({});
  });

  test("costs as much as its rows, however many others have the index", async () => {
    const [{ uid }, newcomer] = [await newOrganization(), await newOrganization()];
    const places = JSON.stringify(Array.from({ length: 1000 }, (_, i) => i));
    await sql(
      `insert into repos (uid, name, create_time, update_time)
       select ? || '/' || printf('%016x', value), 'r' || value, 1, 1 from json_each(?)`,
      uid,
      places,
    );
    await sql(
      `insert into manifests (uid, create_time, update_time, digest, media_type, entries, size)
       select ? || printf('/%016x/%016x', value, value), 1, 1, ?, '', '[]', 0 from json_each(?)`,
      ...[uid, index, places],
    );
    await scan(amd64, 2);
    const without = newcomer.owner.token;
    for (const [answer, has] of [
      [await lists().byDigest(), true],
      [await raw(), true],
      [await lists(without).byDigest(), false],
      [await raw(without), false],
    ] as const) {
      expect(Object.keys(answer.body).length > 0).toBe(has);
      expect(costOf(answer).rowsRead).toBeGreaterThan(1);
      expect(costOf(answer).rowsRead).toBeLessThan(60);
    }
  });
});
