/** Runs fsck on the D1 of a platform that was filled by calls: as a function, and as the command. */
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type BenchPlatform, startBenchPlatform } from "../../../bench/stage.ts";
import type { CheckedDatabase, D1Row } from "../../../cli/fsck/check.ts";
import { runFsck } from "../../../cli/fsck/run.ts";
import { lockFolder } from "../../../cli/state.ts";
import { box } from "../../vulnerabilities/osv/osv_imports.ts";
import { openVexOf, statementOf } from "../../vulnerabilities/vex/vex_imports.ts";
import { copyDatabase } from "../../world/own_platform.ts";
import { fakeDigest } from "../../world/personas.ts";
import { long } from "../../world/tiers.ts";
import { startCloudflare } from "../cloudflare.ts";
import { newFolder, platformctl, root } from "../command.ts";
import { newFile, openCopy } from "./world.ts";

const owner = "0".repeat(40);
let state: string;
let stage: BenchPlatform;
let token: string;
let org: string;

/** The D1 of the platform. */
const store = (): CheckedDatabase => ({
  pageSize: 30_000,
  query: async (statements) =>
    (
      (await stage.db.batch(statements.map((sql) => stage.db.prepare(sql)))) as {
        results: D1Row[];
      }[]
    ).map(({ results }) => results),
  async execute(statements) {
    await stage.db.batch(statements.map((sql) => stage.db.prepare(sql)));
  },
});

const foundBy = async (isRepairing: boolean) =>
  (await runFsck(store(), isRepairing))
    .filter(({ found }) => found > 0)
    .map(({ name, found, left }) => [name, found, left]);

const sql = async (text: string): Promise<D1Row[]> =>
  (await stage.db.prepare(text).bind().all<D1Row>()).results;

const post = async (path: string, body: unknown) =>
  (await stage.call(token, path, { method: "POST", body })).body ?? {};

const importOsv = (...records: unknown[]) =>
  post(`/vulnerabilities/v2/osvRecords/${org}:import`, { records });

/** Uses several parts of the platform. */
async function usePlatform(): Promise<void> {
  await sql(
    `INSERT INTO identities (uid, name, last_seen_time, create_time, update_time) VALUES ('${owner}', 'owner', 1, 1, 1)`,
  );
  token = await stage.tokenFor(owner);
  org = String((await post("/iam/v2/groups", { name: "acme.example" })).uid);
  const group = String((await post(`/iam/v2/groups/${org}`, { name: "team" })).uid);
  await post(`/iam/v2/identities/${group}`, {
    name: "bot",
    claimMatch: { issuer: "https://ci.example.com", subject: "bot" },
  });
  const moves = (await readFile(join(root, "cli/demo/tag-moves.jsonl"), "utf8")).split("\n");
  const some = moves.slice(0, 800).map((line) => {
    const { updateTimestamp, ...move } = JSON.parse(line);
    return { ...move, updateTime: updateTimestamp };
  });
  await post(`/registry/v2/tagMoves/${org}:import`, { moves: some });
  const osv = (await readFile(join(root, "cli/demo/osv.jsonl"), "utf8")).trim().split("\n");
  await importOsv(box, ...osv.map((line) => JSON.parse(line)));
  await post(`/vulnerabilities/v2/openVexDocuments/${org}:import`, {
    documents: [openVexOf([statementOf()])],
  });
  const repo = String((await post(`/registry/v2/repos/${group}`, { name: "app" })).uid);
  await post(`/registry/v2/tags/${repo}`, { name: "1.0", digest: fakeDigest("one") });
  await post(`/registry/v2/tags/${repo}`, { name: "1.0", digest: fakeDigest("two") });
}

beforeAll(async () => {
  state = join(await newFolder(), "state");
  const database = join(state, "d1/v3");
  await copyDatabase(database);
  stage = await startBenchPlatform(await readFile(inject("bundle"), "utf8"), database);
  await usePlatform();
});

afterAll(async () => {
  await stage.stop();
  await rm(state, { recursive: true });
});

test("the rows of calls have no fault", async () => {
  expect(await foundBy(false)).toEqual([]);
});

test("a record that its advisory does not show is imported again by the next import, also after an edit in version 1", async () => {
  const [{ uid } = {}] = await sql(`SELECT uid FROM advisories WHERE advisory_id = '${box.id}'`);
  expect(await importOsv(box)).toMatchObject({ unchanged: 1 });
  // The result of a race: the advisory of this record, and the one before it.
  await sql(
    `UPDATE osv_records SET record = json_set(record, '$.summary', 'Old') WHERE uid = '${uid}'`,
  );
  expect(await importOsv(box)).toMatchObject({ unchanged: 1 });
  expect(await foundBy(true)).toEqual([["records", 1, 0]]);
  const edited = {
    ...{ advisoryId: box.id, artifactName: "box", artifactType: "library" },
    ...{ componentName: "box", componentType: "python", aliases: [] },
  };
  await stage.call(token, `/vulnerabilities/v1/advisories/${uid}`, { method: "PUT", body: edited });
  expect(await importOsv(box)).toMatchObject({ updated: 1 });
  const [{ record } = {}] = await sql(`SELECT record FROM osv_records WHERE uid = '${uid}'`);
  expect(JSON.parse(String(record))).toEqual(box);
  expect(await foundBy(false)).toEqual([]);
});

test("history is repaired on D1, and protected as before", async () => {
  const twice = "SELECT repo_uid, tag, update_time + 1, digest FROM tag_moves WHERE tag = '1.0'";
  await sql(
    `INSERT INTO tag_moves (repo_uid, tag, update_time, digest) ${twice} ORDER BY update_time DESC LIMIT 1`,
  );
  expect(await foundBy(true)).toEqual([["history", 1, 0]]);
  await expect(sql("DELETE FROM tag_moves")).rejects.toThrow("append-only");
});

const fsck = (...args: string[]) => platformctl(["fsck", "--local", "--folder", state, ...args]);

test("the command reports the damage with exit code 1, repairs it, and then succeeds", async () => {
  await stage.stop();
  const files = await readdir(state, { recursive: true });
  const file = files.find((name) => /[0-9a-f]{64}\.sqlite$/.test(name)) ?? "";
  const db = new DatabaseSync(join(state, file));
  db.exec(
    "UPDATE counts SET children = children + 1 WHERE kind = 'repos'; DELETE FROM repos WHERE name = 'app'",
  );
  db.close();
  const damaged = await fsck();
  expect({ ...damaged, out: "" }).toEqual({ code: 1, out: "", err: "" });
  expect(damaged.out).toMatch(/^history +\d+ rows {2}ok$/m);
  expect(damaged.out).toMatch(
    /^parents +\d+ rows {2}1 problem\n {2}Violated: The parent of each row exists\.\n {4}[0-9a-f/]+ {2}tags: its parent does not exist in repos$/m,
  );
  expect(damaged.out).toMatch(/^ {2}--repair deletes these rows /m);
  expect(damaged.out).toMatch(/\n3 problems\. To repair the database, add --repair\.\n$/);
  const repaired = await fsck("--repair", "--json");
  expect({ ...repaired, out: "" }).toEqual({ code: 0, out: "", err: "" });
  const { checks, ...total } = JSON.parse(repaired.out);
  expect(total).toEqual({ found: 3, repaired: 3, left: 0 });
  expect(checks.map(({ name }: { name: string }) => name).slice(0, 2)).toEqual([
    "parents",
    "references",
  ]);
  expect(checks[0]).toMatchObject({
    found: 1,
    repaired: 1,
    left: 0,
    promise: "The parent of each row exists.",
  });
  expect(await fsck()).toMatchObject({
    code: 0,
    err: "",
    out: expect.stringMatching(/\nThe database is consistent\.\n$/),
  });
  expect(await readdir(state)).not.toContain("lock");
});

test("a folder in use is rejected, and so is one without a database", async () => {
  const release = await lockFolder(state);
  const { code, out, err } = await fsck().finally(release);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toContain(`Process ${process.pid} is already using the data folder ${state}`);
  const nowhere = await platformctl(["fsck", "--local", "--folder", "/nowhere"]);
  expect(nowhere).toMatchObject({
    code: 1,
    out: "",
    err: expect.stringContaining("There is no platform in /nowhere"),
  });
});

test("a deployed database is checked and repaired by SQL that wrangler sends to Cloudflare", {
  timeout: 180_000,
  ...long,
}, async () => {
  const folder = await newFolder();
  await newFile(join(folder, "deployed"));
  const sqlite = openCopy(join(folder, "deployed"));
  sqlite.exec(
    "INSERT INTO tag_moves (repo_uid, tag, update_time, digest) SELECT repo_uid, tag, update_time + 1, digest FROM tag_moves",
  );
  const { databases, env, close } = await startCloudflare([]);
  databases.set("00000000-0000-0000-0000-000000000000", { name: "platform", sqlite });
  const { code, out, err } = await platformctl(["fsck", "--remote", "--repair"], { env });
  close();
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/^history +\d+ rows {2}\d+ problems, repaired$/m);
  expect(() => sqlite.exec("DELETE FROM tag_moves")).toThrow("append-only");
  sqlite.close();
  await rm(folder, { recursive: true });
});
