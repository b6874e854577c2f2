/** Crossed and cut-off requests against plans, with the bytes until after the undo. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ExpiryPlanState } from "../../../schema/gen/platform/registry/v2/expiry_plans_pb.js";
import { digestOf, pushBlob, putManifest, send } from "../../distribution/client.ts";
import { startOwnRegistry } from "../../distribution/own_registry.ts";
import { AgedRepo, dayMs, indexText } from "./aged_repo.ts";

let registry: Awaited<ReturnType<typeof startOwnRegistry>>;
let repo: AgedRepo;

beforeAll(async () => {
  registry = await startOwnRegistry();
});
afterAll(() => registry.stop());
beforeEach(async () => {
  repo = await AgedRepo.createIn(registry);
});

const oldTags = () => repo.rule({ expire: { unmovedDays: 30 } }, { includeTags: ["pr-*"] });

async function pass(days: number): Promise<void> {
  const ms = days * dayMs;
  await repo.sql("update blob_links set idle_time = idle_time - ?", ms);
  await repo.sql("update blobs set idle_time = idle_time - ?", ms);
  await repo.sql("update objects set idle_time = max(1, idle_time - ?) where idle_time > 0", ms);
  await repo.sql(
    `update expiry_plans set update_time = update_time - ?1, create_time = create_time - ?1,
      undo_expire_time = undo_expire_time - ?1`,
    ms,
  );
}

const remove = async (path: string) =>
  expect((await send(repo.target, path, { method: "DELETE" })).status).toBe(202);

test("no byte is lost before the undo ends, and none is left after it, with shared layers and an index", async () => {
  const [a, b] = [await repo.image(), await repo.image()];
  const index = await repo.index([a, b]);
  const sharing = JSON.stringify({ ...JSON.parse(a.text), annotations: { by: "hand" } });
  const byHand = await repo.manifest(sharing);
  await repo.referrer(index);
  await repo.tag(index, "pr-1", 60);
  await oldTags();
  const plan = await repo.plan();
  await repo.carryOut(plan.uid);
  await remove(`manifests/${byHand}`);
  // The same images come and go again, and their bytes come as blobs.
  for (const text of [a.text, b.text, indexText([a, b])]) await repo.manifest(text, 0);
  await pushBlob(repo.target, a.text);
  for (const digest of [index, a.digest, b.digest]) await remove(`manifests/${digest}`);
  let passed = 0;
  for (const until of [1, 2.5, 4, 6, 6.9]) {
    await pass(until - passed);
    passed = until;
    await registry.runSchedule();
  }
  expect(await repo.undo(plan.uid)).toMatchObject({ restoredCount: 5 });
  for (const digest of ["pr-1", index, a.digest, b.digest])
    expect(await repo.pull(digest)).toBe(200);
  for (const bytes of [a.layer, a.config, b.layer, b.config])
    expect((await send(repo.target, `blobs/${digestOf(bytes)}`)).status).toBe(200);
  await repo.sql("update tags set create_time = 1 where parent = ?", repo.uid);
  await remove(`manifests/pr-1`).catch(() => undefined);
  const all = await repo.sql<{ digest: string }>(
    "select digest from manifests where parent = ?",
    repo.uid,
  );
  for (const { digest } of all)
    await send(repo.target, `manifests/${digest}`, { method: "DELETE" });
  for (let run = 0; run < 8; run += 1) {
    await pass(3);
    await registry.runSchedule();
  }
  expect(
    await repo.sql(
      "select kind, idle_time from blob_links where repo_id = (select id from repo_storage where uid = ?)",
      repo.uid,
    ),
  ).toEqual([]);
  expect(
    await repo.sql("select bytes, shared_bytes from repo_storage where uid = ?", repo.uid),
  ).toEqual([{ bytes: 0, shared_bytes: 0 }]);
});

test("plans whose undo a quota refuses do not keep the schedule from those of other organizations", async () => {
  const image = await repo.image();
  await repo.tag(image.digest, "pr-1", 60);
  await oldTags();
  const plan = await repo.plan();
  await repo.carryOut(plan.uid);
  await repo.sql(
    "insert into quotas (organization, kind, quota_limit) values (?, 'manifests', 0)",
    repo.organization,
  );
  expect((await repo.call(`${plan.uid}:undo`, {})).status).toBe(429);
  const columns = async (table: string) => {
    const rows = await repo.sql<{ name: string }>(`select name from pragma_table_info('${table}')`);
    return rows.map(({ name }) => name);
  };
  const copy = async (table: string, key: string) => {
    const names = await columns(table);
    const values = names.map((name) =>
      name === key ? `substr(${key}, 1, 58) || printf('%016x', i)` : name,
    );
    await repo.sql(
      `insert into ${table} (${names}) with recursive n (i) as (select 1 union all select i + 1 from n where i < 120)
        select ${values} from n, ${table} where ${key} = ?`,
      plan.uid,
    );
  };
  await copy("expiry_plans", "uid");
  await copy("expiry_items", "plan_uid");
  await repo.sql(
    `update expiry_plans set update_time = 1 where state = ${ExpiryPlanState.UNDOING} and uid <> ?`,
    plan.uid,
  );
  const victim = await AgedRepo.createIn(registry);
  await victim.tag((await victim.image()).digest, "pr-1", 60);
  await victim.rule({ expire: { unmovedDays: 30, daily: true } }, { includeTags: ["pr-*"] });
  // Not by a pull, which would keep the tag.
  const left = () => victim.sql("select 1 from tags where parent = ?", victim.uid);
  for (let run = 0; run < 8 && (await left()).length > 0; run += 1) {
    await registry.runSchedule();
    await victim.waitForPulls();
  }
  expect(await left()).toEqual([]);
});

test("of another organization says nothing, and changes nothing", async () => {
  const other = await AgedRepo.createIn(registry);
  const image = await repo.image();
  await repo.tag(image.digest, "pr-1", 60);
  await oldTags();
  const plan = await repo.plan();
  for (const path of [plan.uid, `${plan.uid}:items`])
    expect((await repo.call(path, undefined, other.token)).status).not.toBe(200);
  for (const verb of ["approve", "carryOut", "cancel", "undo"])
    expect((await repo.call(`${plan.uid}:${verb}`, {}, other.token)).status).not.toBe(200);
  expect((await repo.call(repo.uid, {}, other.token)).status).not.toBe(200);
  expect((await repo.call(plan.uid)).body.state).toBe("EXPIRY_PLAN_STATE_READY");
});

test("a token of the items of a plan is only for that plan", async () => {
  const image = await repo.image();
  await repo.tag(image.digest, ["pr-1", "pr-2"], 60);
  await oldTags();
  const plan = await repo.plan();
  const { body } = await repo.call(`${plan.uid}:items?page_size=1`);
  await repo.call(`${plan.uid}:cancel`, {});
  const next = await repo.plan();
  const answer = await repo.call(`${next.uid}:items?page_size=1&page_token=${body.nextPageToken}`);
  expect(answer.status).toBe(400);
});

test("carry-out crossed with pushes of an index, of a referrer, and of tags breaks nothing that is there afterwards", async () => {
  const images = [];
  for (let n = 0; n < 12; n += 1) images.push(await repo.image());
  for (const [n, image] of images.entries()) await repo.tag(image.digest, `pr-${n}`, 60);
  await oldTags();
  const plan = await repo.plan();
  const put = async (text: string) =>
    [
      digestOf(text),
      (await putManifest(repo.target, digestOf(text), text, JSON.parse(text).mediaType)).status,
    ] as const;
  const work = images.slice(0, 6).map((image) => put(indexText([image])));
  const [, , ...pushed] = await Promise.all([
    repo.call(`${plan.uid}:carryOut`, {}),
    repo.call(`${plan.uid}:carryOut`, {}),
    ...work,
  ]);
  await repo.call(`${plan.uid}:carryOut`, {});
  for (const [n, [digest, status]] of pushed.entries())
    if (status === 201) {
      const answer = await repo.pull(digest);
      const child = await repo.pull(images[n]?.digest ?? "");
      expect(answer).toBe(200);
      const incomplete = await repo.sql("select 1 from incomplete_indexes");
      expect(child === 200 || incomplete.length > 0).toBe(true);
    }
  const { body } = await repo.call(plan.uid);
  expect(body.state).toBe("EXPIRY_PLAN_STATE_DONE");
  await repo.undo(plan.uid);
  for (const image of images) expect(await repo.pull(image.digest)).toBe(200);
});
