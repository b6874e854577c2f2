/** Keys of other issuers: their discovery, its limits, and key rotation at the issuer. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fetchKeys } from "../../src/auth/issuers.ts";
import { development } from "../auth/development.ts";
import { newOrganization } from "../world/personas.ts";
import { exchange, newIdentityWithMatchers } from "./exchange_call.ts";
import { type ForeignIssuer, newKey, startIssuer } from "./foreign_issuer.ts";

const discovery = "/.well-known/openid-configuration";
let issuer: ForeignIssuer;
beforeEach(async () => {
  issuer = await startIssuer();
});
afterEach(() => {
  issuer.close();
});

/** The response of the exchange to a token of the issuer. */
async function answer() {
  const claimMatch = { issuer: issuer.url, subject: "robot" };
  const identity = await newIdentityWithMatchers(await newOrganization(), { claimMatch });
  const { status, body } = await exchange(await issuer.sign(), { identity });
  return { status, message: body.message as string };
}

test("keys are fetched once and cached", async () => {
  const claimMatch = { issuer: issuer.url, subject: "robot" };
  const identity = await newIdentityWithMatchers(await newOrganization(), { claimMatch });
  for (let turn = 0; turn < 3; turn += 1) {
    expect((await exchange(await issuer.sign(), { identity })).status).toBe(200);
  }
  expect(issuer.requests).toEqual([discovery, "/keys"]);
});

test("an issuer that does not respond is UNAVAILABLE, and its token is not rejected", async () => {
  issuer.pages[discovery] = (response) => response.writeHead(500).end();
  expect(await answer()).toMatchObject({
    status: 503,
    message: expect.stringContaining("discovery"),
  });
});

test("keys that cannot be fetched are UNAVAILABLE, and the token is not rejected", async () => {
  issuer.pages["/keys"] = (response) => response.writeHead(502).end();
  expect(await answer()).toMatchObject({
    status: 503,
    message: expect.stringContaining("keys"),
  });
});

test("a discovery document of more than 64 KiB is not read", async () => {
  issuer.pages[discovery] = issuer.json(() => ({
    issuer: issuer.url,
    jwks_uri: `${issuer.url}/keys`,
    padding: "x".repeat(70_000),
  }));
  expect(await answer()).toMatchObject({
    status: 503,
    message: expect.stringContaining("of at most 64 KiB"),
  });
  expect(issuer.requests).not.toContain("/keys");
});

test("a key set of more than 64 KiB is not read", async () => {
  const padding = "x".repeat(70_000);
  issuer.pages["/keys"] = issuer.json(() => ({ keys: [issuer.keys[0]?.jwk], padding }));
  expect(await answer()).toMatchObject({
    status: 503,
    message: expect.stringContaining("of at most 64 KiB"),
  });
});

test("a discovery document that is not JSON is UNAVAILABLE", async () => {
  issuer.pages[discovery] = (response) => response.end("<html>");
  expect((await answer()).status).toBe(503);
});

test("an issuer with another name in its document is rejected", async () => {
  issuer.pages[discovery] = issuer.json(() => ({
    issuer: "https://other.example.com",
    jwks_uri: `${issuer.url}/keys`,
  }));
  expect(await answer()).toMatchObject({
    status: 403,
    message: expect.stringContaining("names another issuer"),
  });
});

test("an issuer whose keys are not at an https URL is rejected", async () => {
  issuer.pages[discovery] = issuer.json(() => ({
    issuer: issuer.url,
    jwks_uri: "http://example.com/keys",
  }));
  expect(await answer()).toMatchObject({
    status: 403,
    message: expect.stringContaining("jwks_uri"),
  });
});

test("a redirect is not followed", async () => {
  const elsewhere = await startIssuer();
  issuer.pages[discovery] = (response) =>
    response.writeHead(302, { location: `${elsewhere.url}${discovery}` }).end();
  // Asked directly: what carries a test platform's requests follows redirects by itself.
  await expect(fetchKeys(development, issuer.url)).rejects.toThrow("status 200");
  expect(elsewhere.requests).toEqual([]);
  elsewhere.close();
});

test("a symmetric key among the issuer's keys verifies nothing", async () => {
  issuer.pages["/keys"] = issuer.json(() => ({
    keys: [{ kty: "oct", kid: "first", k: "c2VjcmV0" }],
  }));
  expect(await answer()).toMatchObject({ status: 403 });
});

describe("a new key of the issuer is found at once by the exchange", () => {
  test.each([
    ["under an id of its own", "second"],
    ["under the id of the old one", "first"],
    ["under no id", undefined],
  ])("%s", async (_, kid) => {
    const claimMatch = { issuer: issuer.url, subject: "robot" };
    const identity = await newIdentityWithMatchers(await newOrganization(), { claimMatch });
    const sent = async () => (await exchange(await issuer.sign(), { identity })).status;
    expect(await sent()).toBe(200);
    issuer.keys.splice(0, 1, await newKey(kid));
    expect(await sent()).toBe(200);
    expect(issuer.requests).toEqual([discovery, "/keys", discovery, "/keys"]);
    const stranger = await issuer.sign({}, await newKey("third"));
    for (let turn = 0; turn < 5; turn += 1) {
      expect((await exchange(stranger, { identity })).status).toBe(403);
    }
    expect(issuer.requests).toHaveLength(4);
  });
});
