import { once } from "node:events";
import { readFile, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ForeignIssuer, startIssuer } from "../../issuer/foreign_issuer.ts";
import {
  createResource,
  newOrganization,
  type Organization,
  roleUid,
} from "../../world/personas.ts";
import { audience, baseUrl, issuer, registryAudience, vendor } from "../../world/platform.ts";
import { credentialHelper, newFolder, newStateFolder, platformctl } from "../command.ts";

let provider: ForeignIssuer;
let relay: Server;
let relayUrl = "";
let organization: Organization;
let identity = "";

/**
 * The platform under test reports another port in its own URL than the one it listens on. This returns the
 * URL it uses.
 */
async function startRelay(): Promise<Server> {
  const server = createServer(async (request, response) => {
    const headers = { authorization: request.headers.authorization ?? "" };
    const answer = await fetch(`${baseUrl()}${request.url}`, { headers });
    const text = await answer.text();
    const isDiscovery = request.url?.startsWith("/.well-known/openid-configuration");
    const seen = isDiscovery ? { ...JSON.parse(text), issuer: relayUrl } : undefined;
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(seen ? JSON.stringify(seen) : text);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

beforeAll(async () => {
  provider = await startIssuer();
  relay = await startRelay();
  relayUrl = `http://localhost:${(relay.address() as AddressInfo).port}`;
  organization = await newOrganization();
  const { token } = organization.owner;
  const claimMatch = { issuer: provider.url, subject: "robot" };
  const body = { name: "robot", claimMatch };
  identity = (await createResource(`/iam/v2/identities/${organization.uid}`, token, body)).uid;
  const binding = { identityUid: identity, roleUid: await roleUid("viewer") };
  await createResource(`/iam/v2/roleBindings/${organization.uid}`, token, binding);
});

afterAll(() => {
  provider.close();
  relay.close();
  relay.closeAllConnections();
});

const newEnv = async () => ({ XDG_CONFIG_HOME: await newFolder(), PLATFORM_URL: baseUrl() });
const login = (env: NodeJS.ProcessEnv, input: string) =>
  platformctl(
    ["auth", "login", "--token-file", "-", "--issuer", relayUrl, "--identity", identity],
    { env, input },
  );

test("a login is stored for its owner only, and later commands use it", async () => {
  const env = await newEnv();
  const done = await login(env, `${await provider.sign()}\n`);
  expect(done.err).toBe("");
  expect(done.out).toMatch(`Logged in to ${baseUrl()} as ${identity} until 20`);
  const file = join(env.XDG_CONFIG_HOME, "platform", "credentials.json");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const kept = JSON.parse(await readFile(file, "utf8")).logins[baseUrl()];
  expect(kept).toMatchObject({ registryAudience, vendor });
  const whoami = await platformctl(["whoami", "--json"], { env });
  expect(JSON.parse(whoami.out)).toMatchObject({
    identity: { uid: identity, name: "robot" },
    roles: [{ group: { uid: organization.uid }, role: { name: "viewer" } }],
    url: baseUrl(),
  });
});

test("a login provides tokens for the registry, for the shell and for docker", async () => {
  const env = await newEnv();
  await login(env, await provider.sign());
  const { out } = await platformctl(["auth", "token", "--audience", "registry"], { env });
  expect(out).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
  expect(decodeJwt(out)).toMatchObject({ iss: issuer, sub: identity, aud: registryAudience });
  const helper = await credentialHelper("get", {
    env: { XDG_CONFIG_HOME: env.XDG_CONFIG_HOME },
    input: registryAudience,
  });
  expect(decodeJwt(JSON.parse(helper.out).Secret).aud).toBe(registryAudience);
});

test("the error of the issuer is shown, and no login is saved", async () => {
  const env = await newEnv();
  const refused = await login(env, await provider.sign({ aud: "someone-else" }));
  expect(refused.code).toBe(1);
  expect(refused.err).toMatch(/^error: Permission denied: .*audience.*\(PERMISSION_DENIED\)/);
  const whoami = await platformctl(["whoami"], { env });
  expect(whoami.code).toBe(1);
  expect(whoami.err).toMatch(/You are not logged in to http.*platformctl auth login/);
});

test("an expired login causes advice to log in again", async () => {
  const env = await newEnv();
  await login(env, await provider.sign());
  const file = join(env.XDG_CONFIG_HOME, "platform", "credentials.json");
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replace(/"expiry": "[^"]+"/, '"expiry": "2020-01-01T00:00:00.000Z"'));
  const { code, err } = await platformctl(["auth", "token"], { env });
  expect(code).toBe(1);
  expect(err).toMatch(/expired at 2020-01-01.*To log in again/);
});

test("if no server responds, the exit code is 3", async () => {
  const env = { ...(await newEnv()), PLATFORM_URL: "http://localhost:1" };
  const { code, err } = await platformctl(["auth", "login", "--token", "x", "--json"], { env });
  expect(code).toBe(3);
  expect(JSON.parse(err).error.code).toBe("UNREACHABLE");
});

test("if another server responds, the exit code is 3 too", async () => {
  const args = ["auth", "login", "--token", "x", "--issuer", provider.url];
  const { code, err } = await platformctl(args, { env: await newEnv() });
  expect(code).toBe(3);
  expect(err).toMatch(/is not the issuer of a platform/);
});

test("on a platform of this checkout, tokens require no login and are for the requested identity", async () => {
  const env = { PLATFORM_STATE: await newStateFolder(organization) };
  const own = await platformctl(["auth", "token"], { env });
  expect(decodeJwt(own.out)).toMatchObject({ sub: organization.owner.uid, aud: audience });
  const args = ["auth", "token", "--identity", identity, "--audience", "https://other", "--json"];
  const other = JSON.parse((await platformctl(args, { env })).out);
  expect(decodeJwt(other.token)).toMatchObject({ sub: identity, aud: "https://other" });
  const life = Date.parse(other.expiry) - Date.now();
  expect(Math.abs(life - 3_600_000)).toBeLessThan(30_000);
});

test("another PLATFORM_URL than that of this checkout receives none of its tokens", async () => {
  const env = {
    PLATFORM_STATE: await newStateFolder(organization),
    PLATFORM_URL: "https://api.example.com",
  };
  expect(await platformctl(["auth", "token"], { env })).toMatchObject({ code: 1, out: "" });
});
