import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  newIdentityProvider,
  startOpenidProvider,
} from "../../iam/identity_providers/openid_provider.ts";
import { newOrganization, type Organization, randomName, randomUid } from "../../world/personas.ts";
import { baseUrl, sql } from "../../world/platform.ts";
import { newFolder, platformctl, root } from "../command.ts";

let relay: Server;
let relayUrl = "";
let organization: Organization;
/** The requested paths, and those where the connection breaks or a fixed response is sent. */
let log: string[] = [];
let broken = "";
let instead: Record<string, { status: number; text: string }> = {};

/**
 * The platform under test reports another port in its own URL than the one it listens on. This returns the
 * URL it uses.
 */
beforeAll(async () => {
  relay = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", relayUrl);
    log.push(pathname);
    if (pathname === broken) return void request.socket.destroy();
    const other = instead[pathname];
    if (other) return void response.writeHead(other.status).end(other.text);
    const answer = await fetch(`${baseUrl()}${request.url}`, { redirect: "manual" });
    const text = await answer.text();
    const location = answer.headers.get("location");
    response.writeHead(answer.status, location ? { location } : {});
    const isDiscovery = pathname === "/.well-known/openid-configuration";
    response.end(isDiscovery ? JSON.stringify({ ...JSON.parse(text), issuer: relayUrl }) : text);
  }).listen(0, "127.0.0.1");
  await once(relay, "listening");
  relayUrl = `http://localhost:${(relay.address() as AddressInfo).port}`;
});

afterAll(() => {
  relay.close();
  relay.closeAllConnections();
});

beforeEach(async () => {
  organization = await newOrganization();
  await sql("update groups set verified = 1 where uid = ?", organization.uid);
  [log, broken, instead] = [[], "", {}];
});

const newEnv = async () => ({
  XDG_CONFIG_HOME: await newFolder(),
  PLATFORM_URL: baseUrl(),
  BROWSER: "false",
});

const words = (...args: string[]) => ["auth", "login", "--issuer", relayUrl, ...args];

const login = async (...args: string[]) => platformctl(words(...args), { env: await newEnv() });

const waysIn: [string, string[]][] = [
  ["in a browser", []],
  ["in a browser that is opened by hand", ["--no-browser"]],
  ["elsewhere", ["--headless"]],
  ["by a code", ["--device"]],
];

test.each(waysIn)(
  "a login %s to no organization exits at once, without a browser",
  async (_, how) => {
    const name = randomName("nobody");
    const { code, out, err } = await login("--org", name, ...how);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(
      `error: No one can log in to ${name} at ${relayUrl}. It is not the name of a verified`,
    );
    expect(err).toMatch(/or that organization has no identity provider.*\(NOT_FOUND\)/);
    expect(err).not.toContain("/oauth?");
    // Two questions, and the login itself is not begun.
    expect(log).toEqual(["/.well-known/openid-configuration", "/orgcheck"]);
  },
);

test("a login to an organization without an identity provider exits at once too", async () => {
  const { code, err } = await login("--org", organization.name, "--headless");
  expect(code).toBe(1);
  expect(err).toMatch(`No one can log in to ${organization.name}`);
});

test.each([
  ["--idp", () => `${organization.uid}/${"0".repeat(16)}`],
  ["--org", () => randomUid()],
])("an unknown uid after %s exits at once", async (flag, uid) => {
  const asked = uid();
  const { code, err } = await login(flag, asked, "--headless");
  expect(code).toBe(1);
  expect(err).toMatch(
    `error: ${asked} is neither an identity provider at ${relayUrl} nor an organization that has one.`,
  );
  expect(err).not.toContain("/oauth?");
});

test("the issuer reports at once that one of several identity providers must be named", async () => {
  await newIdentityProvider(organization);
  await newIdentityProvider(organization);
  const { code, err } = await login("--org", organization.name, "--headless");
  expect(code).toBe(1);
  expect(err).toMatch(/several identity providers; name one of them by its uid \(LOGIN_REFUSED\)/);
});

test("an identity provider that does not respond is reported at once", async () => {
  const provider = await startOpenidProvider();
  await newIdentityProvider(organization, { issuer: provider.url });
  provider.answer = { status: 500 };
  const { code, err } = await login("--org", organization.name, "--headless");
  expect(code).toBe(1);
  expect(err).toMatch(/Unavailable: discovery of .* failed; try again later \(LOGIN_REFUSED\)/);
});

test("a login that can work continues, and Ctrl-C ends the wait for it", async () => {
  await newIdentityProvider(organization);
  const program = join(root, "cli/platformctl.js");
  const args = words("--org", organization.name, "--headless");
  const env = { PATH: process.env.PATH, PLATFORM_STATE: "/nowhere", ...(await newEnv()) };
  const child = spawn(process.execPath, [program, ...args], { env });
  let err = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
    if (err.includes("only if the page shows this code")) child.kill("SIGINT");
  });
  const [, signal] = await once(child, "close");
  expect(signal).toBe("SIGINT");
  expect(err).toContain(`${relayUrl}/oauth?idp_id=${organization.name}&`);
  expect(err).not.toMatch(/error|BUG/);
});

test("if the network fails meanwhile, the error says so", async () => {
  broken = "/orgcheck";
  const { code, err } = await login("--org", organization.name);
  expect(code).toBe(3);
  expect(err).toMatch(/^error: There was no response from .*\(UNREACHABLE\)/);
  expect(err).not.toContain("No one can log in");
  broken = "/oauth";
  const later = await login("--idp", `${organization.uid}/${"0".repeat(16)}`);
  expect(later.code).toBe(3);
  expect(later.err).toMatch(/^error: There was no response from .*\(UNREACHABLE\)/);
});

test.each([
  [503, '{"code":14,"message":"Unavailable: later"}', /Unavailable: later \(UNAVAILABLE\)/],
  [200, "<html>", /returned neither true nor false\. \(UNREACHABLE\)/],
])("if the issuer returns %i %s, the error says so", async (status, text, said) => {
  instead = { "/orgcheck": { status, text } };
  const { code, err } = await login("--org", organization.name);
  expect(code).not.toBe(0);
  expect(err).toMatch(said);
  expect(err).not.toContain("No one can log in");
});
