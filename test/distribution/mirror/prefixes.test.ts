/** Mirrors of a whole registry: repositories below them are created by pulls. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createResource, newIdentity } from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { outcome, pullImage, pushBlob, send } from "../client.ts";
import { registryToken } from "../stored_images.ts";
import { below, movesOf, newMirror, uidOf } from "./mirrors.ts";
import { startUpstream, type TestUpstream } from "./upstream.ts";

let upstream: TestUpstream;

beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());
beforeEach(() => upstream.forget());

const newHub = (more: object = {}) => newMirror({ address: upstream.host, prefix: true, ...more });

test("a pull creates the repository, and the mirror is the one that did", async () => {
  const image = upstream.put("library/nginx", "1.27");
  const hub = await newHub();
  const nginx = below(hub, "library/nginx");
  expect(await pullImage(nginx, "1.27")).toEqual(image);
  const name = `${hub.repo.name}/library/nginx`;
  const uid = await uidOf(hub, name);
  const { body } = await callRest(`/registry/v2/repos/${uid}`, { token: hub.owner });
  expect(body).toMatchObject({
    name,
    upstream: { address: `${upstream.host}/library/nginx`, sourceUid: hub.repo.uid },
    upstreamStatus: { checkTime: expect.any(String) },
  });
  expect(await movesOf(uid, "1.27")).toHaveLength(1);
  const events = await sql<{ type: string }>("select type from events where subject = ?", uid);
  expect(events[0]?.type).toContain("registry.repo.created");
  upstream.forget();
  expect(await pullImage(nginx, "1.27")).toEqual(image);
  expect(upstream.asked()).toEqual([]);
});

test("many first pulls at once create one repository", async () => {
  const tags = ["1", "2", "3", "4", "5", "6"];
  for (const tag of tags) upstream.put("library/many", tag);
  const hub = await newHub();
  const many = below(hub, "library/many");
  const answers = await Promise.all(tags.map((tag) => send(many, `manifests/${tag}`)));
  expect(answers.map(({ status }) => status)).toEqual(tags.map(() => 200));
  const rows = await sql("select uid from repos where name = ?", `${hub.repo.name}/library/many`);
  expect(rows).toHaveLength(1);
});

test("an image that the upstream does not have leaves no repository", async () => {
  const hub = await newHub();
  const none = below(hub, "library/none");
  expect(await outcome(send(none, "manifests/latest"))).toEqual([404, "NAME_UNKNOWN"]);
  expect(await uidOf(hub, `${hub.repo.name}/library/none`)).toBe("");
});

test("only images that a pattern matches are mirrored", async () => {
  upstream.put("library/redis", "7");
  upstream.put("someone/redis", "7");
  const hub = await newHub({ images: ["library/*"] });
  expect((await send(below(hub, "library/redis"), "manifests/7")).status).toBe(200);
  upstream.forget();
  expect((await send(below(hub, "someone/redis"), "manifests/7")).status).toBe(404);
  expect(upstream.asked()).toEqual([]);
});

test("a caller who may not pull makes the mirror do nothing", async () => {
  upstream.put("library/alpine", "3");
  const hub = await newHub();
  const { uid } = await newIdentity(hub.organization, undefined);
  const stranger = { ...below(hub, "library/alpine"), token: await registryToken(uid) };
  upstream.forget();
  expect(await outcome(send(stranger, "manifests/3"))).toEqual([403, "DENIED"]);
  expect(upstream.asked()).toEqual([]);
});

test("the quota of repositories holds for a mirror", async () => {
  upstream.put("library/quota", "1");
  const hub = await newHub();
  await sql(
    "insert into quotas (organization, kind, quota_limit, update_time) values (?, 'repos', 1, 1)",
    hub.organization.uid,
  );
  expect(await outcome(send(below(hub, "library/quota"), "manifests/1"))).toEqual([403, "DENIED"]);
});

test("names below a mirror are not pushed to", async () => {
  const hub = await newHub();
  await expect(pushBlob(below(hub, "library/own"), "bytes")).rejects.toThrow("takes no pushes");
});

test("one word at Docker Hub is an image of its library", async () => {
  const { organization, owner } = await newHub();
  const made = await createResource(`/registry/v2/repos/${organization.uid}`, owner, {
    ...{ name: "nginx", upstream: { address: "nginx" } },
  });
  expect(made.upstream).toMatchObject({ address: "docker.io/library/nginx" });
});

test("a mirror of a prefix that is deleted leaves what it has", async () => {
  const image = upstream.put("library/left", "1");
  const hub = await newHub({ revalidateAfter: "0s" });
  const left = below(hub, "library/left");
  await pullImage(left, "1");
  upstream.put("library/left", "1");
  const { status } = await callRest(`/registry/v2/repos/${hub.repo.uid}`, {
    ...{ method: "DELETE", token: hub.owner },
  });
  expect(status).toBe(200);
  upstream.forget();
  expect(await pullImage(left, "1")).toEqual(image);
  expect(upstream.asked()).toEqual([]);
});
