/** A repository with many rows is gone at once, and the schedule removes its rows in batches. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { removalOfRepos } from "../../../src/registry/repos/removal.ts";
import { begin, send, sendChunk, someBytes } from "../../distribution/client.ts";
import { startOwnRegistry } from "../../distribution/own_registry.ts";
import { expectBounded, faultsOf, removeBatches } from "../../resource/removed_batches.ts";
import { long } from "../../world/tiers.ts";
import {
  callApi,
  type Large,
  manyTags,
  newLargeRepository,
  type Registry,
  rowsLeft,
} from "./large_repository.ts";

let registry: Registry;
beforeAll(async () => {
  registry = await startOwnRegistry();
});
afterAll(() => registry.stop());

const get = (path: string) => callApi(registry, path);
const remove = (uid: string) =>
  callApi(registry, `/registry/v2/repos/${uid}`, { method: "DELETE" });

const storageOf = async (uid: string) => {
  const [row] = await registry.run<{ id: number }>(
    "select id from repo_storage where uid = ?",
    uid,
  );
  return row?.id ?? 0;
};

const removeSome = (most?: number) => removeBatches(registry.db, removalOfRepos, most);

const deletions = () =>
  registry.run<{ uid: string; turn: number }>("select uid, turn from deletions order by uid");

const removeAll = async () => {
  while ((await deletions()).length > 0) await removeSome();
};

const damage = (isRepairing = false) => faultsOf(registry.db, isRepairing);

/** Every call that reads something below a repository. */
const readsOf = ({ organization }: Registry, repo: Large): Record<string, string> => {
  const below = `uidp.descendants_of=${organization}`;
  const image = `repos/${repo.uid}/digests/${repo.digest}`;
  const index = `repos/${repo.uid}/digests/sha256:${repo.uid.slice(-16)}${"0".repeat(48)}`;
  return {
    "the repository": `/registry/v2/repos/${repo.uid}`,
    repositories: `/registry/v2/repos?${below}`,
    "repositories of version 1": `/registry/v1/repos?${below}`,
    "a tag": `/registry/v2/tags/${repo.tag}`,
    tags: `/registry/v2/tags?${below}&page_size=2`,
    "tags by time": `/registry/v2/tags?${below}&page_size=2&order_by=update_time`,
    "tags of the repository": `/registry/v2/tags?uidp.children_of=${repo.uid}&page_size=2`,
    "a tag by its name": `/registry/v2/tags?${below}&name=latest`,
    "tags by a prefix": `/registry/v2/tags?${below}&name_prefix=la`,
    "tags by their digest": `/registry/v2/tags?${below}&digest=${repo.digest}&page_size=2`,
    "tags by uid": `/registry/v2/tags?uidp.ids=${repo.tag}`,
    "tags of version 1": `/registry/v1/tags?uidp.children_of=${repo.uid}&name=latest`,
    "tags at the end of their life": `/registry/v2/endOfLifeTags?${below}&page_size=2`,
    "a summary of tags": `/registry/v1/repotagssummary/${repo.uid}`,
    "the history of a tag by its uid": `/registry/v1/tags/${repo.tag}/history`,
    "a manifest": `/registry/v2/manifests/${repo.manifest}`,
    manifests: `/registry/v2/manifests?repo_uid=${repo.uid}&page_size=2`,
    "the number of manifests": `/registry/v1/digestcount/${organization}`,
    "a summary of images": `/registry/v2/imageSummaries/${repo.uid}:batchGet?digests=${repo.digest}`,
    "the architectures of an index": `/registry/v2/${index}/architectures`,
    "the architectures of version 1": `/registry/v1/${index}/architectures`,
    "the size of an image": `/registry/v2/${image}/size`,
    "the size of version 1": `/registry/v1/${image}/size`,
    "the configuration of an image": `/registry/v1/${image}/imageconfig`,
    "an SBOM": `/registry/v2/sboms/${repo.sbom}`,
    "a whole SBOM": `/registry/v2/sboms/${repo.sbom}?view=SBOM_VIEW_FULL`,
    SBOMs: `/registry/v2/sboms?${below}&page_size=2`,
    "SBOMs by digest": `/registry/v2/sboms?${below}&digest=${repo.digest}`,
    "an SBOM of version 1": `/registry/v1/${image}/sbom`,
    "a raw SBOM": `/registry/v1/repos/${repo.uid}/digest/${repo.digest}/rawsbom`,
    "metadata of manifests": `/registry/v1/repos/${repo.uid}/manifestmetdata`,
    holds: `/registry/v2/imageHolds?${below}&page_size=2`,
    packages: `/registry/v2/packages?${below}&page_size=2`,
    "packages by name": `/registry/v2/packages?${below}&name=log4j-core`,
    "a report": `/registry/v2/vulnReports/${repo.report}`,
    "a whole report": `/registry/v2/vulnReports/${repo.report}?view=VULN_REPORT_VIEW_FULL`,
    reports: `/registry/v2/vulnReports?${below}&page_size=2`,
    "reports by digest": `/registry/v2/vulnReports?${below}&digest=${repo.digest}`,
    "a report of version 1": `/registry/v1/${image}/vulnreport`,
    "reports of version 1": `/registry/v1/vuln_reports?repo_id=${repo.uid}&tag=latest`,
    "reports of version 1 by digest": `/registry/v1/vuln_reports?digest=${repo.digest}`,
    "a raw report": `/registry/v1/vuln_reports/raw?digest=${repo.digest}`,
    findings: `/registry/v2/findings?${below}&page_size=2`,
    "findings by severity": `/registry/v2/findings?${below}&severities=FINDING_SEVERITY_CRITICAL`,
    "findings of a vulnerability": `/registry/v2/findings?${below}&vulnerability=CVE-2021-44228`,
    usages: `/registry/v2/repoUsages?group=${organization}`,
  };
};

/** Every request of the registry host that reads something in a repository. */
const pullsOf = ({ digest, image }: Large): Record<string, string> => ({
  "a pull by tag": "manifests/latest",
  "a pull by digest": `manifests/${digest}`,
  "a blob": `blobs/sha256:${JSON.parse(image.text).layers[0].digest.slice(7)}`,
  "the list of tags": "tags/list?n=2",
  referrers: `referrers/${digest}`,
});

const readAll = async (repo: Large) => {
  const found: Record<string, { status: number; body: unknown }> = {};
  for (const [name, path] of Object.entries(readsOf(registry, repo))) found[name] = await get(path);
  for (const [name, path] of Object.entries(pullsOf(repo))) {
    const answer = await send(repo.target, path);
    found[name] = { status: answer.status, body: answer.status === 200 ? await answer.text() : "" };
  }
  return found;
};

describe("a deleted repository with rows in every table", () => {
  let repo: Large;
  let storage: number;
  let upload: string;
  let before: Awaited<ReturnType<typeof readAll>>;
  let atOnce: typeof before;
  let deleted: Awaited<ReturnType<typeof remove>>;
  beforeAll(async () => {
    repo = await newLargeRepository(registry, "large");
    storage = await storageOf(repo.uid);
    expect(await damage()).toEqual({});
    before = await readAll(repo);
    upload = await begin(repo.target);
    deleted = await remove(repo.uid);
    atOnce = await readAll(repo);
  });

  test("is in no response at once, and no total counts it", async () => {
    expect([deleted.status, deleted.body]).toEqual([200, undefined]);
    expect(await deletions()).toHaveLength(1);
    for (const [name, answer] of Object.entries(atOnce)) {
      expect.soft(before[name]?.status, name).toBe(200);
      expect.soft(answer, `${name} shows the repository before`).not.toEqual(before[name]);
      if (answer.status === 200) expect.soft(JSON.stringify(answer), name).not.toContain(repo.uid);
    }
    const totals = (await get(`/registry/v2/tags?uidp.descendants_of=${registry.organization}`))
      .body;
    expect(totals.totalCount).toBe("0");
  });

  test("has one event, and its history ends at the time of the deletion", async () => {
    const events = await registry.run<{ type: string; time: number }>(
      "select type, time from events where subject = ? and type like '%deleted%'",
      repo.uid,
    );
    expect(events).toHaveLength(1);
    const [mark] = await registry.run<{ time: number }>("select time from deletions");
    await removeSome(1);
    const records = await registry.run<{ n: number; time: number; other: number; repo: string }>(
      `select count(*) as n, min(update_time) as time, max(update_time) as other, min(repo) as repo
       from tag_moves where repo_uid = ? and digest = '' `,
      repo.uid,
    );
    expect(records).toEqual([{ n: 1_000, time: mark?.time, other: mark?.time, repo: "large" }]);
  });

  test("takes no new rows, and lets no row change, while rows are left", async () => {
    const { uid, tag, digest } = repo;
    const body = { name: "new", digest };
    expect((await callApi(registry, `/registry/v2/tags/${uid}`, { body })).status).toBe(404);
    for (const one of [`tags/${tag}`, `manifests/${repo.manifest}`]) {
      const answer = await callApi(registry, `/registry/v2/${one}`, { method: "DELETE" });
      expect(answer.status, one).toBe(404);
    }
    // As a call does that has read the row before the repository was deleted.
    const writes = ["tags", "manifests", "sboms", "vuln_reports"].flatMap((table) => [
      `update ${table} set update_time = update_time + 1 where parent = ?`,
      `delete from ${table} where parent = ?`,
    ]);
    for (const write of writes)
      await expect(registry.run(write, uid), write).rejects.toThrow("stale write");
  });

  test("passes fsck, whose repair leaves its rows alone", async () => {
    const left = await rowsLeft(registry, repo.uid, storage);
    expect(await damage(true)).toEqual({});
    expect(await rowsLeft(registry, repo.uid, storage)).toEqual(left);
    await registry.run("update deletions set time = time - 24 * 3600000");
    expect(await damage(true)).toEqual({ deletions: 1 });
    await registry.run("update deletions set time = time + 24 * 3600000");
  });

  test("gives its name to a new repository, which shows nothing of the old one", async () => {
    const { organization } = registry;
    const created = await callApi(registry, `/registry/v2/repos/${organization}`, {
      body: { name: "large" },
    });
    expect(created.status).toBe(200);
    expect(created.body.uid).not.toBe(repo.uid);
    const pulls = pullsOf(repo);
    for (const [name, path] of Object.entries(pulls)) {
      const answer = await send(repo.target, path);
      const list = answer.status === 200 ? await answer.json() : undefined;
      if (list) expect(list.tags ?? list.manifests, name).toEqual([]);
      else expect(answer.status, name).toBe(404);
    }
    expect((await sendChunk(repo.target, upload, someBytes(10))).status).toBe(404);
    const gone = await remove(created.body.uid);
    expect(gone.status).toBe(200);
  });

  test("is removed however often a run is cut off, with as many rows in a statement as a bound", async () => {
    const batches = [];
    for (let run = 0; (await deletions()).length > 0; run += 1) {
      expect(run).toBeLessThan(100);
      batches.push(...(await removeSome(1 + (run % 3))));
      expect(await damage()).toEqual({});
    }
    expectBounded(batches, { read: 30_000, written: 15_000 });
    expect(await rowsLeft(registry, repo.uid, storage)).toEqual({});
    expect(await damage()).toEqual({});
    expect(await readAll(repo)).toEqual(atOnce);
  });

  test("has every tag's deletion in its history, once", async () => {
    const [row] = await registry.run(
      `select count(*) as n, count(distinct tag) as tags from tag_moves where repo_uid = ? and digest = ''`,
      repo.uid,
    );
    expect(row).toEqual({ n: manyTags + 1, tags: manyTags + 1 });
    const past = await get(`/registry/v2/tagMoves?uidp.descendants_of=${registry.organization}`);
    expect(past.body.tagMoves?.length ?? 0).toBeGreaterThan(0);
  });

  test("leaves its bytes to the clean-up, and no usage", async () => {
    const usage = await get(`/registry/v2/usages/${registry.organization}`);
    expect(usage.body.bytes ?? "0").toBe("0");
    const [blobs] = await registry.run<{ n: number }>(
      "select count(*) as n from blobs where organizations <> 0 or idle_time is null",
    );
    expect(blobs?.n).toBe(0);
  });
});

test("deleted repositories take turns, also those whose deletion came later", long, async () => {
  const [one, other] = [
    await newLargeRepository(registry, "one", 9_000),
    await newLargeRepository(registry, "other", 9_000),
  ];
  await remove(one.uid);
  await removeSome(2);
  await remove(other.uid);
  const left = async ({ uid }: Large) =>
    (await registry.run<{ n: number }>("select count(*) as n from tags where parent = ?", uid))[0]
      ?.n;
  expect([await left(one), await left(other)]).toEqual([7_001, 9_001]);
  await removeSome(3);
  expect([await left(one), await left(other)]).toEqual([6_001, 7_001]);
  await Promise.all([removeSome(20), removeSome(20)]);
  await removeAll();
  for (const { uid } of [one, other]) {
    const [row] = await registry.run(
      "select count(*) as n from tag_moves where repo_uid = ? and digest = ''",
      uid,
    );
    expect(row).toEqual({ n: 9_001 });
  }
  expect(await damage()).toEqual({});
});

test("the schedule of the registry removes it", async () => {
  const repo = await newLargeRepository(registry, "scheduled");
  const storage = await storageOf(repo.uid);
  await remove(repo.uid);
  await registry.runSchedule();
  expect(await deletions()).toEqual([]);
  expect(await rowsLeft(registry, repo.uid, storage)).toEqual({});
});
