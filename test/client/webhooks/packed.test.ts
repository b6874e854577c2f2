/** The README's receivers with the packed package: in a Worker, and in Node over a real socket. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { request as send } from "node:http";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { Miniflare, convertV4MiniflareOptions as options } from "miniflare";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Issuer, startIssuer } from "../../auth/oidc_issuer.ts";
import { installPackedClient } from "../packed.ts";
import {
  type Delivery,
  groupUid,
  newSecret,
  tagDelivery,
  tagUid,
  withSignature,
  withToken,
} from "./delivery.ts";

const readme = readFileSync(new URL("../../../client/README.md", import.meta.url), "utf8");
const block = (mark: string) =>
  new RegExp(`^\`\`\`ts webhook ${mark}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(readme)?.[1] ?? "";

let project: Awaited<ReturnType<typeof installPackedClient>>;
let issuer: Issuer;
beforeAll(async () => {
  [project, issuer] = await Promise.all([installPackedClient(), startIssuer()]);
});
afterAll(async () => {
  await project?.[Symbol.asyncDispose]();
  await issuer?.close();
});

async function startWorker(script: string, bindings: Record<string, string>) {
  const worker = new Miniflare(
    options({ modules: true, script, compatibilityDate: "2026-10-01", bindings }),
  );
  return {
    post: async ({ headers, body }: Delivery) =>
      (await worker.dispatchFetch("https://hooks.example/", { method: "POST", headers, body }))
        .status,
    [Symbol.asyncDispose]: () => worker.dispose(),
  };
}

test("the Worker accepts an authentic delivery, and refuses a forged one", async () => {
  const secret = newSecret();
  const script = await project.bundle("receiver.ts", block("worker"));
  await using worker = await startWorker(script, { WEBHOOK_SECRET: secret });
  expect(await worker.post(withSignature(tagDelivery(), secret))).toBe(200);
  expect(await worker.post(withSignature(tagDelivery(), newSecret()))).toBe(403);
  expect(await worker.post(tagDelivery())).toBe(401);
});

test("a Worker verifies tokens, also of two requests at once", async () => {
  const own = block("worker").replace(
    "secret: env.WEBHOOK_SECRET",
    `issuer: "${issuer.url}", group: "${groupUid}"`,
  );
  expect(own).toContain("issuer:");
  await using worker = await startWorker(await project.bundle("tokens.ts", own), {});
  const deliveries = [1, 2, 3].map(() => withToken(tagDelivery(), issuer));
  const statuses = (await Promise.all(deliveries)).map((delivery) => worker.post(delivery));
  expect(await Promise.all(statuses)).toEqual([200, 200, 200]);
  const other = await withToken(tagDelivery(), issuer, { sub: "webhook:other" });
  expect(await worker.post(other)).toBe(403);
});

/** Sends a request, with headers that may appear twice. Returns the status. */
const post = (port: number, headers: Record<string, string | string[]>, body: string) =>
  new Promise<number>((resolve, reject) => {
    const request = send({ port, host: "127.0.0.1", method: "POST", headers }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode ?? 0));
    });
    request.on("error", reject).end(body);
  });

/** Starts the receiver of the README on a free port. */
async function startNode(): Promise<{ child: ChildProcess; lines: Interface; port: number }> {
  const listen = ".listen(process.env.PORT);";
  expect(block("node")).toContain(listen);
  const told = block("node").replace(
    listen,
    ".listen(0, function () { console.log((this.address() as { port: number }).port); });",
  );
  await writeFile(join(project.folder, "receiver_node.ts"), told);
  const env = { ...process.env, ISSUER: issuer.url, GROUP: groupUid };
  const child = spawn(process.execPath, ["receiver_node.ts"], {
    ...{ cwd: project.folder, env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface(child.stdout);
  const [port] = await once(lines, "line");
  return { child, lines, port: Number(port) };
}

test("the receiver in Node prints an authentic event, and refuses a header that is sent twice", async () => {
  const { child, lines, port } = await startNode();
  try {
    const { headers, body } = await withToken(tagDelivery(), issuer);
    const printed = once(lines, "line");
    expect(await post(port, headers, body)).toBe(200);
    expect(await printed).toEqual([`api.platform.registry.tag.created.v1 ${tagUid}`]);
    const token = headers.authorization ?? "";
    expect(await post(port, { ...headers, authorization: [token, token] }, body)).toBe(403);
    const type = headers["ce-type"] ?? "";
    expect(await post(port, { ...headers, "ce-type": [type, type] }, body)).toBe(400);
    expect(await post(port, { ...headers }, `${body} `)).toBe(403);
  } finally {
    child.kill();
  }
});
