/** Promises of expiry plans that did not hold: each test is a way to lose something, or to get stuck. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ExpiryPlanState } from "../../../schema/gen/platform/registry/v2/expiry_plans_pb.js";
import { pushBlob } from "../../distribution/client.ts";
import { startOwnRegistry } from "../../distribution/own_registry.ts";
import { AgedRepo, dayMs } from "./aged_repo.ts";

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

/** A tag of a signature for an image. */
const signatureTag = (digest: string, ending = ".sig") => `${digest.replace(":", "-")}${ending}`;

test("the undo brings back an image with a layer that no one has pushed", async () => {
  const image = await repo.image();
  const { layers, ...rest } = JSON.parse(image.text);
  const foreign = {
    mediaType: "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip",
    digest: `sha256:${"ab".repeat(32)}`,
    size: 12,
    urls: ["https://layers.example.com/base"],
  };
  const digest = await repo.manifest(JSON.stringify({ ...rest, layers: [foreign, ...layers] }));
  await repo.tag(digest, "pr-1", 60);
  await oldTags();
  const plan = await repo.plan();
  await repo.carryOut(plan.uid);
  await repo.undo(plan.uid);
  expect((await repo.items(plan.uid)).map(({ outcome, note }) => [outcome, note])).toEqual([
    ["EXPIRY_OUTCOME_RESTORED", undefined],
    ["EXPIRY_OUTCOME_RESTORED", undefined],
  ]);
  expect(await repo.pull("pr-1")).toBe(200);
});

test("the image stays if one of its referrers stays, also one of the same batch", async () => {
  const [image, other] = [await repo.image(), await repo.image()];
  const referrer = await repo.referrer(image.digest);
  await repo.tag(image.digest, "pr-1", 60);
  await repo.tag(other.digest, signatureTag(referrer, "-kept"), 60);
  await oldTags();
  const plan = await repo.plan();
  await repo.carryOut(plan.uid);
  expect(await repo.pull(referrer)).toBe(200);
  expect(await repo.pull(image.digest)).toBe(200);
});

test("an image stays while its signature is pulled by the tag of the signature", async () => {
  const [image, signature] = [await repo.image(), await repo.image()];
  await repo.tag(image.digest, "pr-1", 60);
  await repo.tag(signature.digest, signatureTag(image.digest), 60);
  await oldTags();
  expect(await repo.pull(signatureTag(image.digest))).toBe(200);
  const deadline = Date.now() + 5_000;
  const pulls = () =>
    repo.sql("select 1 from tag_pulls where reference = ?", signatureTag(image.digest));
  while ((await pulls()).length === 0 && Date.now() < deadline);
  const plan = await repo.plan();
  await repo.carryOut(plan.uid);
  expect(await repo.pull(signatureTag(image.digest))).toBe(200);
  expect(await repo.pull(image.digest)).toBe(200);
});

test("an undo that began in time and was cut off is finished after it", async () => {
  const image = await repo.image();
  await repo.tag(image.digest, "pr-1", 60);
  await oldTags();
  const plan = await repo.plan();
  await repo.carryOut(plan.uid);
  await repo.sql(
    `update expiry_plans set state = ${ExpiryPlanState.UNDOING}, undo_expire_time = ?2, update_time = update_time - 3600000 where uid = ?1`,
    plan.uid,
    Date.now() - 1_000,
  );
  await registry.runSchedule();
  const { body } = await repo.call(plan.uid);
  expect(body).toMatchObject({ state: "EXPIRY_PLAN_STATE_UNDONE", restoredCount: 2 });
});

test("a plan that continues after the time of its undo deletes nothing that could not be undone", async () => {
  const image = await repo.image();
  await repo.tag(image.digest, "pr-1", 60);
  await oldTags();
  const plan = await repo.plan();
  await repo.sql(
    `update expiry_plans set state = ${ExpiryPlanState.RUNNING}, undo_expire_time = ?2, update_time = update_time - 3600000 where uid = ?1`,
    plan.uid,
    Date.now() - dayMs,
  );
  await registry.runSchedule();
  const { body } = await repo.call(plan.uid);
  if (body.deletedCount)
    expect(await repo.undo(plan.uid)).toMatchObject({ state: "EXPIRY_PLAN_STATE_UNDONE" });
  else expect(await repo.pull("pr-1")).toBe(200);
});

test("an image with very many signatures does not stop a plan", async () => {
  const [image, other] = [await repo.image(), await repo.image()];
  const signature = await repo.referrer(image.digest);
  await repo.tag(image.digest, "pr-1", 60);
  await repo.tag(other.digest, "pr-2", 60);
  await repo.sql(
    `insert into image_signatures (uid, digest, issuer, subject, create_time)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < 9000)
      select (select uid from manifests where parent = ?1 and digest = ?2), ?3, 'https://issuer.example.com/' || i,
        'https://' || hex(zeroblob(100)), 1 from n`,
    repo.uid,
    signature,
    image.digest,
  );
  await oldTags();
  const plan = await repo.plan();
  await repo.carryOut(plan.uid);
  expect(await repo.pull("pr-2")).toBe(404);
  await repo.undo(plan.uid);
  expect(await repo.pull("pr-1")).toBe(200);
});

test("the push of the bytes of an expired image as a blob does not end the time of its undo", async () => {
  const image = await repo.image();
  await repo.tag(image.digest, "pr-1", 60);
  await oldTags();
  const plan = await repo.plan();
  await repo.carryOut(plan.uid);
  await pushBlob(repo.target, image.text);
  const [{ idle_time: idle } = { idle_time: 0 }] = await repo.sql<{ idle_time: number }>(
    `select idle_time from blob_links where kind = 0 and blob_id = (select id from blobs where digest = unhex(?2))
      and repo_id = (select id from repo_storage where uid = ?1)`,
    repo.uid,
    image.digest.slice(7),
  );
  expect(idle).toBeGreaterThan(Date.now() + 6 * dayMs);
});
