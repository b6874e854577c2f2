/** Tags that are watched although no one pulls them. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { newImageOf, pullImage, type Target } from "../client.ts";
import { startOwnRegistry } from "../own_registry.ts";
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

async function newWatched(
  address: string,
  tags: string[],
  prefix = false,
): Promise<Target & { uid: string }> {
  const { uid, registryToken: token, apiToken } = await registry.newOwner();
  const answer = await fetch(`${registry.origin}/registry/v2/repos/${uid}`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiToken}`, "content-type": "application/json" },
    body: JSON.stringify({
      name: "mirror",
      upstream: { address, prefix },
      upstreamSchedule: { tags, interval: "600s" },
    }),
  });
  const body = (await answer.json()) as { uid: string };
  if (!answer.ok) throw new Error(JSON.stringify(body));
  return { origin: registry.origin, token, name: `${uid}/mirror`, uid: body.uid };
}

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
