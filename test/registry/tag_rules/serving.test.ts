/** Pulls of tags with rules that choose an image: cooldown, requirements, and who gets the tag as it is. */
import { beforeEach, describe, expect, test } from "vitest";
import {
  newImageOf,
  newPusher,
  pushBlob,
  pushImage,
  putManifest,
  send,
  type Target,
} from "../../distribution/client.ts";
import { hourMs, registryToken } from "../../distribution/stored_images.ts";
import {
  createResource,
  newIdentity,
  type Organization,
  randomName,
  roleUid,
} from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";

let organization: Organization;
let target: Target;
let token: string;
let repo: string;

beforeEach(async () => {
  const pusher = await newPusher();
  ({ organization } = pusher);
  token = organization.owner.token;
  target = { token: pusher.token, name: `${organization.uid}/app` };
  await pushImage(target, "other");
  const rows = await sql<{ uid: string }>(
    "select uid from repos where parent = ?",
    organization.uid,
  );
  repo = rows[0]?.uid ?? "";
});

/** Pushes an image by digest, and imports a move of `latest` to it as of some hours ago. */
async function movedAgo(hours: number, labels: Record<string, string> = {}): Promise<string> {
  const image = newImageOf({ labels });
  await pushBlob(target, image.layer);
  await pushBlob(target, image.config);
  await putManifest(target, image.digest, image.text);
  const updateTime = new Date(Date.now() - hours * hourMs).toISOString();
  const moves = [{ repo: "app", tag: "latest", digest: image.digest, updateTime }];
  await createResource(`/registry/v2/tagMoves/${organization.uid}:import`, token, { moves });
  return image.digest;
}

const serve = async (rule: object, parent = repo) =>
  (
    await createResource(`/registry/v2/tagRules/${parent}`, token, {
      ...{ name: randomName("rule"), includeTags: ["latest"], serve: rule },
    })
  ).uid;

/** The digests that a pull of `latest` says it got, and that the tag has if they differ. */
async function pulled(as = target, method = "GET", reference = "latest") {
  const answer = await send(as, `manifests/${reference}`, { method });
  const { headers } = answer;
  await answer.arrayBuffer();
  return [answer.status, headers.get("docker-content-digest"), headers.get("platform-tag-digest")];
}

describe("a cooldown", () => {
  test("serves the newest image that is old enough, and names the digest of the tag", async () => {
    const [, middle, newest] = [await movedAgo(72), await movedAgo(30), await movedAgo(2)];
    expect(await pulled()).toEqual([200, newest, null]);
    await serve({ cooldownHours: 24 });
    for (const method of ["GET", "HEAD"])
      expect(await pulled(target, method)).toEqual([200, middle, newest]);
    expect(await pulled(target, "GET", newest)).toEqual([200, newest, null]);
    const bytes = await (await send(target, "manifests/latest")).text();
    const known = await send(target, `manifests/${middle}`);
    expect(bytes).toBe(await known.text());
    const cached = { headers: { "if-none-match": `"${middle}"` } };
    expect((await send(target, "manifests/latest", cached)).status).toBe(304);
  });

  test("serves nothing if no image is old enough, and says why", async () => {
    await movedAgo(2);
    const uid = await serve({ cooldownHours: 24 });
    const answer = await send(target, "manifests/latest");
    expect([answer.status, await answer.json()]).toMatchObject([
      404,
      {
        errors: [{ code: "MANIFEST_UNKNOWN", message: expect.stringMatching(/cools down until/) }],
      },
    ]);
    const check = await callRest(`/registry/v2/tagRules/${repo}:check`, {
      ...{ token, body: { tag: "latest", pull: true } },
    });
    expect(check.body).toMatchObject({ allowed: false, tagRuleUid: uid });
    expect(check.body.servedDigest).toBeUndefined();
  });

  test("leaves out an image that is gone", async () => {
    const [old, gone] = [await movedAgo(72), await movedAgo(48)];
    await movedAgo(2);
    await serve({ cooldownHours: 24 });
    expect((await pulled())[1]).toBe(gone);
    expect((await send(target, `manifests/${gone}`, { method: "DELETE" })).status).toBe(202);
    expect((await pulled())[1]).toBe(old);
  });

  test("does not bring back an image from before a deletion", async () => {
    const old = await movedAgo(72);
    expect((await send(target, "manifests/latest", { method: "DELETE" })).status).toBe(202);
    const image = await pushImage(target, "latest");
    await serve({ cooldownHours: 24 });
    expect((await pulled())[0]).toBe(404);
    expect(await pulled(target, "GET", image.digest)).toEqual([200, image.digest, null]);
    expect(old).not.toBe(image.digest);
  });

  test("finds an image that is old enough, however often the tag has moved since", async () => {
    const [, old] = [await movedAgo(72), await movedAgo(48)];
    const digest = (n: number) => `sha256:${n.toString(16).padStart(64, "0")}`;
    const now = Date.now();
    const moves = Array.from({ length: 150 }, (_, n) => ({
      ...{ repo: "app", tag: "latest", digest: digest(n) },
      updateTime: new Date(now - 3 * hourMs + n * 1_000).toISOString(),
    }));
    await createResource(`/registry/v2/tagMoves/${organization.uid}:import`, token, { moves });
    const newest = await movedAgo(1);
    await serve({ cooldownHours: 24 });
    expect(await pulled()).toEqual([200, old, newest]);
  });

  test("does not delay a tag that is moved back", async () => {
    const [old, bad] = [await movedAgo(50), await movedAgo(30)];
    await serve({ cooldownHours: 24 });
    expect(await pulled()).toEqual([200, bad, null]);
    const rows = await sql<{ uid: string }>(
      "select uid from tags where parent = ? and name = 'latest'",
      repo,
    );
    const path = `/registry/v2/tags/${rows[0]?.uid}:rollback`;
    await createResource(path, token, { digest: old });
    expect(await pulled()).toEqual([200, old, null]);
  });

  test("does not hold for an exempt role, and holds for others", async () => {
    const [middle, newest] = [await movedAgo(30), await movedAgo(2)];
    const role = await roleUid("registry.push");
    await serve({ cooldownHours: 24, exemptRoleUid: role });
    const { uid } = await newIdentity(organization, "registry.pull");
    const puller = { ...target, token: await registryToken(uid) };
    expect(await pulled(puller)).toEqual([200, middle, newest]);
    expect(await pulled()).toEqual([200, newest, null]);
  });

  test("of the repository counts before that of the organization", async () => {
    const [middle, newest] = [await movedAgo(30), await movedAgo(2)];
    await serve({ cooldownHours: 24 }, organization.uid);
    expect(await pulled()).toEqual([200, middle, newest]);
    await serve({ cooldownHours: 1 });
    expect(await pulled()).toEqual([200, newest, null]);
  });
});

test("a requirement serves the newest image that meets it", async () => {
  const [good, newest] = [await movedAgo(30, { reviewed: "yes" }), await movedAgo(2)];
  await serve({ requirement: { label: { name: "reviewed", value: "yes" } } });
  expect(await pulled()).toEqual([200, good, newest]);
  const better = await movedAgo(1, { reviewed: "yes" });
  expect(await pulled()).toEqual([200, better, null]);
});

test("a check and a preview say what a pull gets", async () => {
  const [middle, newest] = [await movedAgo(30), await movedAgo(2)];
  const tagRule = { name: "r", includeTags: ["latest"], serve: { cooldownHours: 24 } };
  const asked = { token, body: { tagRule } };
  const preview = await callRest(`/registry/v2/tagRules/${organization.uid}:preview`, asked);
  expect(preview.body.tags).toMatchObject([
    { tag: "latest", allowed: true, digest: newest, servedDigest: middle },
  ]);
  const check = () =>
    callRest(`/registry/v2/tagRules/${repo}:check`, { token, body: { tag: "latest", pull: true } });
  expect((await check()).body).toMatchObject({ allowed: true, servedDigest: newest });
  const uid = await serve(tagRule.serve);
  expect((await check()).body).toMatchObject({
    ...{ allowed: true, servedDigest: middle, currentDigest: newest, tagRuleUid: uid },
    reason: expect.stringMatching(/holds latest back: .*cools down/),
  });
});

test("a check says that a pull gets nothing if the registry has no image of the tag", async () => {
  const old = await movedAgo(30);
  const digest = `sha256:${"a".repeat(64)}`;
  await createResource(`/registry/v2/tags/${repo}`, token, { name: "latest", digest });
  const check = () =>
    callRest(`/registry/v2/tagRules/${repo}:check`, { token, body: { tag: "latest", pull: true } });
  for (const rule of [undefined, { cooldownHours: 24 }]) {
    if (rule) await serve(rule);
    expect((await pulled())[0]).toBe(404);
    expect((await check()).body).toMatchObject({ allowed: false, currentDigest: digest });
  }
  expect(old).not.toBe(digest);
});

test("two rules of one scope whose cooldown differs contradict each other", async () => {
  await serve({ cooldownHours: 24 });
  const rule = { name: "other", serve: { cooldownHours: 12 } };
  const { status, body } = await callRest(`/registry/v2/tagRules/${repo}`, { token, body: rule });
  expect([status, body.message]).toMatchObject([400, expect.stringMatching(/contradicts/)]);
});

test("a rule that chooses images does not keep a tag", async () => {
  const old = await movedAgo(30);
  await serve({ cooldownHours: 24 });
  const { digest } = await pushImage(target, "latest");
  expect(await pulled()).toEqual([200, old, digest]);
  expect((await send(target, "manifests/latest", { method: "DELETE" })).status).toBe(202);
});
