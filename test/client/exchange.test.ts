/**
 * The client exchanges tokens of another issuer at the platform, and renews them with a real issuer and a
 * slow one.
 */
import { decodeJwt } from "jose";
import { createClient, exchangedToken, PermissionDenied, Unreachable } from "platform-api/client";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { type Issuer, startIssuer } from "../auth/oidc_issuer.ts";
import { newIdentityWithMatchers } from "../issuer/exchange_call.ts";
import { newOrganization, type Organization, randomName } from "../world/personas.ts";
import { audience, baseUrl } from "../world/platform.ts";
import { htmlAnswer, jsonAnswer, startScriptedServer, statusAnswer } from "./scripted_server.ts";

let issuer: Issuer;
let org: Organization;
let identity: string;
const subject = randomName("repo");
beforeAll(async () => {
  issuer = await startIssuer();
  org = await newOrganization();
  identity = await newIdentityWithMatchers(
    org,
    { claimMatch: { issuer: issuer.url, subject } },
    "owner",
  );
});
afterAll(() => issuer.close());

const source = () => issuer.sign(subject);

describe("an exchanged token", () => {
  test("is that of the identity that the other token matches", async () => {
    const token = exchangedToken({ issuer: baseUrl(), source, audience, identity });
    const client = createClient({ url: baseUrl(), token });
    const made = await client.repos.create(org.uid, { name: randomName("repo") });
    expect((await client.repos.get(made.uid)).name).toBe(made.name);
    expect(decodeJwt(await token({}))).toMatchObject({ sub: identity, aud: audience });
  });

  test("can be narrowed to groups, capabilities and audiences", async () => {
    const asked = { audience: [audience, "registry.example"], identity };
    const narrowed = { scopes: [org.uid], capabilities: ["repo.list"] };
    const token = exchangedToken({ issuer: baseUrl(), source, ...asked, ...narrowed });
    const client = createClient({ url: baseUrl(), token });
    expect((await client.repos.list({ descendantsOf: org.uid }).page()).skipped).toBe(0);
    const refused = client.repos.create(org.uid, { name: randomName("repo") });
    await expect(refused).rejects.toThrow("repo.create");
    expect(decodeJwt(await token({}))).toMatchObject({ scopes: [org.uid] });
  });

  test("is requested again by the next call after an exchange failed like any call", async () => {
    let who = "somebody-else";
    const token = exchangedToken({
      issuer: baseUrl(),
      source: () => issuer.sign(who),
      audience,
      identity,
    });
    await expect(token({})).rejects.toBeInstanceOf(PermissionDenied);
    who = subject;
    expect(decodeJwt(await token({})).sub).toBe(identity);
  });
});

describe("is renewed", () => {
  afterEach(() => vi.useRealTimers());

  /** An issuer whose tokens are valid for the given number of seconds. The first is `t1`. */
  async function issue(seconds: number) {
    let count = 0;
    const server = await startScriptedServer((response, request) => {
      count++;
      const expiry = new Date(Date.now() + seconds * 1000).toISOString();
      jsonAnswer(200, { token: `t${count}`, expiry })(response, request);
    });
    const token = exchangedToken({ issuer: server.url, source: async () => "theirs", audience });
    return { server, token };
  }

  test("a minute before it ends, and not earlier", async () => {
    const { server, token } = await issue(3600);
    await using _ = server;
    expect(await token({})).toBe("t1");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_530_000 });
    expect(await token({})).toBe("t1");
    vi.setSystemTime(Date.now() + 15_000);
    expect(await token({})).toBe("t2");
    expect(server.received).toHaveLength(2);
  });

  test("once for all waiting calls", async () => {
    const { server, token } = await issue(3600);
    await using _ = server;
    expect(new Set(await Promise.all(Array.from({ length: 20 }, () => token({}))))).toEqual(
      new Set(["t1"]),
    );
    const again = await Promise.all(Array.from({ length: 20 }, () => token({ refused: "t1" })));
    expect(new Set(again)).toEqual(new Set(["t2"]));
    expect(await token({ refused: "t1" })).toBe("t2");
    expect(server.received).toHaveLength(2);
  });

  test("later, if the issuer does not respond and the token still works", async () => {
    let isDown = false;
    const expiry = new Date(Date.now() + 3600_000).toISOString();
    await using server = await startScriptedServer((response, request) =>
      (isDown ? statusAnswer(503, 14) : jsonAnswer(200, { token: "t", expiry }))(response, request),
    );
    const source = async () => "theirs";
    const token = exchangedToken({ issuer: server.url, source, audience, retries: 0 });
    expect(await token({})).toBe("t");
    isDown = true;
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_570_000 });
    expect(await token({})).toBe("t");
    expect(server.received).toHaveLength(2);
    vi.setSystemTime(Date.now() + 60_000);
    await expect(token({})).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });
});

test("is requested again like any read, with its parameters in the body", async () => {
  const bodies: string[] = [];
  const answer = jsonAnswer(200, {
    token: "t",
    expiry: new Date(Date.now() + 60_000).toISOString(),
  });
  await using server = await startScriptedServer(statusAnswer(503, 14), answer);
  const token = exchangedToken({
    issuer: `${server.url}/`,
    source: async () => "theirs",
    audience: ["a", "b"],
    identity: "i",
    identityProvider: "p",
    scopes: ["s"],
    capabilities: ["c"],
    fetch: (input, init) => {
      bodies.push(String(init?.body));
      return fetch(input, init);
    },
  });
  expect(await token({})).toBe("t");
  expect(bodies.at(-1)).toBe("aud=a&aud=b&identity=i&identity_provider=p&scopes=s&cap=c");
  expect(server.received.map(({ path, headers }) => [path, headers.authorization])).toEqual(
    Array(2).fill(["/sts/exchange", "Bearer theirs"]),
  );
});

test.each([
  ["HTML", htmlAnswer(200)],
  ["no token", jsonAnswer(200, {})],
])("is never that of a server that returns %s", async (_, scene) => {
  await using server = await startScriptedServer(scene);
  const token = exchangedToken({ issuer: server.url, source: async () => "theirs", audience });
  await expect(token({})).rejects.toBeInstanceOf(Unreachable);
});
