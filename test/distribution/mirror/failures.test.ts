/** Upstreams that lie, hang, limit, redirect and refuse. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { expectLog } from "../../world/logs.ts";
import { callRest, sql } from "../../world/platform.ts";
import { digestOf, newImageOf, outcome, pullImage, send, someBytes } from "../client.ts";
import { movesOf, newMirror, outagesOf, type TestMirror } from "./mirrors.ts";
import { type Script, startUpstream, type TestUpstream } from "./upstream.ts";

let upstream: TestUpstream;

beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());
beforeEach(() => {
  upstream.behave();
  upstream.forget();
});

/** A script for the requests whose path contains a text. */
const at =
  (part: string, script: (...given: Parameters<Script>) => void): Script =>
  (arrived, response) => {
    if (!arrived.path.includes(part)) return false;
    script(arrived, response);
    return true;
  };

const statusOf = async ({ repo, owner }: TestMirror) =>
  (await callRest(`/registry/v2/repos/${repo.uid}`, { token: owner })).body.upstreamStatus;

const newStale = async (name: string) => {
  const image = upstream.put(name, "latest");
  const address = `${upstream.host}/${name}`;
  const mirror = await newMirror({ address, revalidateAfter: "0s" });
  await pullImage(mirror, "latest");
  return { mirror, image };
};

test("a manifest with another digest than the upstream says is not stored", async () => {
  const image = upstream.put("lies/manifest", "v1");
  const mirror = await newMirror({ address: `${upstream.host}/lies/manifest` });
  upstream.behave(
    at("/manifests/", (_, response) =>
      response
        .writeHead(200, {
          "content-type": "application/vnd.oci.image.manifest.v1+json",
          "docker-content-digest": image.digest,
        })
        .end(newImageOf().text),
    ),
  );
  expect(await outcome(send(mirror, "manifests/v1"))).toEqual([502, "UNAVAILABLE"]);
  expect(await outcome(send(mirror, `manifests/${image.digest}`))).toEqual([502, "UNAVAILABLE"]);
  upstream.behave();
  expect(await pullImage(mirror, "v1")).toEqual(image);
});

test("a layer with another digest ends the stream before its last bytes, and is not stored", async () => {
  const image = upstream.put("lies/layer", "v1", newImageOf({ layer: someBytes(500_000) }));
  const mirror = await newMirror({ address: `${upstream.host}/lies/layer` });
  await send(mirror, "manifests/v1");
  const digest = digestOf(image.layer);
  const wrong = someBytes(500_000);
  await expectLog("a mirror ended a blob early");
  upstream.behave(
    at(digest, (_, response) => response.writeHead(200, { "content-length": 500_000 }).end(wrong)),
  );
  const answer = await send(mirror, `blobs/${digest}`);
  await expect(answer.arrayBuffer()).rejects.toThrow();
  await expect
    .poll(async () => (await statusOf(mirror))?.error)
    .toContain("sends bytes with the digest");
  upstream.behave();
  expect(await pullImage(mirror, "v1")).toEqual(image);
});

test("an upstream that ends early ends the stream, and nothing is stored", async () => {
  const image = upstream.put("lies/short", "v1", newImageOf({ layer: someBytes(500_000) }));
  const mirror = await newMirror({ address: `${upstream.host}/lies/short` });
  await expectLog("a mirror ended a blob early");
  await send(mirror, "manifests/v1");
  const digest = digestOf(image.layer);
  upstream.behave(
    at(digest, (_, response) => {
      response.writeHead(200, { "content-length": 500_000 });
      response.write(image.layer.subarray(0, 100_000), () => response.destroy());
    }),
  );
  const answer = await send(mirror, `blobs/${digest}`).catch(() => undefined);
  await expect(answer?.arrayBuffer() ?? Promise.reject(new Error("cut"))).rejects.toThrow();
  await expect
    .poll(async () => (await statusOf(mirror))?.error)
    .toContain("ends before the last byte");
  // One layer that is cut says nothing about the others.
  upstream.put("lies/short", "v2");
  expect((await send(mirror, "manifests/v2")).status).toBe(200);
});

test("an upstream that fails and answers in turns has one event", async () => {
  const { mirror } = await newStale("flaps/app");
  for (let turn = 0; turn < 3; turn += 1) {
    upstream.behave(at("/manifests/", (_, response) => response.writeHead(400).end()));
    await send(mirror, "manifests/latest");
    upstream.behave();
    expect((await send(mirror, "manifests/latest")).headers.get("warning")).toBeNull();
  }
  expect(await outagesOf(mirror.repo.uid)).toHaveLength(1);
  expect((await statusOf(mirror)).error).toBeUndefined();
  // Later, it is another outage.
  await sql("update upstream_states set outage_time = 1 where repo_uid = ?", mirror.repo.uid);
  upstream.behave(at("/manifests/", (_, response) => response.writeHead(400).end()));
  for (let pull = 0; pull < 2; pull += 1) await send(mirror, "manifests/latest");
  expect(await outagesOf(mirror.repo.uid)).toHaveLength(2);
});

test("an upstream that limits us is not asked again until it says, with one event", async () => {
  const { mirror, image } = await newStale("limits/app");
  upstream.put("limits/app", "latest");
  upstream.behave((_, response) => {
    const headers = { "retry-after": "120", "ratelimit-limit": "100;w=21600" };
    response.writeHead(429, headers).end();
    return true;
  });
  upstream.forget();
  for (let pull = 0; pull < 3; pull += 1) {
    const answer = await send(mirror, "manifests/latest");
    expect(answer.headers.get("docker-content-digest")).toBe(image.digest);
    expect(answer.headers.get("warning")).toMatch(
      /^111 - "Revalidation failed: .*no more requests/,
    );
  }
  expect(upstream.asked()).toHaveLength(1);
  const refused = await send(mirror, "manifests/other");
  expect(await outcome(refused)).toEqual([429, "TOOMANYREQUESTS"]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(100);
  expect(await outagesOf(mirror.repo.uid)).toHaveLength(1);
  const { retryTime, error } = await statusOf(mirror);
  expect(error).toContain("takes no more requests");
  expect(Date.parse(retryTime) - Date.now()).toBeGreaterThan(100_000);
});

test("two mirrors with one account share the limit", async () => {
  const { mirror } = await newStale("shared/one");
  const address = `${upstream.host}/shared/two`;
  const { status, body } = await callRest(`/registry/v2/repos/${mirror.organization.uid}`, {
    token: mirror.owner,
    body: { name: "two", upstream: { address } },
  });
  expect(status).toBe(200);
  const two = {
    ...mirror,
    name: `${mirror.organization.uid}/two`,
    repo: { uid: body.uid, name: "two" },
  };
  upstream.put("shared/two", "v1");
  expect((await send(two, "manifests/v1")).status).toBe(200);
  upstream.behave((_, response) => {
    response.writeHead(429, { "retry-after": "120" }).end();
    return true;
  });
  await send(mirror, "manifests/latest");
  upstream.forget();
  expect(await outcome(send(two, "manifests/v2"))).toEqual([429, "TOOMANYREQUESTS"]);
  expect(upstream.asked()).toEqual([]);
});

test("the limits that the upstream says are shown", async () => {
  const { mirror } = await newStale("limits/shown");
  upstream.behave(({ path }, response) => {
    response.setHeader("ratelimit-limit", "100;w=21600");
    response.setHeader("ratelimit-remaining", "76;w=21600");
    return path === "";
  });
  await send(mirror, "manifests/latest");
  expect(await statusOf(mirror)).toMatchObject({ pullLimit: 100, pullsRemaining: 76 });
});

test("an upstream that fails is down for all pulls, and then one event ends with an answer", async () => {
  const { mirror, image } = await newStale("down/app");
  upstream.behave((_, response) => {
    response.writeHead(500).end();
    return true;
  });
  const answer = await send(mirror, "manifests/latest");
  expect(answer.headers.get("docker-content-digest")).toBe(image.digest);
  expect(answer.headers.get("warning")).toContain("answers with 500");
  expect(await outcome(send(mirror, "manifests/other"))).toEqual([503, "UNAVAILABLE"]);
  expect(await outagesOf(mirror.repo.uid)).toHaveLength(1);
  expect(await movesOf(mirror.repo.uid, "latest")).toHaveLength(1);
});

test("a redirect of a blob to another host is followed, and that host gets no credentials", async () => {
  const origin = await startUpstream({ login: { user: "robot", password: "secret" } });
  const storage = await startUpstream();
  const image = origin.put("far/app", "v1", newImageOf({ layer: someBytes(50_000) }));
  storage.put("far/app", "v1", image);
  const mirror = await newMirror({
    ...{ address: `${origin.host}/far/app`, username: "robot", password: "secret" },
  });
  origin.behave(({ path, headers }, response) => {
    if (!path.includes("/blobs/") || !headers.authorization) return false;
    response.writeHead(307, { location: `http://${storage.host}${path}` }).end();
    return true;
  });
  expect(await pullImage(mirror, "v1")).toEqual(image);
  expect(storage.arrived.length).toBeGreaterThan(0);
  expect(storage.arrived.filter(({ headers }) => headers.authorization)).toEqual([]);
  await Promise.all([origin.close(), storage.close()]);
});

const forbidden = [
  "http://10.0.0.1/blob",
  "https://169.254.169.254/latest/meta-data",
  "http://example.com/blob",
  "https://registry.internal/blob",
  "ftp://127.0.0.1/blob",
  "//10.0.0.1/blob",
  "https://0xa000001/blob",
  "https://[::ffff:10.0.0.1]/blob",
  "https://[fd00::1]:8443/blob",
  "https://user:password@example.com/blob",
  "https://example.com:22/blob",
];

test.each(forbidden)("a redirect to %s is not followed", async (location) => {
  const image = upstream.put("away/app", "v1", newImageOf());
  const mirror = await newMirror({ address: `${upstream.host}/away/app` });
  await send(mirror, "manifests/v1");
  upstream.behave(at("/blobs/", (_, response) => response.writeHead(302, { location }).end()));
  const answer = await send(mirror, `blobs/${digestOf(image.layer)}`);
  expect(answer.status).toBe(502);
  expect(await answer.text()).toContain("leads to an address that");
});

test("redirects in a circle end", async () => {
  upstream.put("circle/app", "v1");
  const mirror = await newMirror({ address: `${upstream.host}/circle/app` });
  upstream.behave(
    at("/manifests/", ({ path }, response) => response.writeHead(302, { location: path }).end()),
  );
  expect(await outcome(send(mirror, "manifests/v1"))).toEqual([502, "UNAVAILABLE"]);
  expect(upstream.asked().length).toBeLessThan(10);
});

test("a token server at a private address is not asked", async () => {
  upstream.put("realm/app", "v1");
  const mirror = await newMirror({ address: `${upstream.host}/realm/app` });
  upstream.behave((_, response) => {
    const challenge = 'Bearer realm="http://192.168.0.1/token",service="x"';
    response.writeHead(401, { "www-authenticate": challenge }).end();
    return true;
  });
  const answer = await send(mirror, "manifests/v1");
  expect([answer.status, await answer.text()]).toEqual([502, expect.stringContaining("must ")]);
});

test("a login at the upstream works, and a wrong password is said", async () => {
  const closed = await startUpstream({ login: { user: "robot", password: "secret" } });
  const image = closed.put("closed/app", "v1");
  const address = `${closed.host}/closed/app`;
  const right = await newMirror({ address, username: "robot", password: "secret" });
  expect(await pullImage(right, "v1")).toEqual(image);
  const wrong = await newMirror({ address, username: "robot", password: "guess" });
  const answer = await send(wrong, "manifests/v1");
  expect([answer.status, await answer.text()]).toEqual([
    502,
    expect.stringContaining("refuses the user name and the password"),
  ]);
  await closed.close();
});

test("a manifest of more than 4 MiB is refused", async () => {
  upstream.put("large/app", "v1");
  const mirror = await newMirror({ address: `${upstream.host}/large/app` });
  upstream.behave(
    at("/manifests/", (_, response) => response.writeHead(200).end(Buffer.alloc(5 * 1024 * 1024))),
  );
  expect(await outcome(send(mirror, "manifests/v1"))).toEqual([502, "UNAVAILABLE"]);
});
