/** `npm start` signs in the owner for the console on the same machine, and for no one else. */
import { once } from "node:events";
import * as http from "node:http";
import * as http2 from "node:http2";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { StateError } from "../../../cli/failure.ts";
import { type FrontDoor, openFrontDoor } from "../../../cli/local/front_door.ts";
import { type ReadSigner, serveLocalOwner } from "../../../cli/local/local_owner.ts";
import { newOrganization, type Organization } from "../../world/personas.ts";
import { callRest, registryAudience } from "../../world/platform.ts";
import { stateOf } from "../command.ts";

const path = "/console/local-owner";
let organization: Organization;
let read: ReadSigner;
let inner: http.Server;
let door: FrontDoor;
let authority: string;

beforeAll(async () => {
  organization = await newOrganization();
  read = async () => stateOf(organization);
  // It responds in place of the Worker.
  inner = http.createServer((_, response) => response.writeHead(404).end('{"code":5}'));
  await once(inner.listen(0, "127.0.0.1"), "listening");
  door = await open({ signer: () => read() });
  authority = `localhost:${door.port}`;
});
afterAll(async () => {
  await door.close();
  inner.close();
});

const open = (more: { signer?: ReadSigner }) =>
  openFrontDoor({
    port: 0,
    bridge: http2.createServer(),
    http1Port: (inner.address() as AddressInfo).port,
    ...more,
  });

type Headers = Record<string, string>;

async function send(
  method: string,
  headers: Headers = {},
  { port = door.port, at = path }: { port?: number; at?: string } = {},
) {
  const all = { host: authority, ...headers };
  const request = http.request({ port, path: at, method, headers: all, host: "127.0.0.1" }).end();
  const [answer] = (await once(request, "response")) as [http.IncomingMessage];
  const isEmpty = method === "HEAD";
  if (isEmpty) answer.resume();
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body: isEmpty ? {} : ((await json(answer)) as Record<string, unknown>),
  };
}

const fromConsole = (): Headers => ({
  origin: `http://${authority}`,
  "sec-fetch-site": "same-origin",
});

test("GET names the organization and its owner, and contains no token", async () => {
  const { status, headers, body } = await send("GET");
  expect([status, headers["content-type"]]).toEqual([200, "application/json"]);
  expect(body).toEqual({
    organization: { uid: organization.uid, name: organization.name },
    owner: { uid: organization.owner.uid, name: "owner" },
  });
  expect((await send("HEAD")).status).toBe(200);
});

test("POST returns a token of the owner, with which the console can call the API and the registry", async () => {
  const { status, body } = await send("POST", fromConsole());
  expect([status, Object.keys(body)]).toEqual([200, ["access_token", "expires_in"]]);
  expect(body.expires_in).toBeGreaterThan(3000);
  expect(body.expires_in).toBeLessThanOrEqual(3600);
  const token = String(body.access_token);
  const who = await callRest("/auth/v1/ok", { token });
  expect([who.status, who.body.subject]).toEqual([200, organization.owner.uid]);
  const exchanged = await callRest(`/sts/exchange?aud=${registryAudience}`, { token });
  expect((await callRest("/v2/", { token: exchanged.body.token })).status).toBe(200);
});

test("no response may be stored, or read by a page of another origin", async () => {
  const origin = { origin: "http://localhost:1", "access-control-request-method": "POST" };
  const all = [
    await send("GET"),
    await send("POST", fromConsole()),
    await send("POST"),
    await send("OPTIONS", origin),
    await send("OPTIONS", { ...fromConsole(), "access-control-request-method": "POST" }),
  ];
  expect(all.map(({ status }) => status)).toEqual([200, 200, 403, 403, 405]);
  for (const { headers } of all) {
    expect(headers["cache-control"]).toBe("no-store");
    expect(headers["cross-origin-resource-policy"]).toBe("same-origin");
    expect(headers["x-content-type-options"]).toBe("nosniff");
    const names = Object.keys(headers).filter((name) => name.startsWith("access-control-"));
    expect(names).toEqual([]);
  }
});

test.each(["localhost", "127.0.0.1", "[::1]", "LOCALHOST:80", "127.0.0.1:65535"])(
  "the console can be open at %s",
  async (host) => {
    const sent = { host, origin: `http://${host}`, "sec-fetch-site": "same-origin" };
    expect((await send("POST", sent)).status).toBe(200);
    expect((await send("GET", { host })).status).toBe(200);
  },
);

test.each([
  "evil.example",
  "localhost.evil.example",
  "evil.example:8787",
  "localhost:x",
  "localhost@evil.example",
  "127.0.0.1.nip.example",
  "127.0.0.2",
  "[::2]",
  "0.0.0.0",
  "",
])("a page whose name is rebound to this machine is refused: %s", async (host) => {
  for (const method of ["GET", "POST"]) {
    const sent = { host, origin: `http://${host}`, "sec-fetch-site": "same-origin" };
    const { status, body } = await send(method, sent);
    expect([status, body.code]).toEqual([403, 7]);
  }
});

test.each<[string, Headers]>([
  ["from another site", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }],
  ["from another port of this machine", { origin: "http://localhost:1" }],
  ["from another port, in a new browser", { "sec-fetch-site": "same-site" }],
  ["from an https page of the same name", { origin: `https://localhost:${80}` }],
  ["from a sandboxed frame", { origin: "null" }],
  ["from an address that the person typed", { "sec-fetch-site": "none" }],
  [
    "with two answers that contradict each other",
    { "sec-fetch-site": "same-origin", origin: "null" },
  ],
  ["from a program that does not say where it comes from", {}],
])("a request for a token %s is refused", async (_, headers) => {
  const { status, body } = await send("POST", headers);
  expect([status, body]).toEqual([
    403,
    expect.not.objectContaining({ access_token: expect.anything() }),
  ]);
});

test.each<[string, Headers]>([
  ["of another site", { "sec-fetch-site": "cross-site" }],
  ["of another port", { "sec-fetch-site": "same-site" }],
  ["with another origin", { origin: "http://localhost:1" }],
])("a page %s cannot read the names", async (_, headers) => {
  expect((await send("GET", headers)).status).toBe(403);
});

test.each(["x-forwarded-for", "X-Forwarded-Host", "forwarded", "via", "x-real-ip"])(
  "a proxy on this machine cannot pass on requests of other machines: %s",
  async (name) => {
    for (const method of ["GET", "POST"]) {
      const { status } = await send(method, { ...fromConsole(), [name]: "127.0.0.1" });
      expect(status).toBe(403);
    }
  },
);

test("a connection from another machine is refused", async () => {
  const refused = async (remoteAddress: string | undefined, remoteFamily: string) => {
    const socket = { remoteAddress, remoteFamily };
    const headers = { host: authority, ...fromConsole() };
    const request = { method: "POST", socket, headers, resume() {} };
    const sent: { status?: number } = {};
    const response = {
      writeHead(status: number) {
        sent.status = status;
      },
      end() {},
    };
    await serveLocalOwner(request as never, response as never, read);
    return sent.status === 403;
  };
  expect(await refused("127.0.0.1", "IPv4")).toBe(false);
  expect(await refused("::1", "IPv6")).toBe(false);
  expect(await refused("::ffff:127.0.0.1", "IPv6")).toBe(false);
  for (const address of ["192.0.2.1", "10.0.0.1", "169.254.1.1"])
    expect([address, await refused(address, "IPv4")]).toEqual([address, true]);
  for (const address of ["2001:db8::1", "fe80::1", "::ffff:192.0.2.1"])
    expect([address, await refused(address, "IPv6")]).toEqual([address, true]);
  expect(await refused(undefined, "IPv4")).toBe(true);
});

test.each(["PUT", "DELETE", "PATCH"])("%s is refused", async (method) => {
  const { status, headers } = await send(method, fromConsole());
  expect([status, headers.allow]).toEqual([405, "GET, HEAD, POST"]);
});

test.each([
  `${path}/`,
  `${path}x`,
  "//console/local-owner",
  "/console/local%2Downer",
  `http://evil.example${path}`,
])("another path goes to the Worker: %s", async (at) => {
  const { status, body } = await send("POST", fromConsole(), { at });
  expect([status, body.code]).toEqual([404, 5]);
});

test("a front door without an owner passes the path to the Worker", async () => {
  const other = await open({});
  const { status, body } = await send("POST", fromConsole(), { port: other.port });
  expect([status, body.code]).toEqual([404, 5]);
  await other.close();
});

test("a platform that has not finished starting says so", async () => {
  const before = read;
  read = async () => {
    throw new StateError("There is no platform yet.");
  };
  const { status, body } = await send("POST", fromConsole());
  expect([status, body.message]).toEqual([500, "There is no platform yet."]);
  read = before;
});
