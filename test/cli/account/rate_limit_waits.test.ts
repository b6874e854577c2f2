/** The commands' waits for rate limits, which they show on standard error. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, expect, test } from "vitest";
import { exchangeToken } from "../../../cli/account/exchange.ts";
import { noteWait } from "../../../cli/account/rate_limit_waits.ts";
import { withAttempts } from "../../../cli/images/attempts.ts";
import { requireStatus } from "../../../cli/images/session.ts";
import { within } from "../../../cli/surroundings.ts";
import { PlatformError } from "../../../client/errors.ts";
import { newOrganization, type Organization } from "../../world/personas.ts";
import { newStateFolder, platformctl, ranHere } from "../command.ts";

let organization: Organization;
beforeAll(async () => {
  organization = await newOrganization();
});

const type = (name: string) => `type.googleapis.com/google.rpc.${name}`;
const limited = (seconds: number) => ({
  status: 429,
  headers: { "retry-after": String(seconds) },
  body: {
    code: 8,
    message: `Resource exhausted: the rate limit is 3 calls; send the call again in ${seconds} s`,
    details: [
      { "@type": type("ErrorInfo"), reason: "RATE_LIMITED", domain: "registry.platform.example" },
      { "@type": type("QuotaFailure"), violations: [{ subject: "list-caller", description: "" }] },
    ],
  },
});

interface Scene {
  status: number;
  headers?: Record<string, string>;
  body: unknown;
}

/** A server that plays the scenes in order, and the last one for all later requests. */
async function startServer(...scenes: Scene[]) {
  let asked = 0;
  const server = createServer((request, response) => {
    const scene = scenes[Math.min(asked++, scenes.length - 1)];
    request.resume();
    response.writeHead(scene?.status ?? 500, {
      "content-type": "application/json",
      ...scene?.headers,
    });
    response.end(JSON.stringify(scene?.body));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    [Symbol.asyncDispose]: async () => void server.close().closeAllConnections(),
  };
}

/** The lines on standard error. */
const notesOf = async (work: () => Promise<void>) =>
  (await ranHere((surroundings) => within(surroundings, work), {})).err;

const waitLine = /^The platform asks to wait [12] s \(rate limit of list\); waiting…\n$/;

test("a command shows the wait, and then succeeds", async () => {
  await using server = await startServer(limited(1), { status: 200, body: { repos: [] } });
  const state = await newStateFolder(organization, { url: server.url });
  const env = { PLATFORM_STATE: state, PLATFORM_URL: server.url };
  const { code, err } = await platformctl(["list", "repos", "--output", "json"], { env });
  expect(err).toMatch(waitLine);
  expect(code).toBe(0);
  expect(server.asked()).toBe(2);
});

test("a command gives up with the reason if the wait is too long", async () => {
  await using server = await startServer(limited(3600));
  const state = await newStateFolder(organization, { url: server.url });
  const env = { PLATFORM_STATE: state, PLATFORM_URL: server.url };
  const { code, err } = await platformctl(["list", "repos"], { env });
  expect(code).toBe(1);
  expect(err).toContain("the rate limit is 3 calls");
  expect(err).toContain("Run the command again later");
  expect(server.asked()).toBe(1);
});

test("an exchange waits too", async () => {
  const issued = { token: "t", expiry: "2030-01-01T00:00:00Z" };
  await using server = await startServer(limited(1), { status: 200, body: issued });
  const request = { issuer: server.url, token: "x", audiences: ["a"] };
  const err = await notesOf(async () => {
    expect((await exchangeToken(request)).token).toBe("t");
  });
  expect(err).toMatch(waitLine);
  expect(server.asked()).toBe(2);
});

test("a request to the registry waits too, and fails with the reason if that is too long", async () => {
  const body = { errors: [{ code: "TOOMANYREQUESTS", message: "the rate limit is 3 calls" }] };
  const headers = { "retry-after": "1" };
  await using server = await startServer({ status: 429, headers, body }, { status: 200, body: {} });
  const err = await notesOf(async () => {
    const found = await withAttempts(async () => requireStatus(await fetch(server.url), 200));
    expect(found.status).toBe(200);
  });
  expect(err).toMatch(/^The platform asks to wait [12] s \(too many requests\); waiting…\n$/);
  expect(server.asked()).toBe(2);
  const later = { status: 429, headers: { "retry-after": "3600" }, body };
  await using patient = await startServer(later);
  const refused = withAttempts(async () => requireStatus(await fetch(patient.url), 200));
  await expect(refused).rejects.toThrow("the rate limit is 3 calls");
  expect(patient.asked()).toBe(1);
});

test("calls of a command that wait at the same time show one line", async () => {
  const error = new PlatformError({ code: "RESOURCE_EXHAUSTED", status: 429, message: "" });
  const until = Date.now() + 1_500;
  const err = await notesOf(async () => {
    for (let call = 0; call < 10; call++) noteWait({ until: until + call, error });
  });
  expect(err).toBe("The platform asks to wait 2 s (too many requests); waiting…\n");
});
