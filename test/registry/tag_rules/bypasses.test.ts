/** Ways around a rule that depend on the limits of what it looks at: many tags, many indexes, long patterns, old times. */
import { beforeEach, describe, expect, test } from "vitest";
import {
  digestOf,
  type Image,
  indexType,
  manifestType,
  newImageOf,
  pushImage,
  putManifest,
  send,
  type Target,
} from "../../distribution/client.ts";
import { hourMs, registryToken } from "../../distribution/stored_images.ts";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
  randomName,
} from "../../world/personas.ts";
import { callRest, costOf, sql } from "../../world/platform.ts";

let organization: Organization;
let target: Target;
let token: string;
let repo: string;

beforeEach(async () => {
  organization = await newOrganization("bypass");
  token = organization.owner.token;
  const registry = await registryToken(organization.owner.uid);
  target = { token: registry, name: `${organization.uid}/app` };
  await pushImage(target, "other");
  const rows = await sql<{ uid: string }>(
    "select uid from repos where parent = ?",
    organization.uid,
  );
  repo = rows[0]?.uid ?? "";
});

const rule = (tag: string, kind: object, parent = repo) =>
  createResource(`/registry/v2/tagRules/${parent}`, token, {
    ...{ name: randomName("rule"), includeTags: [tag] },
    ...kind,
  });

const once = { keep: { writeOnce: true } };

/** Pushes an image by its digest. */
async function pushed(labels: Record<string, string> = {}): Promise<Image> {
  const image = newImageOf({ labels });
  return pushImage(target, image.digest, image);
}

const entryOf = ({ digest, text }: Pick<Image, "digest" | "text">, more: object = {}) => ({
  ...{ mediaType: manifestType, digest, size: Buffer.byteLength(text) },
  ...more,
});

function indexOf(...manifests: object[]) {
  const text = JSON.stringify({ schemaVersion: 2, mediaType: indexType, manifests });
  return { text, digest: digestOf(text) };
}

async function setTags({ digest, text }: { digest: string; text: string }, names: string[]) {
  const type = JSON.parse(text).mediaType;
  for (let at = 0; at < names.length; at += 50) {
    const query = names.slice(at, at + 50).map((name) => `tag=${name}`);
    const answer = await putManifest(target, `${digest}?${query.join("&")}`, text, type);
    expect(answer.status).toBe(201);
  }
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

const remove = async (reference: string, headers: Record<string, string> = {}) =>
  (await send(target, `manifests/${reference}`, { method: "DELETE", headers })).status;

describe("the image of a kept index stays", () => {
  test("if 500 other tags point to the index", async () => {
    const image = await pushed();
    const index = indexOf(entryOf(image));
    await setTags(index, [...numbers(500).map((n) => `a${n}`), "kept"]);
    await rule("kept", once);
    expect(await remove(image.digest)).toBe(409);
  });

  test("if 1,000 other indexes contain it", async () => {
    const image = await pushed();
    const index = indexOf(entryOf(image, { platform: { os: "linux", architecture: "amd64" } }));
    await sql(
      `with recursive n(n) as (select 1 union all select n + 1 from n where n < 1000)
        insert into manifests (uid, digest, media_type, entries, create_time, update_time, size)
        select ? || printf('/%016x', n), printf('sha256:%064x', n), ?, ?, 1, 1, 0 from n`,
      ...[repo, indexType, JSON.stringify([{ digest: image.digest, architecture: "amd64" }])],
    );
    await setTags(index, ["kept"]);
    await rule("kept", once);
    expect([403, 409]).toContain(await remove(image.digest));
  });
});

test("an override marks no tag that stays", async () => {
  const image = await pushed();
  await setTags(image, ["plain"]);
  await setTags(indexOf(entryOf(image)), ["kept"]);
  await rule("kept", once);
  expect(await remove(image.digest, { "platform-override-reason": "why" })).toBe(202);
  expect(await sql("select tag from tag_overrides where repo_uid = ?", repo)).toEqual([]);
});

test.each([250, 1_001])("%i tags of an image do not hide the version of another", async (count) => {
  const [old, now] = [await pushed(), await pushed()];
  await setTags(now, ["2.0.0", "latest"]);
  await setTags(
    old,
    numbers(count).map((n) => `0.0.${n}`),
  );
  await rule("latest", { keep: { forward: "FORWARD_ORDER_VERSION" } });
  expect((await putManifest(target, "latest", old.text)).status).toBe(403);
});

test("an image without a platform in the index must meet the requirement too", async () => {
  const [good, other] = [await pushed({ reviewed: "yes" }), await pushed()];
  await rule("latest", { keep: { requirement: { label: { name: "reviewed", value: "yes" } } } });
  const platform = { os: "linux", architecture: "arm64" };
  const push = async (...entries: object[]) =>
    (await putManifest(target, "latest", indexOf(...entries).text, indexType)).status;
  expect(await push(entryOf(good, { platform }), entryOf(other))).toBe(403);
  expect(await push(entryOf(good, { platform }), entryOf(good))).toBe(201);
});

describe("a past move", () => {
  const move = async (as: string, tag: string, { digest }: Image, hours: number) => {
    const updateTime = new Date(Date.now() - hours * hourMs).toISOString();
    const moves = [{ repo: "app", tag, digest, updateTime }];
    const path = `/registry/v2/tagMoves/${organization.uid}:import`;
    return (await callRest(path, { token: as, body: { moves } })).status;
  };

  test("cannot end a cooldown, except by someone who may override the rule", async () => {
    const { token: pusher } = await newIdentity(organization, "registry.push");
    const [old, now, other] = [await pushed(), await pushed(), await pushed()];
    expect(await move(pusher, "latest", old, 72)).toBe(200);
    expect(await move(pusher, "latest", now, 2)).toBe(200);
    await rule("latest", { serve: { cooldownHours: 24 } });
    expect(await move(pusher, "latest", other, 25)).toBe(400);
    expect(await move(pusher, "free", other, 25)).toBe(200);
    const answer = await send(target, "manifests/latest");
    expect(answer.headers.get("docker-content-digest")).toBe(old.digest);
    expect(await move(token, "latest", other, 25)).toBe(200);
  });

  test("does not count for a promotion", async () => {
    const { token: pusher } = await newIdentity(organization, "registry.push");
    const image = await pushed();
    await rule("production", { keep: { promotion: { from: "staging-*", hours: 24 } } });
    expect(await move(pusher, "staging-1", image, 30)).toBe(400);
    expect(await move(token, "staging-1", image, 30)).toBe(200);
  });
});

describe("patterns that are too long for GLOB", () => {
  const long = "a".repeat(60);

  test("keep a repository, and let go of one without such tags", async () => {
    const call = (method: string, body?: object) =>
      callRest(`/registry/v2/repos/${repo}`, { method, token, ...(body && { body }) });
    await rule(`${long}*`, once);
    await rule("x", { keep: { promotion: { from: `${long}*`, hours: 0 } } });
    await setTags(await pushed(), [`${long}1`]);
    expect((await call("PATCH", { description: "new" })).status).toBe(200);
    expect((await call("PATCH", { name: "new" })).status).toBe(400);
    expect((await call("DELETE")).status).toBe(400);
  });

  test("find the images to promote", async () => {
    const [image, other] = [await pushed(), await pushed()];
    await setTags(image, [`${long}1`]);
    await rule("x", { keep: { promotion: { from: `${long}*`, hours: 0 } } });
    expect((await putManifest(target, "x", other.text)).status).toBe(403);
    expect((await putManifest(target, "x", image.text)).status).toBe(201);
  });
});

test("a new description does not read the tags, and no update takes the name away", async () => {
  await rule("*", once);
  await setTags(
    await pushed(),
    numbers(100).map((n) => `v${n}`),
  );
  const path = `/registry/v2/repos/${repo}`;
  const update = await callRest(path, { method: "PATCH", token, body: { description: "new" } });
  expect(costOf(update).rowsRead).toBeLessThan(100);
  const masked = { method: "PATCH", token, body: {} };
  expect((await callRest(`${path}?updateMask=name`, masked)).status).toBe(400);
  const version1 = { method: "PUT", token, body: { description: "new" } };
  expect((await callRest(`/registry/v1/repos/${repo}`, version1)).status).toBe(400);
});

test("a scope has at most 200 rules", async () => {
  await sql(
    `with recursive n(n) as (select 1 union all select n + 1 from n where n < 199)
      insert into tag_rules (uid, name, keep, create_time, update_time)
      select ? || printf('/%016x', n), 'r' || n, '{"writeOnce":true}', 1, 1 from n`,
    repo,
  );
  const { uid } = await rule("last", once);
  const body = { name: "more", ...once };
  const more = await callRest(`/registry/v2/tagRules/${repo}`, { token, body });
  expect(more.body.details[1].violations[0].type).toBe("TOO_MANY_RULES");
  const update = { method: "PATCH", token, body: { description: "still possible" } };
  expect((await callRest(`/registry/v2/tagRules/${uid}`, update)).status).toBe(200);
});

test("an index with more than 100 images meets no requirement, and costs no more than 100", async () => {
  const requirement = {
    sbom: true,
    noFindings: { minSeverity: "FINDING_SEVERITY_HIGH", allowUnknown: true },
    label: { name: "a", value: "b" },
  };
  const entries = numbers(2000).map((n) => ({
    ...{ mediaType: manifestType, digest: digestOf(`${n}`), size: 1 },
    platform: { os: "linux", architecture: "amd64" },
  }));
  const indexes = numbers(20).map((n) => indexOf(...entries.slice(n)));
  for (const { text } of indexes)
    expect((await putManifest(target, "latest", text, indexType)).status).toBe(201);
  await rule("*", { serve: { requirement } }, organization.uid);
  const pull = await send(target, "manifests/latest");
  expect([pull.status, await pull.text()]).toEqual([404, expect.stringMatching(/too many to/)]);
  await rule("latest", { keep: { requirement } });
  const more = await putManifest(target, "latest", indexOf(...entries.slice(30)).text, indexType);
  expect([more.status, await more.text()]).toEqual([403, expect.stringMatching(/too many to/)]);
  expect(costOf(more).rowsRead).toBeLessThan(10_000);
  const tagRule = { name: "r", keep: { requirement } };
  const asked = { token, body: { tagRule } };
  const preview = await callRest(`/registry/v2/tagRules/${organization.uid}:preview`, asked);
  expect(preview.status).toBe(200);
});
