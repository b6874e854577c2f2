/** The action that updates base images, as a process, against the platform and GitHub's API in memory. */

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  baseImages,
  isDockerfile,
  withDigests,
} from "../../examples/base-image-action/dockerfile.ts";
import { type Issuer, startIssuer } from "../auth/oidc_issuer.ts";
import { newSecret, tagDelivery, withSignature } from "../client/webhooks/delivery.ts";
import { addMoves, digestNumber, newVerified } from "../distribution/stored_images.ts";
import { newIdentityWithMatchers } from "../issuer/exchange_call.ts";
import { createResource, type Organization, randomName } from "../world/personas.ts";
import { baseUrl, registryAudience, sql } from "../world/platform.ts";
import { GithubApi } from "./github_api.ts";
import { type Received, startHttpServer } from "./http_server.ts";
import { startWorker } from "./worker_bundle.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const host = "registry.example.com";
const old = digestNumber(0);
/** The newest of three records. */
const now = digestNumber(2);

let org: Organization;
let issuer: Issuer;
let identity: string;
let repoUid: string;
let tokens: Awaited<ReturnType<typeof startHttpServer>>;
beforeAll(async () => {
  [org, issuer] = await Promise.all([newVerified(), startIssuer()]);
  const { uid } = await createResource(`/registry/v2/repos/${org.uid}`, org.owner.token, {
    name: "python",
  });
  repoUid = uid;
  await addMoves(uid, "3.14", 3);
  await addMoves(uid, "latest", 3);
  await addMoves(uid, "edge", 3);
  const subject = randomName("repo:acme/shop:");
  identity = await newIdentityWithMatchers(
    org,
    { claimMatch: { issuer: issuer.url, subject } },
    "registry.pull",
  );
  tokens = await startHttpServer(async ({ url, headers }) => {
    if (headers.authorization !== "Bearer request-token") return { status: 401 };
    // The platform under test has another address than its configured one, which is the audience.
    if (url.searchParams.get("audience") !== baseUrl()) return { status: 400 };
    return { status: 200, body: { value: await issuer.sign(subject) } };
  });
});
afterAll(async () => {
  await Promise.all([issuer?.close(), tokens?.close()]);
});

let github: GithubApi;
let folder: string;
beforeEach(async () => {
  github = await GithubApi.start();
  folder = await mkdtemp(join(tmpdir(), "action-"));
});
afterEach(async () => {
  await github?.close();
  await rm(folder, { recursive: true });
});

const image = (tag: string, digest: string) => `${host}/${org.name}/python:${tag}@${digest}`;

/** Runs the program of the action. Returns its output `pull-request`. */
async function runAction(env: Record<string, string> = {}): Promise<string> {
  const output = join(folder, "output");
  await writeFile(output, "");
  const settings = {
    ...{ PLATFORM_URL: baseUrl(), ISSUER_URL: baseUrl(), REGISTRY_URL: baseUrl() },
    ...{ REGISTRY_HOST: host, REGISTRY_AUDIENCE: registryAudience, IDENTITY: identity },
    ...{ ACTIONS_ID_TOKEN_REQUEST_URL: `${tokens.url}/?v=1` },
    ...{ ACTIONS_ID_TOKEN_REQUEST_TOKEN: "request-token", VENDOR: "vendor" },
    ...{ BRANCH: "update-base-images", GITHUB_TOKEN: github.token },
    ...{ GITHUB_API_URL: github.url, GITHUB_REPOSITORY: github.repository, GITHUB_OUTPUT: output },
    ...{ PATH: process.env.PATH, ...env },
  };
  const program = ["--conditions=checkout", "update.ts"];
  const cwd = join(root, "examples/base-image-action");
  await promisify(execFile)(process.execPath, program, { cwd, env: settings });
  return /^pull-request=(.*)$/m.exec(await readFile(output, "utf8"))?.[1] ?? "none";
}

const files = (digest: string) => ({
  Dockerfile: `FROM ${image("3.14", digest)} AS build\r\nRUN true\r\n`,
  "services/api/Dockerfile": `# syntax\nfrom --platform=$BUILDPLATFORM ${image("latest", digest)}\n`,
  "services/prod.Dockerfile": `FROM docker.io/library/alpine:3@${digestNumber(9)}\n`,
  "notes.md": `FROM ${image("3.14", digest)}\n`,
  "run.sh": "#!/bin/sh\n",
});

test("base images that moved are updated in one commit and one pull request", async () => {
  const base = github.commitFiles(files(old));
  expect(await runAction()).toBe("1");
  expect(github.filesOf("update-base-images")).toEqual({
    ...files(now),
    "notes.md": files(old)["notes.md"],
  });
  expect(github.modesOf("update-base-images")["run.sh"]).toBe("100755");
  expect(github.commitOf("update-base-images").parents).toEqual([base]);
  expect(github.pullRequests).toMatchObject([
    { state: "open", title: "Update base images", head: "update-base-images", base: "main" },
  ]);
  const [{ body } = { body: "" }] = github.pullRequests;
  expect(body).toContain(
    `\`Dockerfile\`: \`${host}/${org.name}/python:3.14\` moved from \`${old}\``,
  );
  expect(body).toContain("services/api/Dockerfile");
  expect(body).not.toContain("alpine");
});

test("a second run changes nothing", async () => {
  github.commitFiles(files(old));
  expect(await runAction()).toBe("1");
  const [writes, head] = [github.writes.length, github.branches.get("update-base-images")];
  expect(await runAction()).toBe("1");
  expect(github.writes.slice(writes)).toEqual(["POST /git/trees"]);
  expect(github.branches.get("update-base-images")).toBe(head);
});

test("an open pull request is updated when the default branch or a tag has moved", async () => {
  github.commitFiles({ Dockerfile: `FROM ${image("edge", old)}\n` });
  await runAction();
  const base = github.commitFiles({ Dockerfile: `FROM ${image("edge", old)}\nRUN true\n` });
  expect(await runAction()).toBe("1");
  expect(github.commitOf("update-base-images").parents).toEqual([base]);
  expect(github.filesOf("update-base-images")).toEqual({
    Dockerfile: `FROM ${image("edge", now)}\nRUN true\n`,
  });
  const next = digestNumber(77);
  await sql(
    "insert into tag_moves (repo_uid, tag, update_time, digest) values (?, 'edge', ?, ?)",
    ...[repoUid, Date.now(), next],
  );
  expect(await runAction()).toBe("1");
  expect(github.filesOf("update-base-images").Dockerfile).toContain(image("edge", next));
  expect(github.pullRequests).toHaveLength(1);
  expect(github.pullRequests[0]?.body).toContain(next);
});

test("a new pull request is opened after the last one was closed", async () => {
  github.commitFiles(files(old));
  await runAction();
  Object.assign(github.pullRequests[0] ?? {}, { state: "closed" });
  expect(await runAction()).toBe("2");
});

test("nothing is written if every base image is up to date", async () => {
  github.commitFiles(files(now));
  expect(await runAction()).toBe("");
  expect(github.writes).toEqual([]);
});

describe("the action fails, and writes nothing,", () => {
  const failure = async (env: Record<string, string> = {}) => {
    const error = await runAction(env).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(github.writes).toEqual([]);
    return String((error as { stderr?: string }).stderr);
  };

  test("if the identity may not read the image", async () => {
    github.commitFiles(files(old));
    const other = await newVerified();
    const stranger = await newIdentityWithMatchers(
      other,
      { claimMatch: { issuer: issuer.url, subject: randomName("nobody") } },
      "registry.pull",
    );
    expect(await failure({ IDENTITY: stranger })).toContain("PermissionDenied");
    expect(await failure({ IDENTITY: "" })).toMatch(/Unauthenticated|PermissionDenied|401|403/);
  });

  test("if the image does not exist", async () => {
    github.commitFiles({ Dockerfile: `FROM ${host}/${org.name}/nothing:1@${old}\n` });
    expect(await failure()).not.toBe("");
  });

  test("if GitHub does not list all files", async () => {
    github.commitFiles(files(old));
    github.isTruncated = true;
    expect(await failure()).toContain("more files than GitHub lists");
  });

  test("if GitHub refuses the token", async () => {
    github.commitFiles(files(old));
    expect(await failure({ GITHUB_TOKEN: "other" })).toContain("401");
  });
});

test("a file that is not UTF-8 is left as it is", async () => {
  const bytes = Buffer.concat([Buffer.from(`FROM ${image("3.14", old)}\n# `), Buffer.from([0xff])]);
  github.commitFiles({ Dockerfile: bytes });
  expect(await runAction()).toBe("");
});

test("a moved tag starts the workflow, and a forged event does not", async () => {
  const received: Received[] = [];
  let status = 204;
  const api = await startHttpServer((request) => {
    received.push(request);
    return { status };
  });
  const secret = newSecret();
  const bindings = {
    ...{ WEBHOOK_SECRET: secret, GITHUB_REPOSITORY: "acme/shop", GITHUB_TOKEN: "t" },
    GITHUB_API_URL: api.url,
  };
  try {
    await using worker = await startWorker("base-image-action", "dispatch_worker", bindings);
    expect(await worker.deliver(withSignature(tagDelivery(), newSecret()))).toBe(403);
    expect(received).toEqual([]);
    expect(await worker.deliver(withSignature(tagDelivery(), secret))).toBe(200);
    expect(received.map(({ method, url }) => `${method} ${url.pathname}`)).toEqual([
      "POST /repos/acme/shop/dispatches",
    ]);
    expect(received[0]?.headers).toMatchObject({ authorization: "Bearer t" });
    expect(received[0]?.headers["user-agent"]).toBeDefined();
    expect(JSON.parse(String(received[0]?.body))).toEqual({ event_type: "tag-moved" });
    status = 403;
    expect(await worker.deliver(withSignature(tagDelivery(), secret))).toBe(500);
  } finally {
    await api.close();
  }
});

test("the workflow listens for what the Worker sends, and passes inputs that the action has", async () => {
  const text = (name: string) => readFile(join(root, "examples/base-image-action", name), "utf8");
  const [workflow, action] = await Promise.all([text("workflow.yml"), text("action.yml")]);
  expect(workflow).toContain("types: [tag-moved]");
  const inputs = [...(action.split("outputs:")[0]?.matchAll(/^ {2}([a-z-]+):$/gm) ?? [])].map(
    ([, name]) => name,
  );
  const passed = [...workflow.matchAll(/^ {10}([a-z-]+): /gm)].map(([, name]) => name);
  expect(passed).toContain("platform-url");
  expect(inputs).toEqual(expect.arrayContaining(passed));
  const used = [...action.matchAll(/inputs\.([a-z-]+)/g)].map(([, name]) => name);
  expect(used.sort()).toEqual([...inputs].sort());
});

describe("a Dockerfile", () => {
  const digest = `sha256:${"a".repeat(64)}`;

  test.each(["Dockerfile", "a/Dockerfile", "Dockerfile.prod", "a/b.Dockerfile", "Containerfile"])(
    "has the name %s",
    (path) => expect(isDockerfile(path)).toBe(true),
  );

  test.each([
    "Dockerfile/readme.md",
    "myDockerfile",
    "docs/dockerfile_notes.md",
    "a.dockerfile.txt",
  ])("does not have the name %s", (path) => expect(isDockerfile(path)).toBe(false));

  test.each([
    `FROM r.example/a/b:1@${digest}`,
    `  from\tr.example/a/b:1@${digest} as x`,
    `FROM --platform=linux/amd64 r.example/a/b:1@${digest}`,
    `ARG X=1\r\nFROM r.example/a/b:1@${digest}\r\n`,
  ])("pins an image: %j", (text) => {
    expect(baseImages(text, "r.example")).toEqual([{ reference: "r.example/a/b:1", digest }]);
    const next = `sha256:${"b".repeat(64)}`;
    const digests = new Map([["r.example/a/b:1", next]]);
    expect(withDigests(text, digests)).toBe(text.replace(digest, next));
    expect(withDigests(text, new Map())).toBe(text);
  });

  test.each([
    `# FROM r.example/a/b:1@${digest}`,
    `FROM r.example/a/b@${digest}`,
    "FROM r.example/a/b:1",
    `FROM r.example.evil/a/b:1@${digest}`,
    `FROM other.example/r.example/b:1@${digest}`,
    `FROM r.example/a/b:1@${digest}00`,
    "FROM scratch",
  ])("pins no image of the registry: %j", (text) => {
    expect(baseImages(text, "r.example")).toEqual([]);
  });
});
