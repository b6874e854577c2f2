/** Repositories that are copied from another one of the platform (`sync_config.source`). */
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectLog } from "../../world/logs.ts";
import { randomUid } from "../../world/personas.ts";
import { registryAudience, tokenFor } from "../../world/platform.ts";
import {
  descriptorOf,
  indexType,
  manifestType,
  newImageOf,
  outcome,
  pullImage,
  pushImage,
  putManifest,
  send,
  type Target,
} from "../client.ts";
import { startOwnRegistry } from "../own_registry.ts";

let registry: Awaited<ReturnType<typeof startOwnRegistry>>;

beforeAll(async () => {
  registry = await startOwnRegistry();
});
afterAll(() => registry.stop());

const MIRROR = 5;

/** An organization with an image, and its owner. */
async function newSource(name = "app") {
  const owner = await registry.newOwner();
  const target: Target = {
    origin: registry.origin,
    token: owner.registryToken,
    name: `${owner.uid}/${name}`,
  };
  const image = await pushImage(target, "1.0");
  return { ...owner, target, image, repo: await repoOf(owner.uid, name) };
}

async function repoOf(parent: string, name: string): Promise<string> {
  const [row] = await registry.run<{ uid: string }>(
    "select uid from repos where parent = ? and name = ?",
    ...[parent, name],
  );
  return row?.uid ?? "";
}

async function call(token: string, path: string, method: string, body?: object) {
  const answer = await fetch(`${registry.origin}${path}`, {
    ...{
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  // biome-ignore lint/suspicious/noExplicitAny: the tests read answers of every shape
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as any };
}

/** A repository of the same organization that copies a source. */
async function newCopy({ uid, apiToken, registryToken }: Source, source: string, name = "copy") {
  const made = await call(apiToken, `/registry/v2/repos/${uid}`, "POST", {
    ...{ name, sync_config: { source } },
  });
  if (made.status !== 200) throw new Error(JSON.stringify(made.body));
  const target: Target = { origin: registry.origin, token: registryToken, name: `${uid}/${name}` };
  return { target, repo: made.body.uid as string };
}

type Source = Awaited<ReturnType<typeof registry.newOwner>>;

const digestsOf = async (repo: string, tag: string) =>
  (
    await registry.run<{ digest: string; method: number }>(
      "select digest, method from tag_moves where repo_uid = ? and tag = ? order by update_time",
      ...[repo, tag],
    )
  ).map(({ digest, method }) => [digest, method]);

const statusOf = async ({ apiToken }: Source, repo: string) =>
  (await call(apiToken, `/registry/v2/repos/${repo}`, "GET")).body.syncStatus;

test("the copy has the image of the source, and follows its tag with the method MIRROR", async () => {
  const source = await newSource();
  const { target, repo } = await newCopy(source, source.repo);
  await registry.runSchedule();
  expect(await pullImage(target, "1.0")).toEqual(source.image);
  const next = await pushImage(source.target, "1.0");
  await registry.runSchedule();
  expect(await pullImage(target, "1.0")).toEqual(next);
  expect(await pullImage(target, source.image.digest)).toEqual(source.image);
  expect(await digestsOf(repo, "1.0")).toEqual([
    [source.image.digest, MIRROR],
    [next.digest, MIRROR],
  ]);
  expect(await statusOf(source, repo)).toEqual({ time: expect.any(String) });
});

test("an index is copied with all of its images", async () => {
  const source = await newSource();
  const images = [await pushImage(source.target, "a"), await pushImage(source.target, "b")];
  const index = JSON.stringify({
    ...{ schemaVersion: 2, mediaType: indexType },
    manifests: images.map(({ text }, at) => ({
      ...descriptorOf(text, manifestType),
      platform: { os: "linux", architecture: at === 0 ? "amd64" : "arm64" },
    })),
  });
  await putManifest(source.target, "all", index, indexType);
  await registry.run(`update repos set active_tags = '["all"]' where uid = ?`, source.repo);
  const { target } = await newCopy(source, source.repo);
  await registry.runSchedule();
  expect((await send(target, "manifests/all")).status).toBe(200);
  for (const image of images) expect(await pullImage(target, image.digest)).toEqual(image);
  // Only active tags are copied.
  expect(await outcome(send(target, "manifests/a"))).toEqual([404, "MANIFEST_UNKNOWN"]);
});

/** Gives an identity of one organization a role in another one. */
async function bind(organization: string, identity: string, role: string): Promise<void> {
  await registry.run(
    `insert into role_bindings (uid, identity_uid, role_uid, accepted, create_time, update_time)
     values (?, ?, (select uid from roles where name = ? and length(uid) = 40), 1, 1, 1)`,
    ...[`${organization}/${randomUid().slice(0, 16)}`, identity, role],
  );
}

/** A person with roles in two organizations. */
async function newPerson(...organizations: string[]) {
  const uid = randomUid();
  await registry.run(
    "insert into identities (uid, name, last_seen_time, create_time, update_time) values (?, 'person', 1, 1, 1)",
    uid,
  );
  for (const organization of organizations) await bind(organization, uid, "owner");
  return {
    uid,
    apiToken: await tokenFor(uid, {}, 3600),
    registryToken: await tokenFor(uid, { aud: registryAudience }, 3600),
  };
}

test("a copy of another organization's image ends when the one who set it may not pull any more", async () => {
  const source = await newSource();
  const own = await registry.newOwner();
  const person = await newPerson(source.uid, own.uid);
  const { target, repo } = await newCopy({ ...person, uid: own.uid }, source.repo);
  const reader = { ...target, token: own.registryToken };
  await registry.runSchedule();
  expect(await pullImage(reader, "1.0")).toEqual(source.image);
  await registry.run(
    "delete from role_bindings where identity_uid = ? and uid like ?",
    ...[person.uid, `${source.uid}/%`],
  );
  const secret = await pushImage(source.target, "1.0");
  await registry.runSchedule();
  expect((await pullImage(reader, "1.0")).digest).toBe(source.image.digest);
  expect((await send(reader, `manifests/${secret.digest}`)).status).toBe(404);
  expect((await statusOf(own, repo)).problem).toContain("cannot pull");
  // Another person who changes the repository does not give it access, and does not take the copy over.
  await call(own.apiToken, `/registry/v2/repos/${repo}`, "PATCH", { description: "mine" });
  await registry.runSchedule();
  expect((await send(reader, `manifests/${secret.digest}`)).status).toBe(404);
});

test("a copy ends at its expiration time", async () => {
  const source = await newSource();
  const { target, repo } = await newCopy(source, source.repo);
  await registry.run(
    `update repos set sync_config = json_set(sync_config, '$.expirationTime', '2020-01-01T00:00:00Z') where uid = ?`,
    repo,
  );
  await registry.runSchedule();
  expect((await send(target, "manifests/1.0")).status).toBe(404);
});

test("a tag rule of the copy refuses a move, and the status says so", async () => {
  const source = await newSource();
  const { target, repo } = await newCopy(source, source.repo);
  await call(source.apiToken, `/registry/v2/tagRules/${repo}`, "POST", {
    ...{ name: "once", includeTags: ["1.*"], keep: { writeOnce: true } },
  });
  await registry.runSchedule();
  await pushImage(source.target, "1.0");
  await registry.runSchedule();
  expect((await pullImage(target, "1.0")).digest).toBe(source.image.digest);
  expect((await statusOf(source, repo)).problem).toContain("it can be set only once");
});

test("a copy counts for the limit of its organization", async () => {
  const source = await newSource();
  await pushImage(source.target, "1.0", newImageOf({ layer: new Uint8Array(200_000) }));
  const own = await registry.newOwner();
  const person = await newPerson(source.uid, own.uid);
  await registry.run(
    "insert into organization_storage (uid, byte_limit) values (?, 100000)",
    own.uid,
  );
  const { repo } = await newCopy({ ...person, uid: own.uid }, source.repo);
  await registry.runSchedule();
  expect((await statusOf(own, repo)).problem).toContain("may store 100000 bytes");
});

test("the fields that a copy has from its source follow it", async () => {
  const source = await newSource();
  const { repo } = await newCopy(source, source.repo);
  await call(source.apiToken, `/registry/v2/repos/${source.repo}`, "PATCH", {
    ...{ bundles: ["base"], activeTags: ["1.0"] },
  });
  await registry.runSchedule();
  const { body } = await call(source.apiToken, `/registry/v2/repos/${repo}`, "GET");
  expect(body).toMatchObject({ bundles: ["base"], activeTags: ["1.0"] });
});

test("an answer names the settings that have no effect", async () => {
  const source = await newSource();
  const { body, headers } = await call(
    source.apiToken,
    `/registry/v2/repos/${source.uid}`,
    "POST",
    {
      name: "aws",
      sync_config: { source: source.repo, amazon: "123.dkr.ecr.us-east-1.amazonaws.com/app" },
      customOverlay: { contents: { packages: ["curl"] } },
    },
  );
  expect(body.sync_config.amazon).toContain("amazonaws.com");
  expect(headers.get("warning")).toBe(
    '299 - "sync_config.amazon, custom_overlay: stored, and without effect on this platform"',
  );
  const plain = await call(source.apiToken, `/registry/v2/repos/${source.uid}`, "POST", {
    name: "plain",
  });
  expect(plain.headers.get("warning")).toBeNull();
});

test("a copy that fails lets the others go first the next time", async () => {
  const source = await newSource();
  const { repo } = await newCopy(source, source.repo);
  await expectLog("a synced repository was not copied");
  await registry.run("update repos set aliases = ? where uid = ?", '["not a name"]', source.repo);
  await registry.runSchedule();
  const { problem, time } = await statusOf(source, repo);
  expect([problem, Date.parse(time)]).toEqual(["it could not be copied", expect.any(Number)]);
  await registry.run("update repos set aliases = '[]' where uid = ?", source.repo);
  await registry.runSchedule();
  expect((await statusOf(source, repo)).problem).toBeUndefined();
});

test("runs that overlap move each tag once", async () => {
  const source = await newSource();
  for (const tag of ["1.1", "1.2"]) await pushImage(source.target, tag);
  const { repo } = await newCopy(source, source.repo);
  await Promise.all([registry.runSchedule(), registry.runSchedule(), registry.runSchedule()]);
  for (const tag of ["1.0", "1.1", "1.2"]) expect(await digestsOf(repo, tag)).toHaveLength(1);
  expect((await statusOf(source, repo)).problem).toBeUndefined();
});

test("two repositories that copy each other come to rest", async () => {
  const source = await newSource("left");
  const right = await pushImage({ ...source.target, name: `${source.uid}/right` }, "1.0");
  const rightRepo = await repoOf(source.uid, "right");
  for (const [repo, other] of [
    [source.repo, rightRepo],
    [rightRepo, source.repo],
  ] as const)
    await call(source.apiToken, `/registry/v2/repos/${repo}`, "PATCH", {
      sync_config: { source: other },
    });
  for (let run = 0; run < 4; run += 1) await registry.runSchedule();
  const moves = await registry.run(
    "select digest from tag_moves where repo_uid in (?, ?) and tag = '1.0'",
    ...[source.repo, rightRepo],
  );
  expect([right.digest !== source.image.digest, moves.length]).toEqual([true, 3]);
});
