/** Logins at upstreams, and whom a failure of one concerns. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { callRest } from "../../world/platform.ts";
import { outcome, pullImage, send } from "../client.ts";
import { below, movesOf, newMirror, type TestMirror } from "./mirrors.ts";
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

/** A token server that answers so. The upstream wants a token, and takes any. */
const tokens =
  (answer: (path: string) => { status?: number; text: string }): Script =>
  ({ path, headers }, response) => {
    if (path.startsWith("/token")) {
      const { status = 200, text } = answer(path);
      response.writeHead(status, { "content-type": "application/json" }).end(text);
      return true;
    }
    if (headers.authorization) return false;
    const challenge = `Bearer realm="http://${upstream.host}/token",service="upstream"`;
    response.writeHead(401, { "www-authenticate": challenge }).end();
    return true;
  };

/** Another mirror in the organization. */
async function another(mirror: TestMirror, name: string, upstream: object): Promise<TestMirror> {
  const { status, body } = await callRest(`/registry/v2/repos/${mirror.organization.uid}`, {
    token: mirror.owner,
    body: { name, upstream },
  });
  expect(status).toBe(200);
  return { ...mirror, name: `${mirror.organization.uid}/${name}`, repo: { uid: body.uid, name } };
}

test.each([403, 401, 404])(
  "a token server that answers with %d about one image does not stop the others",
  async (status) => {
    const image = upstream.put("tokens/app", "v1");
    const mirror = await newMirror({ address: upstream.host, prefix: true });
    upstream.behave(
      tokens((path) =>
        path.includes("none") ? { status, text: "{}" } : { text: '{"token":"t"}' },
      ),
    );
    const none = await outcome(send(below(mirror, "tokens/none"), "manifests/v1"));
    expect(none).toEqual([404, "NAME_UNKNOWN"]);
    expect(await pullImage(below(mirror, "tokens/app"), "v1")).toEqual(image);
  },
);

test.each(["null", "7", "[]", '"text"', "", '{"token":7}', '{"token":"a\\r\\nb: c"}'])(
  "a token server that sends %s gets no further request",
  async (text) => {
    const mirror = await newMirror({ address: `${upstream.host}/tokens/odd` });
    upstream.behave(tokens(() => ({ text })));
    const answer = await send(mirror, "manifests/v1");
    expect([answer.status, await answer.text()]).toEqual([
      502,
      expect.stringContaining("sends no token"),
    ]);
  },
);

const basic: Script = ({ headers }, response) => {
  const right = `Basic ${Buffer.from("robot:secret").toString("base64")}`;
  if (headers.authorization === right) return false;
  response.writeHead(401, { "www-authenticate": 'Basic realm="upstream"' }).end();
  return true;
};

test("an upstream without tokens that refuses the password is not one without the tag", async () => {
  const image = upstream.put("basic/app", "latest");
  const address = `${upstream.host}/basic/app`;
  const login = { username: "robot", password: "secret" };
  const mirror = await newMirror({ address, revalidateAfter: "0s", ...login });
  upstream.behave(basic);
  expect(await pullImage(mirror, "latest")).toEqual(image);
  // Someone has changed it at the upstream.
  upstream.behave((_, response) => {
    response.writeHead(401, { "www-authenticate": 'Basic realm="upstream"' }).end();
    return true;
  });
  const answer = await send(mirror, "manifests/latest");
  expect(answer.headers.get("docker-content-digest")).toBe(image.digest);
  expect(answer.headers.get("warning")).toContain("refuses the user name and the password");
  expect(await outcome(send(mirror, "manifests/other"))).toEqual([502, "UNAVAILABLE"]);
});

test("a mirror with a wrong password does not stop one with the right password", async () => {
  const image = upstream.put("basic/two", "v1");
  const address = `${upstream.host}/basic/two`;
  upstream.behave(basic);
  const right = await newMirror({ address, username: "robot", password: "secret" });
  expect(await pullImage(right, "v1")).toEqual(image);
  const wrong = await another(right, "wrong", { address, username: "robot", password: "guess" });
  expect(await outcome(send(wrong, "manifests/v1"))).toEqual([502, "UNAVAILABLE"]);
  expect(await outcome(send(right, "manifests/v2"))).toEqual([404, "MANIFEST_UNKNOWN"]);
});

test("a shared limit does not name the image of the other mirror", async () => {
  upstream.put("limits/open", "v1");
  const open = await newMirror({ address: `${upstream.host}/limits/open` });
  await pullImage(open, "v1");
  const secret = await another(open, "secret", { address: `${upstream.host}/limits/secret` });
  upstream.behave((_, response) => {
    response.writeHead(429, { "retry-after": "120" }).end();
    return true;
  });
  expect((await send(secret, "manifests/v1")).status).toBe(429);
  const answer = await send(open, "manifests/v2");
  const text = await answer.text();
  expect([answer.status, text]).toEqual([429, expect.stringContaining("/limits/open is limited")]);
  expect(text).not.toContain("secret");
});

test("no client can make a mirror use the password of another one", async () => {
  const closed = await startUpstream({ login: { user: "robot", password: "secret" } });
  closed.put("acme/secret", "v1");
  const login = { username: "robot", password: "secret" };
  const victim = await newMirror({ address: closed.host, prefix: true, ...login });
  const address = `${closed.host}/acme/secret`;
  const own = await newMirror({ address });
  const upstream = { address, sourceUid: victim.repo.uid };
  for (const mask of ["", "?updateMask=upstream", "?updateMask=upstream.source_uid"]) {
    await callRest(`/registry/v2/repos/${own.repo.uid}${mask}`, {
      ...{ method: "PATCH", token: own.owner, body: { upstream } },
    });
    expect((await send(own, "manifests/v1")).status).toBe(404);
  }
  expect(await movesOf(own.repo.uid, "v1")).toEqual([]);
  await closed.close();
});
