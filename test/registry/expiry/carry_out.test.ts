/** Plans that are made and carried out at the registry: what goes, what stays, and what has changed in between. */
import { beforeEach, describe, expect, test } from "vitest";
import {
  descriptorOf,
  type Image,
  pushBlob,
  putManifest,
  send,
  someBytes,
} from "../../distribution/client.ts";
import { createResource } from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { AgedRepo, indexText } from "./aged_repo.ts";

let repo: AgedRepo;

beforeEach(async () => {
  repo = await AgedRepo.create();
});

const old = (includeTags: string[] = []) =>
  [{ expire: { unmovedDays: 30 } }, { includeTags }] as const;

/** Pulls at a digest or a tag, as a deployment does. */
const pulls = async (reference: string) => expect(await repo.pull(reference)).toBe(200);

/** Carries a plan out. Returns the notes of the items that were left alone, by tag or digest. */
async function leftBy(plan: { uid: string }): Promise<Record<string, string | undefined>> {
  await repo.carryOut(plan.uid);
  const left = await repo.items(plan.uid, "&outcome=EXPIRY_OUTCOME_LEFT");
  return Object.fromEntries(left.map(({ tag, digest, note }) => [tag ?? digest, note]));
}

describe("a plan never deletes", () => {
  test("an image of a tagged index, at any depth", async () => {
    const [leaf, other] = [await repo.image(), await repo.image()];
    const inner = { digest: await repo.index([leaf]), text: indexText([leaf]) };
    const outer = await repo.index([inner]);
    await repo.tag(outer, "keep-me", 1);
    await repo.rule({ expire: { untaggedDays: 7 } });
    const plan = await repo.plan();
    expect(plan.items.map(({ digest }) => digest)).toEqual([other.digest]);
    expect(await leftBy(plan)).toEqual({});
    for (const digest of [outer, inner.digest, leaf.digest]) await pulls(digest);
  });

  test("another tag of the digest of a tag that goes", async () => {
    const { digest } = await repo.image();
    await repo.tag(digest, ["pr-1", "v1", "v2"], 60);
    await repo.rule(...old(["pr-*"]));
    const plan = await repo.plan();
    expect(plan.items.map(({ tag }) => tag)).toEqual(["pr-1"]);
    expect(await leftBy(plan)).toEqual({});
    for (const tag of ["v1", "v2", digest]) await pulls(tag);
    expect(await repo.pull("pr-1")).toBe(404);
  });

  test("a tag that a rule of any scope keeps, and the referrers of its image", async () => {
    const [kept, gone] = [await repo.image(), await repo.image()];
    const signature = await repo.referrer(kept.digest);
    await repo.tag(kept.digest, "v1", 60);
    await repo.tag(gone.digest, "pr-1", 60);
    await repo.rule({ keep: { writeOnce: true } }, { includeTags: ["v*"] }, repo.organization);
    await repo.rule(...old());
    const plan = await repo.plan();
    expect(plan.items.map(({ tag, digest }) => tag ?? digest)).toEqual(["pr-1", gone.digest]);
    await repo.carryOut(plan.uid);
    for (const one of ["v1", signature]) await pulls(one);
  });

  test("an image that an image hold names, or that a rule can choose for a pull", async () => {
    const [held, earlier, newest, free] = [
      await repo.image(),
      await repo.image(),
      await repo.image(),
      await repo.image(),
    ];
    await repo.tag(earlier.digest, "latest", 60);
    await repo.tag(newest.digest, "latest", 50);
    await repo.rule({ serve: { cooldownHours: 1 } }, { includeTags: ["latest"] });
    await createResource(`/registry/v2/imageHolds/${repo.uid}`, repo.token, {
      name: "prod",
      digests: [held.digest],
    });
    await repo.rule({ expire: { untaggedDays: 7 } });
    const plan = await repo.plan();
    expect(plan.items.map(({ digest }) => digest)).toEqual([free.digest]);
  });

  test("an image that is pulled by its digest only, as a deployment that has pinned it does", async () => {
    const [pinned, unused] = [await repo.image(), await repo.image()];
    await pulls(pinned.digest);
    await repo.rule({ expire: { untaggedDays: 7 } });
    const deadline = Date.now() + 5_000;
    let plan = await repo.plan();
    // The pull is recorded after its response.
    while (plan.items.length > 1 && Date.now() < deadline) {
      await repo.call(`${plan.uid}:cancel`, {});
      plan = await repo.plan();
    }
    expect(plan.items.map(({ digest }) => digest)).toEqual([unused.digest]);
  });
});

describe("what has changed since the plan was made is left alone and named", () => {
  /** A plan with one old tag and its image. */
  async function planned() {
    const image = await repo.image();
    const subject = await repo.image();
    await repo.tag(image.digest, "pr-1", 60);
    await repo.rule(...old(["pr-*"]));
    return { image, subject, plan: await repo.plan() };
  }

  test("a tag that has moved", async () => {
    const { image, subject, plan } = await planned();
    await repo.tag(subject.digest, "pr-1", 0);
    expect(await leftBy(plan)).toEqual({
      "pr-1": "it has moved to another image",
      [image.digest]: "no rule is about it",
    });
    await pulls("pr-1");
  });

  test("a tag that was pulled", async () => {
    const { image, plan } = await planned();
    await pulls("pr-1");
    const today = new Date().toISOString().slice(0, 10);
    await expect
      .poll(() =>
        sql(
          "select 1 from tag_pulls where reference = 'pr-1' and repo_id = (select id from repo_storage where uid = ?)",
          repo.uid,
        ),
      )
      .toHaveLength(1);
    expect(await leftBy(plan)).toEqual({
      "pr-1": `it was pulled on ${today}`,
      [image.digest]: "the tag pr-1 points to it",
    });
  });

  test("an image that got another tag, a referrer or an index", async () => {
    const images = [await repo.image(), await repo.image(), await repo.image()];
    for (const [n, { digest }] of images.entries()) await repo.tag(digest, `pr-${n}`, 60);
    await repo.rule(...old(["pr-*"]));
    const plan = await repo.plan();
    const [tagged, referred, indexed] = images as [Image, Image, Image];
    await repo.tag(tagged.digest, "new", 0);
    const signature = await repo.referrer(referred.digest, 0);
    const index = await repo.index([indexed], 0);
    expect(await leftBy(plan)).toEqual({
      [tagged.digest]: "the tag new points to it",
      [referred.digest]: "something that stays refers to it",
      [indexed.digest]: `${index} stays, and belongs to it`,
    });
    for (const digest of [signature, ...images.map((image) => image.digest)]) await pulls(digest);
  });

  test("everything that a rule keeps by now, and items whose rule needs approval by now", async () => {
    const { image, plan } = await planned();
    await repo.rule({ keep: { writeOnce: true } }, { includeTags: ["pr-1"] }, repo.organization);
    const left = await leftBy(plan);
    expect(left["pr-1"]).toMatch(/^the rule "rule-.+" of .+ keeps it$/);
    expect(left[image.digest]).toBe("the tag pr-1 points to it");
  });

  test("an image that was tagged and untagged again: its time begins again", async () => {
    const { digest } = await repo.image();
    await repo.rule({ expire: { untaggedDays: 7 } });
    const plan = await repo.plan();
    expect(plan.items).toHaveLength(1);
    await repo.tag(digest, "again", 0);
    const tags = await callRest(`/registry/v2/tags?uidp.children_of=${repo.uid}`, {
      token: repo.token,
    });
    await callRest(`/registry/v2/tags/${tags.body.tags[0].uid}`, {
      token: repo.token,
      method: "DELETE",
    });
    expect(await leftBy(plan)).toEqual({ [digest]: "no rule is about it" });
    await pulls(digest);
  });
});

describe("the bytes", () => {
  test("are freed once for layers that several images share, and never for those of images that stay", async () => {
    const image = await repo.image();
    const { layer, config } = image;
    const stays = JSON.stringify({ ...JSON.parse(image.text), annotations: { stays: "yes" } });
    await repo.manifest(stays);
    await repo.tag(image.digest, "pr-1", 60);
    await repo.rule(...old(["pr-*"]));
    expect((await repo.plan()).body.bytes).toBe(String(Buffer.byteLength(image.text)));
    expect(layer.length + config.length).toBeGreaterThan(0);
  });

  test("of a layer count, of one that two images of a plan share once, and not of one that an image that stays has", async () => {
    const sizes = { first: 3_000, shared: 5_000, stays: 7_000 };
    const layerOf = async (bytes: number) => {
      const content = someBytes(bytes);
      await pushBlob(repo.target, content);
      return descriptorOf(content, "application/vnd.oci.image.layer.v1.tar");
    };
    const [first, shared, stays] = [
      await layerOf(sizes.first),
      await layerOf(sizes.shared),
      await layerOf(sizes.stays),
    ];
    const withLayers = async (...layers: object[]) => {
      const image = await repo.image();
      const text = JSON.stringify({ ...JSON.parse(image.text), layers });
      return { text, digest: await repo.manifest(text) };
    };
    const [one, two] = [await withLayers(first, shared, stays), await withLayers(shared, stays)];
    await repo.tag((await withLayers(stays)).digest, "v1", 1);
    await repo.tag(one.digest, "pr-1", 60);
    await repo.tag(two.digest, "pr-2", 60);
    await repo.rule(...old(["pr-*"]));
    // The images without a tag that the test made first stay, and have the configurations.
    const own = one.text.length + two.text.length;
    expect((await repo.plan()).body.bytes).toBe(String(own + sizes.first + sizes.shared));
  });

  test("are counted apart in the usage until the undo has passed", async () => {
    const { digest } = await repo.image();
    await repo.tag(digest, "pr-1", 60);
    await repo.rule(...old(["pr-*"]));
    const plan = await repo.plan();
    const usage = async () => {
      const { body } = await callRest(`/registry/v2/usages/${repo.organization}`, {
        token: repo.token,
      });
      return [body.bytes, body.undoBytes];
    };
    const [bytes] = await usage();
    await repo.carryOut(plan.uid);
    expect(await usage()).toEqual([bytes, plan.body.bytes]);
    await repo.undo(plan.uid);
    expect(await usage()).toEqual([bytes, "0"]);
  });
});

test("a tag keeps its image if a push moves it in the same moment", async () => {
  const names = Array.from({ length: 12 }, (_, n) => `pr-${n}`);
  const image = await repo.image();
  const next = await repo.image();
  await repo.tag(image.digest, names, 60);
  await repo.rule(...old(["pr-*"]));
  const plan = await repo.plan();
  const [, ...pushes] = await Promise.all([
    repo.carryOut(plan.uid),
    ...names.map((name) => putManifest(repo.target, name, next.text)),
  ]);
  for (const push of pushes) expect(push.status).toBe(201);
  for (const name of names) {
    const answer = await send(repo.target, `manifests/${name}`);
    expect([answer.status, answer.headers.get("docker-content-digest")]).toEqual([
      200,
      next.digest,
    ]);
  }
});

test("a history says that an expiry plan deleted the tag, and that its undo brought it back", async () => {
  const { digest } = await repo.image();
  await repo.tag(digest, "pr-1", 60);
  await repo.rule(...old(["pr-*"]));
  const plan = await repo.plan();
  await repo.carryOut(plan.uid);
  await repo.undo(plan.uid);
  const moves = await callRest(`/registry/v2/tagMoves?uidp.children_of=${repo.uid}&tag=pr-1`, {
    token: repo.token,
  });
  const shown = moves.body.tagMoves.map((move: Record<string, unknown>) => [
    move.digest ?? "",
    move.method,
  ]);
  expect(shown).toEqual([
    [digest, "TAG_MOVE_METHOD_EXPIRY"],
    ["", "TAG_MOVE_METHOD_EXPIRY"],
    [digest, "TAG_MOVE_METHOD_IMPORT"],
  ]);
});
