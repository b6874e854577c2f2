/** ListEndOfLifeTags: who still pulls the tags at the end of their life. */
import { beforeEach, expect, test } from "vitest";
import { pushImage, send, type Target } from "../../distribution/client.ts";
import { registryToken } from "../../distribution/stored_images.ts";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
  randomName,
} from "../../world/personas.ts";
import { sql } from "../../world/platform.ts";
import { endOfLifeListOf } from "./end_of_life_list.ts";

let organization: Organization;
let token: string;
let endOfLife: ReturnType<typeof endOfLifeListOf>;
let target: Target & { repo: string };
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
  endOfLife = endOfLifeListOf(organization);
  const identity = await newIdentity(organization, "registry.push");
  const name = randomName("image");
  const { uid: repo } = await createResource(`/registry/v2/repos/${organization.uid}`, token, {
    name,
  });
  const pushing = await registryToken(identity.uid);
  target = { name: `${organization.uid}/${name}`, token: pushing, repo };
});

const put = (repo: string, name: string, more: object) =>
  createResource(`/registry/v2/tags/${repo}`, token, { name, ...more });

const newPuller = async () => {
  const { uid } = await newIdentity(organization, "registry.pull");
  return { uid, token: await registryToken(uid) };
};
const pull = async (by: string, reference: string, method = "GET") => {
  const answer = await send({ ...target, token: by }, `manifests/${reference}`, { method });
  expect(answer.status).toBe(200);
  await answer.arrayBuffer();
};
const pullRows = () =>
  sql<{ reference: string; identity: string; days: number; time: number }>(
    `select reference, identity, days, time from tag_pulls
     join repo_storage on repo_storage.id = repo_id where uid = ? order by reference, identity`,
    target.repo,
  );
/** Pulls are recorded after the response, so this waits until they are. */
const recorded = (count: number) => expect.poll(pullRows).toHaveLength(count);
const push = async (tag: string, deprecated = true) => {
  const image = await pushImage(target, tag);
  if (deprecated) await put(target.repo, tag, { digest: image.digest, deprecated: true });
  return image;
};

test("an identity that pulls by tag or by digest is shown, the latest first", async () => {
  const { digest } = await push("3.9");
  const [byTag, byDigest] = [await newPuller(), await newPuller()];
  await pull(byTag.token, "3.9");
  await recorded(1);
  await pull(byDigest.token, digest, "HEAD");
  await recorded(2);
  const [one] = await endOfLife.list();
  expect(one).toMatchObject({ tag: "3.9", consumerCount: 2 });
  expect(one?.consumers).toMatchObject([
    { identityUid: byDigest.uid, identityName: expect.stringMatching(/^bot-/), pullDays: 1 },
    { identityUid: byTag.uid, identityName: expect.stringMatching(/^bot-/), pullDays: 1 },
  ]);
  expect(Date.now() - Date.parse(one?.lastPullTime ?? "")).toBeLessThan(60_000);
});

test("a client that pulls by one tag does not count for another tag of the same digest", async () => {
  const { digest } = await push("3.9");
  await put(target.repo, "stable", { digest });
  const { token: by, uid } = await newPuller();
  await pull(by, "stable", "HEAD");
  await recorded(1);
  await pull(by, digest);
  const other = await newPuller();
  await pull(other.token, digest);
  await recorded(2);
  expect((await pullRows()).map(({ identity }) => identity).sort()).toEqual(
    [uid, other.uid].sort(),
  );
  const [one] = await endOfLife.list();
  expect(one?.consumers?.map(({ identityUid }) => identityUid)).toEqual([other.uid]);
});

test("a pull by a digest that no tag points to does not count for a tag, and a refused pull is not recorded", async () => {
  const { digest } = await push("3.9");
  const by = await newPuller();
  await pushImage(target, "3.9");
  await pull(by.token, digest);
  expect((await send({ ...target, token: by.token }, "manifests/none")).status).toBe(404);
  await pull(by.token, "3.9");
  await recorded(2);
  expect((await pullRows()).map(({ reference }) => reference).sort()).toEqual(["3.9", digest]);
  expect((await endOfLife.list())[0]?.consumers?.[0]?.pullDays).toBe(1);
});

test("a day of an identity counts once, however often it pulls, and the next day counts again", async () => {
  await push("3.9");
  const { token: by } = await newPuller();
  for (let again = 0; again < 3; again += 1) await pull(by, "3.9");
  await recorded(1);
  expect((await endOfLife.list())[0]?.consumers?.[0]?.pullDays).toBe(1);
  const [before] = await pullRows();
  await sql("update tag_pulls set time = time - 86400000 where identity = ?", before?.identity);
  await pull(by, "3.9");
  await expect.poll(async () => (await pullRows())[0]?.days).toBe(2);
  expect((await endOfLife.list())[0]?.consumers?.[0]?.pullDays).toBe(2);
});

test("tags without a pull since a time are left out, and pulls older than 90 days do not count", async () => {
  await push("3.9");
  await push("3.8");
  const { token: by, uid } = await newPuller();
  await pull(by, "3.9");
  await recorded(1);
  const since = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  expect(await endOfLife.names(`pulled_since=${since(7)}`)).toEqual(["3.9"]);
  await sql("update tag_pulls set time = time - 8 * 86400000 where identity = ?", uid);
  expect(await endOfLife.names(`pulled_since=${since(7)}`)).toEqual([]);
  expect(await endOfLife.names(`pulled_since=${since(9)}`)).toEqual(["3.9"]);
  await sql("update tag_pulls set time = time - 83 * 86400000 where identity = ?", uid);
  const [first, second] = await endOfLife.list();
  for (const one of [first, second]) {
    expect(one?.consumerCount).toBe(0);
    expect(one?.lastPullTime).toBeUndefined();
  }
});

test("of many identities, the ten with the latest pulls are shown", async () => {
  await push("3.9");
  await sql(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 30)
     insert into tag_pulls (repo_id, reference, identity, identity_name, time, days)
     select (select id from repo_storage where uid = ?), '3.9', 'id-' || i, 'bot', ? + i, i from n`,
    target.repo,
    Date.now() - 1000,
  );
  const [one] = await endOfLife.list();
  expect(one?.consumerCount).toBe(11);
  expect(one?.consumers?.map(({ identityUid }) => identityUid)).toEqual(
    Array.from({ length: 10 }, (_, i) => `id-${30 - i}`),
  );
});

test("a caller without identity.list sees how many identities pull a tag, but not which", async () => {
  await push("3.9");
  const { token: by, uid } = await newPuller();
  await pull(by, "3.9");
  await recorded(1);
  const puller = await newIdentity(organization, "registry.pull");
  const [one] = await endOfLife.list("", puller.token);
  expect(one).toMatchObject({ tag: "3.9", consumerCount: 1 });
  expect(one?.consumers).toBeUndefined();
  expect(one?.lastPullTime).toBeDefined();
  const viewer = await newIdentity(organization, "viewer");
  expect((await endOfLife.list("", viewer.token))[0]?.consumers).toMatchObject([
    { identityUid: uid },
  ]);
});
