/** The steps of the action that pushes, in bash, against the platform with a limit of bodies in front of it. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { type Issuer, startIssuer } from "../auth/oidc_issuer.ts";
import { startProxy } from "../cli/images/proxy.ts";
import { digestOf, send } from "../distribution/client.ts";
import { newVerified, registryToken } from "../distribution/stored_images.ts";
import { newIdentityWithMatchers } from "../issuer/exchange_call.ts";
import { type Organization, randomName } from "../world/personas.ts";
import { baseUrl } from "../world/platform.ts";
import { startHttpServer } from "./http_server.ts";

interface Step {
  id?: string;
  run?: string;
  env?: Record<string, string>;
}

const action = fileURLToPath(new URL("../../examples/push-action", import.meta.url));
const limit = 70 * 1024 * 1024;

let org: Organization;
let issuer: Issuer;
let identity = "";
let front: Awaited<ReturnType<typeof startProxy>>;
let platform: Awaited<ReturnType<typeof startHttpServer>>;
let tokens: Awaited<ReturnType<typeof startHttpServer>>;
let temp = "";
beforeAll(async () => {
  [org, issuer] = await Promise.all([newVerified(), startIssuer()]);
  front = await startProxy(baseUrl());
  front.change = ({ headers }) =>
    Number(headers["content-length"] ?? 0) > limit ? { status: 413 } : undefined;
  const subject = randomName("repo:acme/shop:");
  const claimMatch = { issuer: issuer.url, subject };
  identity = await newIdentityWithMatchers(org, { claimMatch }, "registry.push");
  // The platform under test has another address than its configured one.
  platform = await startHttpServer(async ({ method, url, headers }) => {
    const { authorization = "" } = headers;
    const target = `${baseUrl()}${url.pathname}${url.search}`;
    const answer = await fetch(target, { method, headers: { authorization } });
    const body = (await answer.json()) as object;
    const isDiscovery = url.pathname === "/.well-known/openid-configuration";
    const own = { issuer: platform.url, platform_registry_url: front.url };
    return { status: answer.status, body: isDiscovery ? { ...body, ...own } : body };
  });
  tokens = await startHttpServer(async ({ headers, url }) => {
    if (headers.authorization !== "Bearer request-token") return { status: 401 };
    if (url.searchParams.get("audience") !== platform.url) return { status: 400 };
    return { status: 200, body: { value: await issuer.sign(subject) } };
  });
  temp = await mkdtemp(join(tmpdir(), "push-action-"));
});
afterAll(async () => {
  front.stop();
  await Promise.all([issuer.close(), platform.close(), tokens.close()]);
  await rm(temp, { recursive: true });
});

/** Runs the steps of the action as GitHub does, apart from those that install something. */
async function runAction(run: string) {
  const { runs } = parse(await readFile(join(action, "action.yml"), "utf8")) as {
    runs: { steps: Step[] };
  };
  const values: Record<string, string> = {
    "github.action_path": action,
    "runner.temp": temp,
    "inputs.run": run,
    "inputs.platform-url": baseUrl(),
    "inputs.issuer-url": platform.url,
    "inputs.identity": identity,
    "inputs.port": "0",
  };
  const filled = (text: string) =>
    text.replace(/\$\{\{ ([\w.-]+) \}\}/g, (_, name: string) => values[name] ?? "");
  let output = "";
  for (const { run: script = "", env = {} } of runs.steps.filter(({ id }) =>
    ["log-in", "push"].includes(id ?? ""),
  )) {
    const own = Object.entries(env).map(([name, text]) => [name, filled(text)]);
    const bash = ["--noprofile", "--norc", "-eo", "pipefail", "-c", script];
    const { stdout, stderr } = await promisify(execFile)("bash", bash, {
      env: {
        PATH: process.env.PATH,
        HOME: temp,
        PLATFORM_STATE: "/nowhere",
        ACTIONS_ID_TOKEN_REQUEST_URL: `${tokens.url}/?v=1`,
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: "request-token",
        ...Object.fromEntries(own),
      },
    });
    output += stdout + stderr;
  }
  return output;
}

test("a layer over the limit is pushed with the token of the workflow, and without a secret", async () => {
  const name = `${org.name}/${randomName("image")}`;
  const size = limit + 1_000_000;
  const layer = Buffer.alloc(size, "layer");
  const output = await runAction(
    `head -c ${size} < <(yes layer | tr -d '\\n') > "$HOME/layer"
     curl -sSf -o /dev/null --data-binary "@$HOME/layer" "http://$PLATFORM_PROXY/v2/${name}/blobs/uploads/?digest=${digestOf(layer)}"`,
  );
  expect(output).toContain(`to ${name}: 71 MiB in `);
  const token = await registryToken(org.owner.uid);
  const stored = await send({ name, token }, `blobs/${digestOf(layer)}`, { method: "HEAD" });
  expect([stored.status, stored.headers.get("content-length")]).toEqual([200, String(size)]);
});

test("the step fails with the commands that it runs", async () => {
  await expect(runAction("exit 3")).rejects.toMatchObject({ code: 3 });
});

test("the files for pipelines run the proxy that they name", async () => {
  const workflow = parse(await readFile(join(action, "workflow.yml"), "utf8"));
  const step = workflow.jobs.push.steps.at(-1);
  const inputs = parse(await readFile(join(action, "action.yml"), "utf8")).inputs;
  expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(step.with)));
  expect(step.with.run).toContain(`localhost:${inputs.port.default}/`);
  const job = parse(await readFile(join(action, "gitlab.yml"), "utf8"))["push-image"];
  expect(job.variables.IMAGE).toContain(`localhost:${inputs.port.default}/`);
});
