/** `import registry` reads one organization's images as those of another registry, and copies them into a second. */

import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { challengeOf } from "../../../cli/images/other_registry.ts";
import {
  descriptorOf,
  manifestType,
  newImageOf,
  newPusher,
  pullImage,
  pushImage,
} from "../../distribution/client.ts";
import { createResource, type Organization } from "../../world/personas.ts";
import { baseUrl, callRest } from "../../world/platform.ts";
import { newFolder, newStateFolder, platformctl } from "../command.ts";

let theirs: Organization;
let ours: Organization;
let ourToken: string;
let env: Record<string, string>;
let digest: string;
let host: string;
const run = (...args: string[]) => platformctl(["import", "registry", ...args], { env });

/** The registry of the shared platform with an address of its own, as one that says right where its tokens are. */
async function serveTheirs(): Promise<string> {
  const server = createServer(async ({ url = "", method = "GET", headers }, response) => {
    const { authorization, accept } = headers;
    const answer = await fetch(new URL(url, baseUrl()), {
      ...{ method, redirect: "manual" },
      headers: { ...(authorization && { authorization }), ...(accept && { accept }) },
    });
    for (const [name, value] of answer.headers)
      if (!["content-encoding", "transfer-encoding"].includes(name))
        response.setHeader(name, value.replace(/http:\/\/[^/"]+\/token/, `http://${host}/token`));
    response.statusCode = answer.status;
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  stop = () => void server.close();
  return listen(server);
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `127.0.0.1:${address.port}`;
}

let stop = () => {};
afterAll(() => stop());

async function dockerFolder(hostOf: string, login: string): Promise<string> {
  const folder = join(await newFolder(), ".docker");
  await mkdir(folder);
  const auths = { [hostOf]: { auth: Buffer.from(login).toString("base64") } };
  await writeFile(join(folder, "config.json"), JSON.stringify({ auths }));
  return folder;
}

beforeAll(async () => {
  host = await serveTheirs();
  const pusher = await newPusher();
  theirs = pusher.organization;
  ({ organization: ours, token: ourToken } = await newPusher());
  env = {
    PLATFORM_STATE: await newStateFolder(ours, { registryUrl: baseUrl() }),
    DOCKER_CONFIG: await dockerFolder(host, `_token:${pusher.token}`),
  };
  const team = await createResource(`/iam/v2/groups/${theirs.uid}`, theirs.owner.token, {
    name: "team",
  });
  expect(team.uid).toContain(theirs.uid);
  const app = { token: pusher.token, name: `${theirs.uid}/app` };
  const image = await pushImage(app, "1.0");
  ({ digest } = image);
  await pushImage(app, "2.0");
  const subject = descriptorOf(image.text, manifestType);
  const signature = newImageOf({ artifactType: "application/vnd.example", subject });
  await pushImage(app, signature.digest, signature);
  await pushImage({ token: pusher.token, name: `${theirs.uid}/team/web` }, "1.0");
});

test("a project is listed, copied with what refers to it, and a second run copies nothing", async () => {
  const project = `${host}/${theirs.uid}`;
  const planned = await run(project, "--group", ours.uid, "--dry-run");
  expect(planned.err).toBe("");
  expect(planned.out).toContain("2 repositories");
  expect(planned.out).toContain("3 tags to copy");
  const reposOf = () =>
    callRest(`/registry/v2/repos?uidp.descendants_of=${ours.uid}`, { token: ours.owner.token });
  expect((await reposOf()).body.totalCount).toBe("0");

  const copied = await run(project, "--group", ours.uid);
  expect([copied.code, copied.err]).toEqual([0, ""]);
  expect(copied.out).toContain("3 tags copied, 0 unchanged");
  expect(copied.out).toContain(`app:1.0 and 1 referrer ${digest}`);
  const app = { token: ourToken, name: `${ours.uid}/app` };
  expect((await pullImage(app, "1.0")).digest).toBe(digest);
  await pullImage({ token: ourToken, name: `${ours.uid}/team/web` }, "1.0");
  const referrers = await fetch(`${baseUrl()}/v2/${app.name}/referrers/${digest}`, {
    headers: { authorization: `Bearer ${ourToken}` },
  });
  expect((await referrers.json()).manifests).toHaveLength(1);

  const again = await run(project, "--group", ours.uid, "--json");
  expect(JSON.parse(again.out).tags.map(({ result }: { result: string }) => result)).toEqual(
    Array(3).fill("unchanged"),
  );
});

test("one repository can be named, and a project that is not there is an error", async () => {
  const one = await run(`${host}/${theirs.uid}/team/web`, "--group", ours.uid, "--dry-run");
  expect(one.err).toBe("");
  expect(one.out).toContain("1 repository");
  const none = await run(`${host}/${theirs.uid}/other`, "--group", ours.uid);
  expect([none.code, none.err]).toEqual([2, expect.stringContaining("Is the name right")]);
});

describe("a registry that lies", () => {
  const serve = async (answers: Record<string, object>, asked: string[] = []) => {
    const server = createServer(({ url = "", headers }, response) => {
      asked.push(`${url} ${headers.authorization ?? ""}`);
      const body = answers[url.split("?")[0] ?? ""];
      response.setHeader("link", '<http://127.0.0.1:1/v2/_catalog?last=x>; rel="next"');
      if (url.includes("last=x")) response.removeHeader("link");
      response.statusCode = body ? 200 : 404;
      response.end(JSON.stringify(body ?? { errors: [{ code: "NAME_UNKNOWN" }] }));
    });
    onTestFinished(() => void server.close());
    return listen(server);
  };

  test("names no other path and no other host, and a wrong manifest changes no tag", async () => {
    const asked: string[] = [];
    const other = await serve(
      {
        "/v2/_catalog": { repositories: ["shop/app", "shop/../../x", "shop/UP", 7] },
        "/v2/shop/app/tags/list": { tags: ["1.0", "a/../b", "?n=1"] },
        "/v2/shop/app/manifests/1.0": { schemaVersion: 2, config: { digest: "sha256:../../x" } },
      },
      asked,
    );
    const { code, out } = await run(`${other}/shop`, "--group", ours.uid, "--json");
    expect(code).toBe(1);
    const { repositories, tags } = JSON.parse(out);
    expect(repositories).toEqual(["shop/app"]);
    expect(tags).toMatchObject([{ tag: "1.0", result: "failed" }]);
    expect(asked.filter((line) => line.includes(".."))).toEqual([]);
  });

  const path = "/v2/shop/app/manifests/1.0";
  const lists = {
    "/v2/_catalog": { repositories: ["shop/app"] },
    "/v2/shop/app/tags/list": { tags: ["1.0", "1.0"] },
  };
  const importOf = async (answers: Record<string, object>, asked: string[] = []) => {
    const other = await serve({ ...lists, ...answers }, asked);
    const { code, out, err } = await run(`${other}/shop`, "--group", ours.uid, "--json");
    expect(err).not.toContain("BUG");
    return { code, tags: JSON.parse(out).tags };
  };

  test("moves no other tag by what refers to an image", async () => {
    const target = { token: ourToken, name: `${ours.uid}/victim` };
    const { digest: before } = await pushImage(target, "latest");
    const index = "application/vnd.oci.image.index.v1+json";
    const empty = { schemaVersion: 2, mediaType: index, manifests: [] };
    const own = createHash("sha256").update(JSON.stringify(empty)).digest("hex");
    const asked: string[] = [];
    const { code, tags } = await importOf(
      {
        [path]: empty,
        [`/v2/shop/app/referrers/sha256:${own}`]: {
          manifests: [{ digest: "../../victim/manifests/latest" }],
        },
        "/v2/shop/victim/manifests/latest": empty,
      },
      asked,
    );
    expect([code, tags]).toMatchObject([1, [{ result: "failed" }]]);
    expect(tags[0].reason).toContain("without a sha256 or sha512 digest");
    expect(asked.filter((line) => line.includes("victim"))).toEqual([]);
    expect((await pullImage(target, "latest")).digest).toBe(before);
  });

  test.each([
    [{ manifests: [null] }],
    [{ manifests: 5 }],
    [{ manifests: [{ digest: 5 }] }],
    [{ manifests: [{ digest: "1.0" }] }],
    [{ layers: [null] }],
    [{ config: null }],
    [["not", "an", "object"]],
    [{ annotations: { long: "x".repeat(5 * 1024 * 1024) } }],
  ])("fails only the tag with a manifest of a wrong form", async (manifest) => {
    const asked: string[] = [];
    const { code, tags } = await importOf({ [path]: manifest }, asked);
    expect([code, tags]).toMatchObject([1, [{ tag: "1.0", result: "failed" }]]);
    expect(asked.length).toBeLessThan(12);
  });

  test("is asked for no page twice, and writes nothing that a terminal acts on", async () => {
    const asked: string[] = [];
    const server = createServer(({ url = "" }, response) => {
      asked.push(url);
      response.setHeader("link", '<http://x//127.0.0.1:1/v2/stolen>; rel="next"');
      response.statusCode = url.includes("/manifests/") ? 403 : 200;
      const message = "\u001b[31mRED\u202e\nunchanged a:b";
      const errors = [{ code: "DENIED", message }];
      response.end(JSON.stringify({ repositories: ["shop/app"], tags: ["1.0"], errors }));
    });
    onTestFinished(() => void server.close());
    const { code, out, err } = await run(`${await listen(server)}/shop`, "--group", ours.uid);
    expect(code).toBe(1);
    // Once for the catalog, and once for each of the two lists of tags.
    expect(asked.filter((url) => url === "/127.0.0.1:1/v2/stolen")).toHaveLength(3);
    for (const text of ["\u001b", "\u202e", "\nunchanged"]) expect(out + err).not.toContain(text);
  });
});

test.each([
  [
    'Bearer realm="https://a.example/t",service="s"',
    "bearer",
    { realm: "https://a.example/t", service: "s" },
  ],
  ['Basic realm="a \\"b\\""', "basic", { realm: 'a "b"' }],
  ["Negotiate", "negotiate", {}],
])("the challenge %s is read", (header, scheme, parameters) => {
  expect(challengeOf(header)).toEqual({ scheme, parameters });
});
