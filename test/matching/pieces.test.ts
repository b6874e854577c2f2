/** Matching is done in pieces, which end at any place, and continue where they ended. */
import { drizzle } from "drizzle-orm/d1";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { MARK } from "../../schema/tables/registry/match_marks.ts";
import { selectCandidates } from "../../src/matching/candidates.ts";
import { intervalsIn } from "../../src/matching/intervals.ts";
import { startOwnRegistry } from "../distribution/own_registry.ts";
import { tokenFor } from "../world/platform.ts";
import { affected, recordOf } from "./matches.ts";

let registry: Awaited<ReturnType<typeof startOwnRegistry>>;
let token: string;
let repo: string;
beforeAll(async () => {
  registry = await startOwnRegistry();
  token = await tokenFor(registry.owner);
});
afterAll(() => registry.stop());

async function api(path: string, body: object) {
  const response = await fetch(`${registry.origin}${path}`, {
    ...{ method: "POST", headers: { authorization: `Bearer ${token}` } },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  expect(response.status, JSON.stringify(answer)).toBe(200);
  return answer as Record<string, string>;
}

beforeEach(async () => {
  const body = { name: `app-${Math.random().toString(36).slice(2)}` };
  repo = String((await api(`/registry/v2/repos/${registry.organization}`, body)).uid);
});

const load = (record: object) =>
  api(`/vulnerabilities/v2/osvRecords/${registry.organization}:import`, {
    ...{ records: [record], strict: true },
  });

/** Stores images, each with one package in version 1.0.0. */
async function storeImages(count: number, name: string) {
  const numbers = `with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${count})`;
  const [uid, digest] = [`'${repo}/' || printf('%016x', i)`, "'sha256:' || printf('%064x', i)"];
  const times = "1, 1 from numbers";
  await registry.run(`insert into sboms (uid, digest, format, spec_version, name, package_count, size, content_digest,
    packages_length, packages, content, create_time, update_time) ${numbers}
    select ${uid}, ${digest}, 1, '', '', 1, 1, '', 1, '', '', ${times}`);
  await registry.run(`insert into indexed_sboms (uid, packages_version, package_count) ${numbers}
    select ${uid}, 2, 1 from numbers`);
  await registry.run(`insert into sbom_packages (uid, sbom_uid, name, namespace, version, type, purl, package_key, version_order,
    sort_key, license, match_key, release, match_order, match_sort_key) ${numbers}
    select ${uid}, ${uid}, '${name}', '', '1.0.0', 'npm', 'pkg:npm/${name}@1.0.0', 'pkg:npm/${name}', 'semver', '', '',
      'pkg:npm/${name}', '', 'semver', 'a1a0a01' from numbers`);
  await registry.run(`insert into examined_images (uid, digest, sbom_uid, findings_version, create_time, update_time) ${numbers}
    select ${uid}, ${digest}, ${uid}, 2, ${times}`);
}

const countFound = async () => {
  const [row] = await registry.run<{ n: number }>(
    "select count(*) as n from findings where parent = ?",
    repo,
  );
  return row?.n;
};

const countImages = async () => {
  const [row] = await registry.run<{ n: number }>(
    "select sum(finding_count) as n from examined_images where parent = ?",
    repo,
  );
  return row?.n;
};

const isMatched = () =>
  expect.poll(() => registry.run("select * from match_marks"), { interval: 50 }).toEqual([]);

describe("a record about more images than one piece has", () => {
  const images = 1_300;

  test("makes a finding in each, ends all when it changes, and each image counts its own", async () => {
    await storeImages(images, "many");
    await load(recordOf("X-1", { affected: [affected("many", "2.0.0")] }));
    await isMatched();
    expect([await countFound(), await countImages()]).toEqual([images, images]);
    const modified = "2026-01-02T00:00:00Z";
    await load(recordOf("X-1", { modified, affected: [affected("many", "0.5.0")] }));
    await isMatched();
    expect([await countFound(), await countImages()]).toEqual([0, 0]);
  });

  test("continues on the schedule where a run was cut off, and changes nothing that is done", async () => {
    await storeImages(images, "cut");
    await load(recordOf("X-2", { affected: [affected("cut", "2.0.0")] }));
    await isMatched();
    const rows = async () => {
      const all = await registry.run<{ create_time: number }>(
        "select * from findings where parent = ? order by uid",
        repo,
      );
      // A row that is written again has another time.
      return all.map(({ create_time, ...row }) => row);
    };
    const whole = await rows();
    expect(whole).toHaveLength(images);
    const last = ["", "semver", "a1a0a01", `${repo}/${(600).toString(16).padStart(16, "0")}`];
    const [advisory] = await registry.run<{ uid: string }>(
      "select uid from advisories where advisory_id = 'X-2'",
    );
    await registry.run(
      "delete from findings where parent = ? and image_uid > ?",
      ...[repo, last[3]],
    );
    await registry.run(
      "update examined_images set finding_count = 0 where parent = ? and uid > ?",
      ...[repo, last[3]],
    );
    const cursor = JSON.stringify({
      ...{ database: 0, made: null, organization: registry.organization, interval: 0, last },
    });
    const mark = [registry.organization, MARK.advisory, advisory?.uid, 1, cursor];
    await registry.run(
      "insert into match_marks (root, kind, uid, revision, cursor) values (?, ?, ?, ?, ?)",
      ...mark,
    );
    const times = () =>
      registry.run(
        "select uid, update_time from examined_images where uid <= ? and parent = ?",
        last[3],
        repo,
      );
    const before = await times();
    await registry.runSchedule();
    await isMatched();
    expect(await rows()).toEqual(whole);
    expect(await times()).toEqual(before);
  });
});

test("the packages of a range are one range of an index", async () => {
  const db = drizzle(registry.db as never);
  const range = {
    packageKey: "pkg:npm/a",
    release: "",
    versionOrder: "semver",
    from: "a",
    below: "b",
  };
  const records = [
    { uid: `${registry.organization}/1`, ranges: [{ ...range, fixed: "", severity: 1 }] },
  ];
  const intervals = intervalsIn(records, registry.organization);
  const { sql, params } = selectCandidates(db, intervals, 10).toSQL();
  const plan = await registry.run<{ detail: string }>(`explain query plan ${sql}`, ...params);
  expect(plan.map(({ detail }) => detail).join("\n")).toMatch(
    /SEARCH sbom_packages USING INDEX sbom_packages_by_match \(match_key=\? AND ancestor0=\? AND \(release,match_order,match_sort_key,uid\)>\(\?,\?,\?,\?\) AND \(release,match_order,match_sort_key,uid\)<\(\?,\?,\?,\?\)\)/,
  );
});

test("an SBOM with more packages than one piece has is matched as a whole", async () => {
  const components = Array.from({ length: 450 }, (_, at) => ({
    ...{ type: "library", name: "x", purl: `pkg:npm/p${at % 225}@1.${at}.0` },
  }));
  await load(recordOf("X-3", { affected: [0, 100, 224].map((at) => affected(`p${at}`, "9.0.0")) }));
  const document = { bomFormat: "CycloneDX", specVersion: "1.6", components };
  const content = Buffer.from(JSON.stringify(document)).toString("base64");
  await api(`/registry/v2/sboms/${repo}`, { digest: `sha256:${"1".repeat(64)}`, content });
  await isMatched();
  expect([await countFound(), await countImages()]).toEqual([6, 6]);
});

test("a package in more ranges than one piece compares is matched with every record", async () => {
  const ids = ["X-41", "X-42", "X-43", "X-44", "X-45"];
  for (const id of ids) await load(recordOf(id, { affected: [affected("wide", "2.0.0")] }));
  await registry.run(`with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < 2200)
    insert into affected_packages (advisory_uid, number, package_key, release, version_order, from_key, below_key, fixed, severity)
    select advisory_uid, i, package_key, release, version_order, from_key, below_key || printf('%05d', i), fixed, severity
    from affected_packages cross join numbers where package_key = 'pkg:npm/wide'`);
  const components = ["other", "wide", "wider"].map((name) => ({
    ...{ type: "library", name, purl: `pkg:npm/${name}@1.0.0` },
  }));
  await load(recordOf("X-46", { affected: [affected("other", "2.0.0")] }));
  await load(recordOf("X-47", { affected: [affected("wider", "2.0.0")] }));
  await isMatched();
  const store = async (parts: object[]) => {
    const document = { bomFormat: "CycloneDX", specVersion: "1.6", components: parts };
    const content = Buffer.from(JSON.stringify(document)).toString("base64");
    await api(`/registry/v2/sboms/${repo}`, { digest: `sha256:${"2".repeat(64)}`, content });
    await isMatched();
    const rows = await registry.run<{ id: string }>(
      "select vulnerability_id as id from findings where parent = ? order by 1",
      repo,
    );
    return rows.map(({ id }) => id);
  };
  expect(await store(components)).toEqual([...ids, "X-46", "X-47"]);
  // The same work again changes nothing, and each piece ends only facts about its own records.
  await registry.run("delete from findings where parent = ? and vulnerability_id = 'X-44'", repo);
  await registry.run("update examined_images set finding_count = 6 where parent = ?", repo);
  expect(await store([...components, { type: "library", name: "x", purl: "pkg:npm/x@1" }])).toEqual(
    [...ids, "X-46", "X-47"],
  );
  expect(await countImages()).toBe(7);
});
