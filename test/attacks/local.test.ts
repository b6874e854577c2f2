/**
 * Attacks on a platform that `npm start` runs, by other users of this machine, or by a page in its browser.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import * as http from "node:http";
import * as http2 from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import ignore from "ignore";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listenOnNewPort } from "../world/new_port.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
let folder: string;
let port: number;
let platform: ChildProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "platform-local-"));
  // As a start before files were private left it.
  await mkdir(join(folder, "d1/v3"), { recursive: true, mode: 0o755 });
  await writeFile(join(folder, "d1/v3/old.sqlite"), "", { mode: 0o644 });
  const server = http.createServer();
  port = await listenOnNewPort(server);
  await new Promise((done) => server.close(done));
  const args = ["cli/start.ts", "--port", `${port}`, "--state", folder];
  platform = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "ignore"] });
  if (!platform.stdout) throw new Error("npm start has no output");
  for await (const line of createInterface(platform.stdout)) {
    if (line.startsWith("Reference")) break;
  }
});
afterAll(async () => {
  platform.kill("SIGTERM");
  if (platform.exitCode === null) await once(platform, "exit");
  rmSync(folder, { recursive: true, force: true });
});

type Sent = { path?: string; headers?: Record<string, string> };

async function overHttp1({ path = "/ping/v2/ping", headers = {} }: Sent) {
  const [answer] = (await once(
    http.get({ port, path, headers, host: "127.0.0.1" }),
    "response",
  )) as [http.IncomingMessage];
  return [answer.statusCode, await text(answer)];
}

async function overHttp2({ path = "/ping/v2/ping", headers = {} }: Sent) {
  const session = http2.connect(`http://127.0.0.1:${port}`);
  const stream = session.request({ ":path": path, ...headers });
  const [answer] = (await once(stream, "response")) as [http2.IncomingHttpHeaders];
  const body = await text(stream);
  session.destroy();
  return [Number(answer[":status"]), body];
}

describe.each([
  ["HTTP/1.1", overHttp1],
  ["HTTP/2", overHttp2],
])("over %s", (_, send) => {
  test.each<[string, Record<string, string>]>([
    ["the address of another path", { "mf-original-url": "http://localhost/docs" }],
    ["an invalid address", { "MF-Original-URL": "x" }],
    ["a route", { "MF-Route-Override": "platform" }],
    ["facts about the client that are not JSON", { "MF-CF-Blob": "{" }],
    ["a proxy's secret", { "MF-Proxy-Shared-Secret": "00" }],
    ["an operation of the development server", { "MF-Op": "GET", "MF-Op-Target": "x" }],
    ["an access", { "MF-Access-Blob": "{" }],
    ["another protocol", { "X-Forwarded-Proto": "https" }],
    ["another client", { "CF-Connecting-IP": "192.0.2.1" }],
  ])("a header field with %s changes nothing in the answer", async (_, headers) => {
    expect(await send({ headers })).toEqual(await send({}));
  });

  test.each([
    "/cdn-cgi/platform-proxy",
    "/cdn-cgi/handler/scheduled",
    "/cdn-cgi/ProxyWorker/play",
    "/cdn-cgi/mf/reload",
    "/cdn-cgi/mf/scheduled",
    "/cdn-cgi/local/scheduled",
    "/cdn-cgi/local/email",
    "/cdn-cgi/local/explorer",
    "/cdn-cgi/local/r2/s3/platform-blobs",
    "/cdn-cgi/live-reload",
    "/CDN-CGI/mf/scheduled",
    "/x/../cdn-cgi/mf/scheduled",
    "/x/%2e%2E/cdn-cgi/mf/scheduled",
    "/x\\..\\cdn-cgi\\mf\\scheduled",
    "/./cdn-cgi/mf/scheduled",
    "/__scheduled",
    "/__scheduled?cron=*+*+*+*+*",
    "/x/../__scheduled",
    "/__cf_local/imagedelivery/x",
  ])("no development server responds at %s", async (path) => {
    const [status, body] = await send({ path });
    expect([status, body]).not.toEqual([200, expect.anything()]);
    expect(status).toBe(404);
  });
});

describe("one click signs in the owner", () => {
  const path = "/console/local-owner";
  const here = () => `localhost:${port}`;

  async function post(headers: Record<string, string>): Promise<[number | undefined, string]> {
    const all = { host: here(), ...headers };
    const request = http.request({ port, path, method: "POST", headers: all, host: "127.0.0.1" });
    const [answer] = (await once(request.end(), "response")) as [http.IncomingMessage];
    return [answer.statusCode, await text(answer)];
  }

  test("from the console on this machine", async () => {
    const [status, body] = await post({ origin: `http://${here()}` });
    expect(status).toBe(200);
    const { access_token: token, expires_in: seconds } = JSON.parse(body);
    expect(seconds).toBeGreaterThan(3000);
    const authorization = `Bearer ${token}`;
    const groups = await overHttp1({ path: "/iam/v2/groups", headers: { authorization } });
    expect(groups).toEqual([200, expect.stringContaining("acme.example")]);
    const names = JSON.parse(String((await overHttp1({ path }))[1]));
    expect([names.organization.name, names.owner.name]).toEqual(["acme.example", "owner"]);
  });

  test.each<[string, () => Record<string, string>]>([
    [
      "a name that was rebound to this machine",
      () => ({ host: "evil.example", origin: "http://evil.example" }),
    ],
    [
      "a page of another site",
      () => ({ origin: "https://evil.example", "sec-fetch-site": "cross-site" }),
    ],
    [
      "a page of another port",
      () => ({ origin: "http://localhost:1", "sec-fetch-site": "same-site" }),
    ],
    ["a form of another site", () => ({ origin: "null", "sec-fetch-site": "cross-site" })],
    [
      "a tunnel to this machine",
      () => ({ origin: `http://${here()}`, "x-forwarded-for": "192.0.2.1" }),
    ],
    ["a program that does not say where it comes from", () => ({})],
  ])("and not from %s", async (_, headers) => {
    const [status, body] = await post(headers());
    expect([status, body]).toEqual([403, expect.not.stringContaining("access_token")]);
  });

  test("and not over HTTP/2, which no browser uses here", async () => {
    expect((await overHttp2({ path }))[0]).toBe(404);
  });
});

test.skipIf(process.platform !== "linux")("no debugger can attach to a Worker", () => {
  const programs = descendants(platform.pid ?? 0).map((id) =>
    readFileSync(`/proc/${id}/cmdline`, "latin1"),
  );
  expect(programs.filter((line) => line.includes("workerd")).length).toBeGreaterThan(0);
  for (const line of programs) expect(line).not.toContain("inspect");
});

function descendants(id: number): number[] {
  const children = readdirSync(`/proc/${id}/task`)
    .flatMap((task) => readFileSync(`/proc/${id}/task/${task}/children`, "utf8").trim().split(" "))
    .filter(Boolean)
    .map(Number);
  return [id, ...children.flatMap(descendants)];
}

test("no other account can read the files of this start or of an earlier one", () => {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  expect(names.some((name) => name.endsWith(".sqlite-wal"))).toBe(true);
  expect(names).toContain("d1/v3/old.sqlite");
  for (const name of ["", ...names]) {
    const stat = lstatSync(join(folder, name));
    const mode = (stat.mode & 0o777).toString(8);
    expect([name, mode]).toEqual([name, stat.isDirectory() ? "700" : "600"]);
  }
});

test.each(["keys.env", "next.env", "staging.env", "token.txt", "scratch/scim.json"])(
  "git ignores %s, which the documents create in the checkout",
  (name) => {
    const rules = ignore().add(readFileSync(join(root, ".gitignore"), "utf8"));
    expect(rules.ignores(name)).toBe(true);
  },
);
