/** The keys of the platform: what they sign, what they verify, and what is shown of them. */
import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, type JWK } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { ownKeys, publicKeys, signToken } from "../../src/auth/keys.ts";
import { verifyByAny } from "../../src/auth/token.ts";
import type { Config } from "../../src/config.ts";

const configOf = (signingKeys: unknown) =>
  ({
    issuerUrl: "https://issuer.example",
    signingKeys: typeof signingKeys === "string" ? signingKeys : JSON.stringify(signingKeys),
  }) as Config;

const newKey = async (alg: string, more: JWK = {}) => ({
  ...(await exportJWK((await generateKeyPair(alg, { extractable: true })).privateKey)),
  ...more,
});

let current: JWK;
let previous: JWK;
beforeAll(async () => {
  current = await newKey("ES384", { kid: "current", alg: "ES384" });
  previous = await newKey("ES256", { kid: "previous" });
});

const times = { issued: 1_800_000_000_999, expires: 1_800_000_060_999 };

describe("SIGNING_KEYS", () => {
  test.each(["", "{", "null", "{}", '{"keys":{}}', '{"keys":[]}'])("cannot be %s", (text) => {
    expect(() => publicKeys(configOf(text))).toThrow(
      "SIGNING_KEYS must be a JWKS with at least one key",
    );
  });

  test("with only the public half cannot sign, but verifies", async () => {
    const whole = configOf({ keys: [current] });
    const half = configOf(publicKeys(whole));
    await expect(signToken(half, {}, times)).rejects.toThrow("must be a private key");
    const token = await signToken(whole, { sub: "s" }, times);
    const rules = { currentDate: new Date(times.issued) };
    expect((await verifyByAny(ownKeys(half), token, rules)).payload.sub).toBe("s");
  });
});

test("a token is signed with the first key, for the issuer and the whole seconds of its times", async () => {
  const token = await signToken(configOf({ keys: [current, previous] }), { sub: "s" }, times);
  expect(decodeProtectedHeader(token)).toEqual({ alg: "ES384", typ: "JWT", kid: "current" });
  expect(decodeJwt(token)).toEqual({
    ...{ sub: "s", iss: "https://issuer.example", jti: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    ...{ iat: 1_800_000_000, exp: 1_800_000_060 },
  });
});

test("a key without an algorithm and an id signs with ES256 and no id", async () => {
  const { kid: _, ...key } = previous;
  const token = await signToken(configOf({ keys: [key] }), {}, times);
  expect(decodeProtectedHeader(token)).toEqual({ alg: "ES256", typ: "JWT" });
});

test("a token of any key is verified, until the key is removed", async () => {
  const token = await signToken(configOf({ keys: [previous] }), { sub: "s" }, times);
  const verify = (keys: JWK[]) =>
    verifyByAny(ownKeys(configOf({ keys })), token, { currentDate: new Date(times.issued) });
  expect((await verify([current, previous])).payload.sub).toBe("s");
  await expect(verify([current])).rejects.toThrow("no applicable key found");
  expect((await verify([current, previous])).payload.sub).toBe("s");
});

test("only the public half of a key is shown, whatever its kind", () => {
  const secret = { d: "1", p: "2", q: "3", dp: "4", dq: "5", qi: "6", oth: [], k: "7" };
  const shown = {
    kty: "RSA",
    n: "n",
    e: "AQAB",
    crv: "c",
    x: "x",
    y: "y",
    kid: "id",
    alg: "RS256",
  };
  expect(publicKeys(configOf({ keys: [{ ...shown, ...secret }, secret] }))).toEqual({
    keys: [shown, {}],
  });
});
