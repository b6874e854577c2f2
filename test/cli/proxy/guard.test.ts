/** The proxy refuses web pages, and other addresses than those of the registry. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { newVerified } from "../../distribution/stored_images.ts";
import { baseUrl } from "../../world/platform.ts";
import { commandsOf, newFolder, newStateFolder } from "../command.ts";
import { startProxy } from "../images/proxy.ts";
import { ask, startRunning } from "./running.ts";

let platformctl: Awaited<ReturnType<typeof commandsOf>>;
let front: Awaited<ReturnType<typeof startProxy>>;
let running: Awaited<ReturnType<typeof startRunning>>;
beforeAll(async () => {
  const organization = await newVerified();
  platformctl = await commandsOf(organization);
  front = await startProxy(baseUrl());
  running = await startRunning(
    ["--accept-host", "host.docker.internal", "--accept-host", "other"],
    {
      PLATFORM_STATE: await newStateFolder(organization, { registryUrl: front.url }),
      XDG_STATE_HOME: await newFolder(),
    },
  );
});
afterAll(async () => {
  await running.stop();
  front.stop();
});
beforeEach(() => {
  front.seen.length = 0;
});

const portOf = () => new URL(running.url).port;

test.each<[string, Record<string, string>]>([
  ["of another origin", { origin: "https://evil.example" }],
  ["without an origin that it names", { origin: "null" }],
  ["of the proxy's own origin", { origin: "http://localhost" }],
  ["that loads an image or follows a link", { "sec-fetch-site": "cross-site" }],
  ["whose name was made to point to this machine", { host: "evil.example" }],
  ["with such a name and the port", { host: "evil.example:5050" }],
  ["with a name that only begins like a good one", { host: "localhost.evil.example" }],
])("a page %s is refused before the registry sees anything", async (_, headers) => {
  for (const method of ["GET", "OPTIONS", "POST"]) {
    const answer = await ask(running.url, "/v2/", { method, headers });
    expect([answer.status, JSON.parse(answer.body).errors[0].code]).toEqual([403, "DENIED"]);
    expect(Object.keys(answer.headers)).not.toContain("access-control-allow-origin");
  }
  expect(front.seen).toEqual([]);
});

test("no page can read an answer of the proxy", async () => {
  const answer = await ask(running.url, "/v2/");
  expect(answer.status).toBe(200);
  expect(Object.keys(answer.headers).filter((name) => /^access-control/.test(name))).toEqual([]);
});

test.each(["localhost", "127.0.0.1", "[::1]", "LOCALHOST", "host.docker.internal", "other"])(
  "a program may call the proxy %s",
  async (name) => {
    for (const host of [name, `${name}:${portOf()}`]) {
      expect((await ask(running.url, "/v2/", { headers: { host } })).status).toBe(200);
    }
  },
);

test.each([
  ["/token"],
  ["/"],
  ["/v2/../token"],
  ["/v2/%2e%2e/token"],
  ["/v2/a/../../iam/v2/groups"],
  ["//evil.example/v2/"],
  ["http://evil.example/v2/"],
  ["/\\evil.example/v2/"],
  ["/\\evil.example/v2/a/b/blobs/uploads/"],
  ["/v2/..\\..\\token"],
])("the login reaches only the registry, and not %s", async (target) => {
  const answer = await ask(running.url, target);
  expect([400, 404]).toContain(answer.status);
  expect(JSON.parse(answer.body).errors[0].code).toBe("UNSUPPORTED");
  expect(front.seen).toEqual([]);
});

test.each([
  [["--listen", "0.0.0.0"], "Other machines can reach 0.0.0.0"],
  [["--listen", "::"], "add --allow-remote"],
  [["--listen", "192.0.2.1"], "everyone who does would use your login"],
  [["--listen", "example.com"], "example.com is not an address"],
  [["--port", "65536"], "from 0 to 65535"],
  [["--port", "no"], "from 0 to 65535"],
  [["--spool-size", "-1"], "from 0 to 10000"],
])("%s is a usage error", async (args, text) => {
  const { code, err } = await platformctl(["proxy", ...args, "--", "true"]);
  expect([code, err]).toEqual([2, expect.stringContaining(text)]);
});

test("a port that is in use is an error with advice", async () => {
  const { code, err } = await platformctl(["proxy", "--port", portOf()]);
  expect([code, err]).toEqual([1, expect.stringContaining("Choose another one with --port")]);
});
