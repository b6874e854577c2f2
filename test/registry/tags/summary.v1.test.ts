import { beforeEach, describe, expect, test } from "vitest";
import { plantedDigest } from "../../paging/tree.ts";
import { createResource, newOrganization, type Organization } from "../../world/personas.ts";
import { callRest, costOf, sql } from "../../world/platform.ts";

let organization: Organization;
let token: string;
let repo: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
  repo = (await createResource(`/registry/v2/repos/${organization.uid}`, token, { name: "r" })).uid;
});

const get = (path: string) => callRest(path, { token });
/** Inserts rows directly, because the API would write them one by one. */
const insertTags = (rows: { name: string; digest?: string; time?: number }[]) =>
  sql(
    `insert into tags (uid, name, digest, create_time, update_time)
     select ? || '/' || printf('%016x', key), value ->> 'name',
       coalesce(value ->> 'digest', ?), 1, coalesce(value ->> 'time', 1) from json_each(?)`,
    repo,
    plantedDigest(1),
    JSON.stringify(rows),
  );

describe("the summary of a repository", () => {
  const summary = async (query = "", of = repo) =>
    (await get(`/registry/v1/repotagssummary/${of}${query}`)).body;

  test("the summary has only the repository if there are no tags, and is empty without a repository", async () => {
    expect(await summary()).toEqual({ id: repo, tagCount: "0" });
    // Numbers are shown even when zero.
    expect(await summary("", `${organization.uid}/${"0".repeat(16)}`)).toEqual({ tagCount: "0" });
  });

  test("of a tag that points to no image names no version", async () => {
    await insertTags([
      { name: "latest", digest: "", time: 1000 },
      { name: "3", digest: "", time: 1000 },
    ]);
    const { latestTag, latestVersion } = await summary();
    expect([latestTag.name, latestVersion]).toEqual(["latest", undefined]);
  });

  test("has `latest`, and the longest name of its digest", async () => {
    await insertTags([
      { name: "latest", digest: plantedDigest(1), time: 1000 },
      { name: "latest-dev", digest: plantedDigest(1), time: 1000 },
      { name: "3", digest: plantedDigest(1), time: 1000 },
      { name: "3.12", digest: plantedDigest(1), time: 1000 },
      { name: "3.11", digest: plantedDigest(1), time: 1000 },
      { name: "3.12.9-slim", digest: plantedDigest(2), time: 5000 },
    ]);
    expect(await summary()).toEqual({
      id: repo,
      tagCount: "6",
      lastUpdated: "1970-01-01T00:00:05.000Z",
      latestTag: {
        id: `${repo}/${"0".repeat(16)}`,
        name: "latest",
        digest: plantedDigest(1),
        deprecated: false,
        lastUpdated: "1970-01-01T00:00:01.000Z",
      },
      latestVersion: "3.12",
    });
  });

  test("without `latest` has the newest tag that is not excluded", async () => {
    await insertTags([
      { name: "1.0", digest: plantedDigest(1), time: 1000 },
      { name: "1.0-r3", digest: plantedDigest(1), time: 2000 },
      { name: "1.0-20260102", digest: plantedDigest(1), time: 3000 },
      { name: "sha256-aa.sig", digest: plantedDigest(1), time: 4000 },
    ]);
    const summaryWithout = async (...without: string[]) => {
      const query = `?${without.map((one) => `exclude${one}=true`).join("&")}`;
      const { tagCount, latestTag, latestVersion, lastUpdated } = await summary(query);
      return [tagCount, latestTag.name, latestVersion, Date.parse(lastUpdated)];
    };
    expect(await summaryWithout()).toEqual(["4", "sha256-aa.sig", "sha256-aa.sig", 4000]);
    expect(await summaryWithout("Referrers")).toEqual(["3", "1.0-20260102", "1.0-20260102", 3000]);
    expect(await summaryWithout("Referrers", "Dates")).toEqual(["2", "1.0-r3", "1.0-r3", 2000]);
    expect(await summaryWithout("Referrers", "Dates", "Epochs")).toEqual(["1", "1.0", "1.0", 1000]);
    expect(await summaryWithout("Epochs")).toEqual(["3", "sha256-aa.sig", "sha256-aa.sig", 4000]);
  });

  test("has no version if only `latest` has the digest", async () => {
    await insertTags([
      { name: "latest", digest: plantedDigest(1) },
      { name: "latest-dev", digest: plantedDigest(1) },
      { name: "1", digest: plantedDigest(2) },
    ]);
    expect(await summary()).not.toHaveProperty("latestVersion");
    const other = await createResource(`/registry/v2/repos/${organization.uid}`, token, {
      name: "s",
    });
    await createResource(`/registry/v2/tags/${other.uid}`, token, {
      name: "9.9",
      digest: plantedDigest(1),
    });
    expect(await summary()).not.toHaveProperty("latestVersion");
  });

  test("costs the same, however many tags there are", async () => {
    await insertTags(
      Array.from({ length: 2000 }, (_, index) => ({
        name: `t${index}`,
        digest: plantedDigest(index),
        time: index,
      })),
    );
    const answer = await get(`/registry/v1/repotagssummary/${repo}`);
    expect(answer.body).toMatchObject({ tagCount: "2000", latestVersion: "t1999" });
    expect(costOf(answer).roundTrips).toBe(1);
    expect(costOf(answer).rowsRead).toBeLessThan(100);
  });
});
