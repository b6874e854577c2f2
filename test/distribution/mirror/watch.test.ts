/** Tags that are watched although no one pulls them. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { newImageOf, pullImage, pushImage, send } from "../client.ts";
import { startOwnRegistry } from "../own_registry.ts";
import { mirrorIn } from "./mirrors.ts";
import { startUpstream, type TestUpstream } from "./upstream.ts";

let upstream: TestUpstream;
let registry: Awaited<ReturnType<typeof startOwnRegistry>>;

beforeAll(async () => {
  upstream = await startUpstream();
  registry = await startOwnRegistry();
});
afterAll(async () => {
  await Promise.all([upstream.close(), registry.stop()]);
});
beforeEach(() => {
  upstream.behave();
  upstream.forget();
});

const newWatched = (address: string, tags: string[], prefix = false) =>
  mirrorIn(registry, { address, prefix }, { upstreamSchedule: { tags, interval: "600s" } });

const movesOf = (name: string, tag: string) =>
  registry.run<{ digest: string; method: number }>(
    `select digest, method from tag_moves where tag = ? and repo_uid =
      (select uid from repos where name = ? and uid like ?) order by update_time`,
    ...[tag, name.slice(41), `${name.slice(0, 40)}/%`],
  );

/** Makes all tags due. */
const age = () => registry.run("update mirrored_tags set check_time = check_time - 700000");

test("a named tag is watched from the start, and each move that is seen is in the history", async () => {
  const first = upstream.put("watch/app", "latest");
  const { name } = await newWatched(`${upstream.host}/watch/app`, ["latest", "absent"]);
  await registry.runSchedule();
  const second = upstream.put("watch/app", "latest");
  await registry.runSchedule();
  // It is not due yet.
  expect(await movesOf(name, "latest")).toEqual([{ digest: first.digest, method: 5 }]);
  await age();
  upstream.forget();
  await registry.runSchedule();
  expect((await movesOf(name, "latest")).map(({ digest }) => digest)).toEqual([
    first.digest,
    second.digest,
  ]);
  // A tag that the upstream does not have is asked for no more often than the others.
  expect(upstream.asked("manifests/absent")).toHaveLength(1);
  upstream.forget();
  await registry.runSchedule();
  expect(upstream.asked()).toEqual([]);
});

test("a pattern watches the tags that pulls have brought, also below a prefix", async () => {
  const image = upstream.put("library/tool", "1.2");
  upstream.put("library/tool", "2.0", image);
  const hub = await newWatched(upstream.host, ["1.*"], true);
  const tool = { ...hub, name: `${hub.name}/library/tool` };
  await pullImage(tool, "1.2");
  await pullImage(tool, "2.0");
  const next = newImageOf();
  upstream.put("library/tool", "1.2", next);
  upstream.put("library/tool", "2.0", next);
  await age();
  upstream.forget();
  await registry.runSchedule();
  expect((await movesOf(tool.name, "1.2")).map(({ digest }) => digest)).toEqual([
    image.digest,
    next.digest,
  ]);
  expect(await movesOf(tool.name, "2.0")).toHaveLength(1);
});

test("an upstream that is down ends its part of the run, and others are watched", async () => {
  upstream.put("down/app", "latest");
  const image = upstream.put("up/app", "latest");
  const down = await newWatched(`${upstream.host}/down/app`, ["latest", "other", "third"]);
  const up = await newWatched(`${upstream.host}/up/app`, ["latest"]);
  upstream.behave(({ path }, response) => {
    if (!path.includes("/down/")) return false;
    response.writeHead(503).end();
    return true;
  });
  await registry.runSchedule();
  expect(await movesOf(up.name, "latest")).toEqual([{ digest: image.digest, method: 5 }]);
  expect(upstream.asked("/down/")).toHaveLength(1);
  expect(await movesOf(down.name, "latest")).toEqual([]);
});

test("a tag that cannot be stored, or is not mirrored any more, does not keep the others out", async () => {
  const image = upstream.put("bad/app", "good");
  upstream.behave(({ path }, response) => {
    if (!path.includes("manifests/bad")) return false;
    response.writeHead(200, { "content-type": "text/html" }).end("<html>");
    return true;
  });
  const { name, uid } = await newWatched(`${upstream.host}/bad/app`, ["bad", "good"]);
  await registry.runSchedule();
  expect(await movesOf(name, "good")).toEqual([{ digest: image.digest, method: 5 }]);
  const problems = () =>
    registry.run("select tag, problem from mirrored_tags where repo_uid = ? order by tag", uid);
  expect(await problems()).toEqual([
    { tag: "bad", problem: expect.stringContaining("cannot be stored") },
    { tag: "good", problem: "" },
  ]);
  await registry.run(
    "update repos set upstream = json_set(upstream, '$.prefix', json('true')) where uid = ?",
    uid,
  );
  await age();
  await registry.runSchedule();
  expect(await problems()).toEqual([]);
});

test("upstreams that hang hold up neither other mirrors nor copies", async () => {
  const image = upstream.put("fast/app", "latest");
  let hanging = 0;
  upstream.behave(({ path }, response) => {
    if (!path.includes("/hang/")) return false;
    hanging += 1;
    response.once("close", () => {
      hanging -= 1;
    });
    return true;
  });
  for (const name of ["one", "two", "three"])
    await newWatched(`${upstream.host}/hang/${name}`, ["latest"]);
  const fast = await newWatched(`${upstream.host}/fast/app`, ["latest"]);
  const { organization, apiToken } = fast;
  await pushImage({ ...fast, name: `${organization}/source` }, "1.0");
  const [source] = await registry.run<{ uid: string }>(
    "select uid from repos where parent = ? and name = 'source'",
    organization,
  );
  await fetch(`${registry.origin}/registry/v2/repos/${organization}`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiToken}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "copy", sync_config: { source: source?.uid } }),
  });
  const running = registry.runSchedule();
  await expect
    .poll(() => movesOf(fast.name, "latest"))
    .toEqual([{ digest: image.digest, method: 5 }]);
  const copy = { ...fast, name: `${organization}/copy` };
  await expect.poll(async () => (await send(copy, "manifests/1.0")).status).toBe(200);
  expect(hanging).toBe(3);
  await running;
});
