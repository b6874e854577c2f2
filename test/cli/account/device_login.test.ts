/** The device flow of the command line, against an issuer whose answers the test chooses. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { access } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { canOpenBrowser } from "../../../cli/account/open_browser.ts";
import { newFolder, platformctl, root } from "../command.ts";

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

let server: Server;
let url = "";
/** The answers to the questions of the program, in their order: a status and a body. */
let answers: [number, object][] = [];
let authorization: [number, object];
let log: string[] = [];

const tokenOf = (sub: string) => `${encoded({})}.${encoded({ iss: url, sub, exp: 9e9 })}.x`;

function answerTo(path: string): [number, object | string] {
  if (path === "/.well-known/openid-configuration")
    return [200, { issuer: url, ...addresses(url) }];
  if (path === "/orgcheck") return [200, "true"];
  if (path === "/oauth") return [302, {}];
  if (path === "/oauth/device_authorization") return authorization;
  if (path === "/sts/exchange")
    return [200, { token: tokenOf("robot"), expiry: "2099-01-01T00:00:00Z" }];
  return answers.shift() ?? [400, { error: "expired_token" }];
}

const addresses = (at: string) => ({
  platform_api_url: at,
  platform_api_audience: at,
  platform_registry_url: at,
  platform_registry_audience: at,
});

beforeEach(async () => {
  [answers, log] = [[], []];
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { pathname, searchParams } = new URL(request.url ?? "", url);
    log.push(`${pathname} ${body}${pathname === "/sts/exchange" ? searchParams : ""}`);
    const [status, answer] = answerTo(pathname);
    response.writeHead(status, { "content-type": "application/json", location: `${url}/next` });
    response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://localhost:${(server.address() as AddressInfo).port}`;
  const codes = { device_code: "long", user_code: "BCDF-GHJK", expires_in: 600, interval: 0 };
  authorization = [200, { ...codes, verification_uri: `${url}/oauth/device` }];
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

const environment = async (more: NodeJS.ProcessEnv = {}) => ({
  PATH: "",
  PLATFORM_URL: url,
  XDG_CONFIG_HOME: await newFolder(),
  ...more,
});
const login = async (args: string[] = ["--device"], more: NodeJS.ProcessEnv = {}) =>
  platformctl(["auth", "login", "--org", "example.com", ...args], { env: await environment(more) });

const granted = (): [number, object] => [200, { access_token: tokenOf("ada") }];
const pending: [number, object] = [400, { error: "authorization_pending" }];

test("it shows the address and the code, asks until someone approves, and saves the login", async () => {
  answers = [pending, pending, granted()];
  const { code, out, err } = await login();
  expect([code, out]).toEqual([0, expect.stringContaining(`Logged in to ${url} as ada`)]);
  expect(err).toContain(`\n  ${url}/oauth/device\n`);
  expect(err).toContain("\n  BCDF-GHJK\n");
  expect(err).toContain("works for 10 minutes");
  expect(log).toContain(
    "/oauth/device_authorization client_id=platformctl&scope=write&idp_id=example.com",
  );
  const asked = log.filter((line) => line.startsWith("/oauth/token"));
  expect(asked).toHaveLength(3);
  expect(asked[0]).toMatch(/device_code=long&client_id=platformctl$/);
});

test("a logout ends the session of a login without a refresh token", async () => {
  const chain = [{ sub: "ada", sid: "the-session" }];
  const claims = { iss: url, sub: "ada", exp: 9e9, chain };
  const token = `${encoded({})}.${encoded(claims)}.x`;
  for (const [status, code] of [
    [200, 0],
    [401, 0],
    [403, 1],
  ] as const) {
    answers = [
      [200, { access_token: token }],
      [status, { code: status === 401 ? 16 : 7, message: "refused" }],
    ];
    const env = await environment();
    await platformctl(["auth", "login", "--org", "example.com", "--device"], { env });
    const logout = await platformctl(["auth", "logout"], { env });
    expect([logout.code, log.at(-1)]).toEqual([
      code,
      '/iam/v2/sessions:end {"uids":["the-session"]}',
    ]);
    expect((await platformctl(["auth", "logout"], { env })).err).toContain("not logged in");
  }
});

test("it needs no option where no browser can be opened, and says so", async () => {
  answers = [granted()];
  const { code, err } = await login([], { SSH_CONNECTION: "a 1 b 2" });
  expect([code, err]).toEqual([0, expect.stringContaining("No browser can be opened here")]);
});

test("with an identity, it exchanges the token for one of the identity", async () => {
  answers = [granted()];
  const uid = "a".repeat(40);
  const { code, out } = await login(["--device", "--identity", uid]);
  expect([code, out]).toEqual([0, expect.stringContaining("as robot")]);
  expect(log.at(-1)).toContain(`identity=${uid}`);
});

test("it asks again after it was too early, and after an issuer that had no answer", async () => {
  answers = [[400, { error: "slow_down" }], granted()];
  expect((await login()).code).toBe(0);
  answers = [[503, {}], granted()];
  expect((await login()).code).toBe(0);
});

describe("it ends", () => {
  test.each<[string, object, RegExp]>([
    ["after a refusal", { error: "access_denied" }, /refused in the browser.*\(LOGIN_REFUSED\)/],
    ["when the code has expired", { error: "expired_token" }, /expired.*\(LOGIN_TIMEOUT\)/],
    [
      "after another error, with its reason",
      { error: "invalid_grant", error_description: "the identity provider was deleted" },
      /the identity provider was deleted \(LOGIN_REFUSED\)/,
    ],
  ])("%s", async (_, body, text) => {
    answers = [pending, [400, body]];
    const { code, err } = await login();
    expect([code, err]).toEqual([1, expect.stringMatching(text)]);
  });

  test("at once if the issuer gives no code", async () => {
    authorization = [503, { error: "temporarily_unavailable", error_description: "too many" }];
    const { code, err } = await login();
    expect([code, err]).toEqual([1, expect.stringContaining("too many")]);
  });

  test("at Ctrl-C, and saves nothing", async () => {
    authorization = [200, { ...authorization[1], interval: 60 }];
    const env = { ...(await environment()), PATH: process.env.PATH, PLATFORM_STATE: "/nowhere" };
    const args = ["auth", "login", "--org", "example.com", "--device"];
    const child = spawn(process.execPath, [join(root, "cli/platformctl.js"), ...args], { env });
    let err = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      err += text;
      if (err.includes("Ctrl-C stops")) child.kill("SIGINT");
    });
    const [, signal] = await once(child, "close");
    expect(signal).toBe("SIGINT");
    expect(err).not.toMatch(/error|BUG/);
    const file = join(env.XDG_CONFIG_HOME, "platform", "credentials.json");
    await expect(access(file)).rejects.toThrow();
  });
});

test("an issuer of an earlier version is reported with --device", async () => {
  authorization = [404, {}];
  const { code, err } = await login();
  expect([code, err]).toEqual([1, expect.stringContaining("Use --headless instead")]);
});

test.each([["--headless"], ["--invite", "x"]])(
  "--device cannot be used with %s",
  async (...args) => {
    const { code } = await login(["--device", ...args]);
    expect(code).toBe(2);
  },
);

test.each<[NodeJS.ProcessEnv, NodeJS.Platform, boolean]>([
  [{}, "linux", false],
  [{ DISPLAY: ":0" }, "linux", true],
  [{ WAYLAND_DISPLAY: "wayland-0" }, "linux", true],
  [{ WSL_DISTRO_NAME: "Debian" }, "linux", true],
  [{ BROWSER: "w3m" }, "linux", true],
  [{ SSH_CONNECTION: "a 1 b 2" }, "darwin", false],
  [{ SSH_TTY: "/dev/pts/1", DISPLAY: "localhost:10" }, "linux", true],
  [{}, "darwin", true],
  [{}, "win32", true],
])("with %j on %s, a browser can be opened: %s", (env, platform, expected) => {
  expect(canOpenBrowser(env, platform)).toBe(expected);
});
