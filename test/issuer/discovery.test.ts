import { createRemoteJWKSet, importSPKI, jwtVerify } from "jose";
import { expect, test } from "vitest";
import { newUser } from "../world/personas.ts";
import {
  audience,
  baseUrl,
  callRest,
  issuer,
  registryAudience,
  vendor,
} from "../world/platform.ts";
import { exchangeForToken } from "./exchange_call.ts";

const path = "/.well-known/openid-configuration";

test("the discovery document contains the addresses of this platform", async () => {
  const { status, body, headers } = await callRest(path);
  expect(status).toBe(200);
  expect(headers.get("content-type")).toBe("application/json");
  expect(body).toMatchObject({
    issuer,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    id_token_signing_alg_values_supported: ["ES256"],
    platform_token_exchange_url: `${issuer}/sts/exchange`,
    platform_api_url: "http://localhost:8787",
    platform_api_audience: audience,
    platform_registry_url: "http://localhost:8787",
    platform_registry_audience: registryAudience,
    platform_registry_vendor: vendor,
  });
});

test("the public keys verify our token", async () => {
  const { token } = await exchangeForToken((await newUser()).token);
  const keys = createRemoteJWKSet(new URL(`${baseUrl()}/.well-known/jwks.json`));
  const { payload } = await jwtVerify(token, keys, { issuer, audience });
  expect(payload.jti).toEqual(expect.any(String));
});

test("the published keys have no private parameter, and can be cached for five minutes", async () => {
  const { body, headers } = await callRest("/.well-known/jwks.json");
  expect(headers.get("cache-control")).toBe("public, max-age=300");
  expect(body.keys).toHaveLength(1);
  expect(Object.keys(body.keys[0]).sort()).toEqual(
    ["alg", "crv", "kid", "kty", "use", "x", "y"].sort(),
  );
});

test("the same keys in PEM verify our token, and can be cached for five minutes", async () => {
  const answer = await fetch(`${baseUrl()}/.well-known/jwks.pem`);
  expect(answer.headers.get("cache-control")).toBe("public, max-age=300");
  const key = await importSPKI(await answer.text(), "ES256");
  const { token } = await exchangeForToken((await newUser()).token);
  expect((await jwtVerify(token, key, { issuer, audience })).payload.jti).toEqual(
    expect.any(String),
  );
});

test("HEAD has a response without a body, and another verb is rejected", async () => {
  const head = await callRest(path, { method: "HEAD" });
  expect([head.status, head.body]).toEqual([200, undefined]);
  const post = await callRest(path, { body: {} });
  expect([post.status, post.body.code]).toEqual([501, 12]);
  expect(post.headers.get("allow")).toBe("GET");
});
