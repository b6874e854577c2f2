/** The undo of a plan: everything is as it was, and nothing that is there by now changes. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { digestOf, putManifest, send } from "../../distribution/client.ts";
import { startOwnRegistry } from "../../distribution/own_registry.ts";
import { AgedRepo, indexText } from "./aged_repo.ts";

const day = 24 * 3_600_000;

let registry: Awaited<ReturnType<typeof startOwnRegistry>>;
let repo: AgedRepo;

beforeAll(async () => {
  registry = await startOwnRegistry();
});
afterAll(() => registry.stop());
beforeEach(async () => {
  repo = await AgedRepo.createIn(registry);
});

/** Moves all times that the clean-up and the undo look at into the past. */
async function pass(days: number): Promise<void> {
  const ms = days * day;
  await repo.sql("update blob_links set idle_time = idle_time - ?", ms);
  await repo.sql("update blobs set idle_time = idle_time - ?", ms);
  await repo.sql("update objects set idle_time = max(1, idle_time - ?) where idle_time > 0", ms);
  await repo.sql(
    `update expiry_plans set update_time = update_time - ?1, create_time = create_time - ?1,
      undo_expire_time = undo_expire_time - ?1`,
    ms,
  );
}

/** A plan that has deleted the tag `pr-1` and its image. */
async function deleted(tags: string | string[] = "pr-1") {
  const image = await repo.image();
  await repo.tag(image.digest, tags, 60);
  await repo.rule({ expire: { unmovedDays: 30 } }, { includeTags: ["pr-*"] });
  const plan = await repo.plan();
  await repo.carryOut(plan.uid);
  return { image, plan };
}

const rows = async () => ({
  tags: await repo.sql("select * from tags where parent = ? order by name", repo.uid),
  manifests: await repo.sql("select * from manifests where parent = ? order by digest", repo.uid),
  links: await repo.sql(
    `select kind, blob_id, idle_time is null as used from blob_links
      where repo_id = (select id from repo_storage where uid = ?) order by kind, blob_id`,
    repo.uid,
  ),
  referrers: await repo.sql(
    "select hex(subject), artifact_type, annotations from referrers where repo_id = (select id from repo_storage where uid = ?) order by 3",
    repo.uid,
  ),
  storage: await repo.sql("select bytes from repo_storage where uid = ?", repo.uid),
  counts: await repo.sql(
    "select kind, children from counts where ancestor = ? order by kind",
    repo.uid,
  ),
});

test("brings back every row as it was, except the time of the move", async () => {
  const image = await repo.image();
  const index = await repo.index([image]);
  await repo.referrer(index);
  await repo.tag(index, "pr-1", 60);
  await repo.rule({ expire: { unmovedDays: 30 } }, { includeTags: ["pr-*"] });
  const before = await rows();
  const plan = await repo.plan();
  await repo.carryOut(plan.uid);
  const between = await rows();
  expect([between.tags, between.manifests, between.referrers]).toEqual([[], [], []]);
  expect(between.storage).toEqual(before.storage);
  await repo.undo(plan.uid);
  const { links, tags, counts, ...after } = await rows();
  const { links: linksBefore, tags: tagsBefore, counts: countsBefore, ...others } = before;
  expect(after).toEqual(others);
  const withoutTime = (all: Record<string, unknown>[]) =>
    all.map(({ update_time: _, ...tag }) => tag);
  expect(withoutTime(tags)).toEqual(withoutTime(tagsBefore));
  // The bytes of the manifests stay linked as blobs until the clean-up.
  const held = links.filter((link) => !(link.kind === 0 && link.used === 0));
  expect(held).toEqual(linksBefore.filter((link) => !(link.kind === 0 && link.used === 0)));
  const plans = (all: Record<string, unknown>[]) =>
    all.filter(({ kind }) => kind !== "expiry_plans");
  expect(plans(counts)).toEqual(plans(countsBefore));
});

test("finds the layers after the clean-up has run for days, and other images with them have come and gone", async () => {
  const image = await repo.image();
  const index = await repo.index([image]);
  await repo.tag(index, "pr-1", 60);
  await repo.rule({ expire: { unmovedDays: 30 } }, { includeTags: ["pr-*"] });
  const plan = await repo.plan();
  await repo.carryOut(plan.uid);
  const other = JSON.stringify({ ...JSON.parse(image.text), annotations: { other: "yes" } });
  for (const text of [other, image.text, indexText([image])]) await repo.manifest(text, 0);
  for (const digest of [index, image.digest, digestOf(other)]) {
    const path = `manifests/${digest}`;
    expect((await send(repo.target, path, { method: "DELETE" })).status).toBe(202);
  }
  await pass(5);
  for (let run = 0; run < 3; run += 1) await registry.runSchedule();
  expect(await repo.undo(plan.uid)).toMatchObject({ restoredCount: 3 });
  expect(await repo.pull("pr-1")).toBe(200);
  for (const bytes of [image.layer, image.config]) {
    const hex = digestOf(bytes);
    expect((await send(repo.target, `blobs/${hex}`)).status).toBe(200);
  }
});

test("frees the bytes once the undo has passed, and then says so", async () => {
  const { image, plan } = await deleted();
  await pass(8);
  for (let run = 0; run < 3; run += 1) {
    await registry.runSchedule();
    await pass(2);
  }
  const late = await repo.call(`${plan.uid}:undo`, {});
  expect([late.status, late.body.details[1].violations[0].type]).toEqual([400, "UNDO_EXPIRED"]);
  for (const bytes of [image.layer, image.config])
    expect((await send(repo.target, `blobs/${digestOf(bytes)}`)).status).toBe(404);
  const [storage] = await repo.sql("select bytes from repo_storage where uid = ?", repo.uid);
  expect(storage).toEqual({ bytes: 0 });
  expect(await repo.sql("select 1 from expiry_items where snapshot is not null")).toEqual([]);
});

test("leaves a tag that exists again, and names it, and a manifest that was pushed again is not written twice", async () => {
  const { image, plan } = await deleted(["pr-1", "pr-2"]);
  const newer = await repo.image(0);
  await repo.tag(newer.digest, "pr-1", 0);
  expect((await putManifest(repo.target, image.digest, image.text)).status).toBe(201);
  expect(await repo.undo(plan.uid)).toMatchObject({ state: "EXPIRY_PLAN_STATE_UNDONE" });
  const items = await repo.items(plan.uid);
  expect(items.map(({ tag = "", outcome, note }) => [tag, outcome, note])).toEqual([
    ["pr-1", "EXPIRY_OUTCOME_NOT_RESTORED", "the tag exists again"],
    ["pr-2", "EXPIRY_OUTCOME_RESTORED", undefined],
    ["", "EXPIRY_OUTCOME_RESTORED", undefined],
  ]);
  const answer = await send(repo.target, "manifests/pr-1");
  expect(answer.headers.get("docker-content-digest")).toBe(newer.digest);
});

test("of two at once restores everything once", async () => {
  const tags = Array.from({ length: 30 }, (_, n) => `pr-${n}`);
  const { plan } = await deleted(tags);
  const answers = await Promise.all([1, 2, 3].map(() => repo.call(`${plan.uid}:undo`, {})));
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  const { body } = await repo.call(plan.uid);
  expect(body).toMatchObject({ state: "EXPIRY_PLAN_STATE_UNDONE", restoredCount: 31 });
  const [moves] = await repo.sql(
    "select count(*) as n from tag_moves where repo_uid = ? and digest <> ''",
    repo.uid,
  );
  expect(moves).toEqual({ n: 60 });
});
