/** Moving a tag back: to which digest, when it is refused, and that a repeated call changes nothing. */
import { Buffer } from "node:buffer";
import { beforeEach, describe, expect, test } from "vitest";
import { createResource, newOrganization, randomName } from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";

let token = "";
let repo = "";
let tag = "";
/** The digests of the tag, the oldest first, and when it moved to each. */
let digests: string[] = [];
let times: string[] = [];

const newManifest = async () => {
  const config = { size: Math.floor(Math.random() * 1e9) };
  const content = Buffer.from(JSON.stringify({ config, layers: [] })).toString("base64");
  const mediaType = "application/vnd.oci.image.manifest.v1+json";
  const manifest = { mediaType, content };
  return String((await createResource(`/registry/v2/manifests/${repo}`, token, manifest)).digest);
};

const moveTo = (digest: string, name = "latest") =>
  createResource(`/registry/v2/tags/${repo}`, token, { name, digest });

beforeEach(async () => {
  const { uid, owner } = await newOrganization();
  token = owner.token;
  repo = (await createResource(`/registry/v2/repos/${uid}`, token, { name: randomName("r") })).uid;
  digests = [];
  times = [];
  for (let count = 0; count < 4; count += 1) {
    const digest = await newManifest();
    const moved = await moveTo(digest);
    tag = moved.uid;
    digests.push(digest);
    times.push(String(moved.updateTime));
  }
});

const rollback = (body: object = {}) =>
  callRest(`/registry/v2/tags/${tag}:rollback`, { method: "POST", token, body });
const current = async () => (await callRest(`/registry/v2/tags/${tag}`, { token })).body.digest;
const history = async () =>
  (
    await sql<{ digest: string }>(
      "select digest from tag_moves where repo_uid = ? and tag = 'latest' order by update_time",
      repo,
    )
  ).map(({ digest }) => digest);
const events = () =>
  sql<{ type: string }>(
    "select type from events where subject = ? and type like '%.tag.created.v1'",
    tag,
  );

describe("a tag moves back", () => {
  test("by one move without a target, and the history and an event say so", async () => {
    const { status, body } = await rollback({ currentDigest: digests[3] });
    expect([status, body.digest]).toEqual([200, digests[2]]);
    expect(await current()).toBe(digests[2]);
    expect(await history()).toEqual([...digests, digests[2]]);
    expect(await events()).toHaveLength(5);
  });

  test("by several moves, to a digest, and to where it was at a time", async () => {
    const far = await rollback({ steps: 3, currentDigest: digests[3] });
    expect(far.body.digest).toBe(digests[0]);
    expect((await rollback({ digest: digests[1] })).body.digest).toBe(digests[1]);
    expect((await rollback({ time: times[2] })).body.digest).toBe(digests[2]);
  });

  test("again returns to where it came from", async () => {
    await rollback({ currentDigest: digests[3] });
    expect((await rollback({ currentDigest: digests[2] })).body.digest).toBe(digests[3]);
  });

  test("once, however often it is asked at the same time", async () => {
    const asked = Array.from({ length: 8 }, () => rollback({ currentDigest: digests[3] }));
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 400)).toHaveLength(7);
    expect(await history()).toEqual([...digests, digests[2]]);
  });

  test("past its own deletion", async () => {
    await callRest(`/registry/v2/tags/${tag}`, { method: "DELETE", token });
    const digest = await newManifest();
    tag = (await moveTo(digest)).uid;
    expect((await rollback({ currentDigest: digest })).body.digest).toBe(digests[3]);
  });

  test("only in the response, if the call only validates", async () => {
    const { status, body } = await rollback({ currentDigest: digests[3], validateOnly: true });
    expect([status, body.digest]).toEqual([200, digests[2]]);
    expect(await current()).toBe(digests[3]);
    expect(await history()).toEqual(digests);
  });
});

test("a call to where the tag points already succeeds and writes nothing", async () => {
  for (const body of [{ digest: digests[3] }, { time: new Date().toISOString() }])
    expect((await rollback(body)).status).toBe(200);
  expect(await history()).toEqual(digests);
  expect(await events()).toHaveLength(4);
});

describe("is refused with the reason, and the tag stays:", () => {
  const other = `sha256:${"ab".repeat(32)}`;
  test.for<[string, () => object, string, RegExp]>([
    [
      "more steps than moves",
      () => ({ steps: 4, currentDigest: digests[3] }),
      "NO_SUCH_MOVE",
      /only 3 earlier digests/,
    ],
    [
      "a tag that points elsewhere",
      () => ({ currentDigest: digests[1] }),
      "TAG_MOVED",
      /points to/,
    ],
    ["a digest of another tag", () => ({ digest: other }), "NO_SUCH_MOVE", /led to sha256:abab/],
    [
      "a time before the tag",
      () => ({ time: "2020-01-01T00:00:00Z" }),
      "NO_SUCH_MOVE",
      /did not exist at 2020-01-01T00:00:00\.000Z/,
    ],
  ])("%s", async ([, body, type, description]) => {
    const refused = await rollback(body());
    expect([refused.status, refused.body.code]).toEqual([400, 9]);
    const { violations } = refused.body.details.find((detail: object) => "violations" in detail);
    expect(violations[0].type).toBe(type);
    expect(violations[0].description).toMatch(description);
    expect(await current()).toBe(digests[3]);
  });

  test("a digest whose manifest is gone, and the error names those that are there", async () => {
    const gone = await sql<{ uid: string }>(
      "select uid from manifests where parent = ? and digest in (?, ?)",
      repo,
      digests[1],
      digests[2],
    );
    for (const { uid } of gone)
      await callRest(`/registry/v2/manifests/${uid}`, { method: "DELETE", token });
    const refused = await rollback({ currentDigest: digests[3] });
    expect([refused.status, refused.body.code]).toEqual([400, 9]);
    expect(refused.body.message).toContain(
      `no longer has ${digests[2]}, but these earlier ones, the newest first: ${digests[0]}`,
    );
    expect(await current()).toBe(digests[3]);
  });

  test.for([
    {},
    { steps: 1 },
    { steps: 0, currentDigest: other },
    { steps: 101, currentDigest: other },
    { digest: "sha256:1" },
    { digest: other, steps: 1, currentDigest: other },
  ])("%o", async (body) => {
    expect((await rollback(body)).status).toBe(400);
    expect(await history()).toEqual(digests);
  });
});
