/** Tokens that were verified before, in the memory of one isolate. */
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Databases } from "../../src/auth/databases.ts";
import { authenticate, verifyForeign, verifyOwn } from "../../src/auth/token.ts";
import type { Config } from "../../src/config.ts";
import { development } from "./development.ts";
import { type Issuer, startIssuer } from "./oidc_issuer.ts";

const subject = "0123456789abcdef0123456789abcdef01234567";
const minute = 60_000;
/** The most tokens that are remembered, and a text that makes a token too long to be. */
const most = 1_000;
const longText = "x".repeat(2_048);

/** A platform with a new key. `sign` signs a token that is valid for ten minutes. */
async function newPlatform() {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: crypto.randomUUID(), alg: "ES256" };
  const config = {
    ...development,
    audience: "https://api.example",
    signingKeys: JSON.stringify({ keys: [key] }),
  } as Config;
  const sign = (claims: JWTPayload = {}) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: "ES256", kid: key.kid })
      .setIssuer(config.issuerUrl)
      .setSubject(subject)
      .setAudience(config.audience)
      .setJti(crypto.randomUUID())
      .setExpirationTime(new Date(Date.now() + 10 * minute))
      .sign(privateKey);
  return { config, sign };
}

/** Our own tokens are verified without a database. */
const none = {} as Databases;
const bearerOf = async (config: Config, token: string, now = Date.now(), audience?: string) =>
  (await authenticate(config, none, token, now, audience)).bearer;

const newSpy = () => vi.spyOn(crypto.subtle, "verify");
let verified: ReturnType<typeof newSpy>;
beforeEach(() => {
  verified = newSpy();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("a token of the platform", () => {
  test("the signature of a token is verified once, however often the token is sent", async () => {
    const { config, sign } = await newPlatform();
    const token = await sign();
    for (let call = 0; call < 3; call += 1)
      expect(await bearerOf(config, token)).toEqual({ uid: subject });
    expect(verified).toHaveBeenCalledTimes(1);
  });

  test("an expired token is refused, although it was accepted before", async () => {
    const { config, sign } = await newPlatform();
    const token = await sign();
    await bearerOf(config, token);
    const late = bearerOf(config, token, Date.now() + 10 * minute);
    await expect(late).rejects.toThrow("the token is expired");
  });

  test("a token is refused before its time, although it was accepted at a later time", async () => {
    const { config, sign } = await newPlatform();
    const token = await sign({ nbf: Math.floor(Date.now() / 1000) });
    await bearerOf(config, token);
    const early = bearerOf(config, token, Date.now() - minute);
    await expect(early).rejects.toThrow("the token is not valid yet");
  });

  test("a token with one changed character is refused after the token was accepted", async () => {
    const { config, sign } = await newPlatform();
    const token = await sign();
    await bearerOf(config, token);
    const [header = "", payload = "", signature = ""] = token.split(".");
    const changed = `${signature[0] === "A" ? "B" : "A"}${signature.slice(1)}`;
    await expect(bearerOf(config, `${header}.${payload}.${changed}`)).rejects.toThrow(
      "the signature of the token is wrong",
    );
    const more = await sign({ sub: "f".repeat(40) });
    const other = `${header}.${more.split(".")[1]}.${signature}`;
    await expect(bearerOf(config, other)).rejects.toThrow("the signature of the token is wrong");
  });

  test("an accepted token is still refused for another audience, and by a platform with another address", async () => {
    const { config, sign } = await newPlatform();
    const token = await sign();
    await bearerOf(config, token);
    const elsewhere = bearerOf(config, token, Date.now(), "https://registry.example");
    await expect(elsewhere).rejects.toThrow("not for the audience https://registry.example");
    const moved = { ...config, issuerUrl: "https://other.example" };
    const refused = verifyOwn(moved, token, Date.now());
    await expect(refused).rejects.toThrow("the token's claim iss is not valid");
  });

  test("an accepted token is refused as soon as the platform has other keys", async () => {
    const { config, sign } = await newPlatform();
    const token = await sign();
    await bearerOf(config, token);
    const { signingKeys } = (await newPlatform()).config;
    const refused = bearerOf({ ...config, signingKeys }, token);
    await expect(refused).rejects.toThrow("the token is signed with an unknown key");
  });

  test("a thousand tokens are remembered, the least recently used is forgotten first, and long tokens never stay", async () => {
    const { config, sign } = await newPlatform();
    const [first, second, long] = [await sign(), await sign(), await sign({ text: longText })];
    for (const token of [first, second, long, long]) await bearerOf(config, token);
    expect(verified).toHaveBeenCalledTimes(4);
    for (let at = 1; at < most - 1; at += 1) await bearerOf(config, await sign());
    await bearerOf(config, first);
    await bearerOf(config, await sign());
    const soFar = verified.mock.calls.length;
    await bearerOf(config, first);
    expect(verified).toHaveBeenCalledTimes(soFar);
    await bearerOf(config, second);
    expect(verified).toHaveBeenCalledTimes(soFar + 1);
  });

  test("a refused token is not remembered", async () => {
    const { config, sign } = await newPlatform();
    const { signingKeys } = (await newPlatform()).config;
    const token = await sign();
    const other = { ...config, signingKeys };
    await expect(bearerOf(other, token)).rejects.toThrow();
    await bearerOf(config, token);
    await expect(bearerOf(other, token)).rejects.toThrow();
  });
});

describe("a token of another issuer", () => {
  let issuer: Issuer;
  beforeEach(async () => {
    issuer = await startIssuer();
  });
  afterEach(() => issuer.close());

  const verify = (token: string) =>
    verifyForeign(
      { config: development, issuer: issuer.url, isNamed: async () => true },
      token,
      Date.now(),
    );

  test("is verified once with the keys of its issuer", async () => {
    const token = await issuer.sign("ci");
    for (let call = 0; call < 3; call += 1) expect((await verify(token)).sub).toBe("ci");
    expect(verified).toHaveBeenCalledTimes(1);
  });

  test("is refused ten minutes after its issuer has withdrawn the key", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const token = await issuer.sign("ci", { exp: Date.now() / 1000 + 3600 });
    await verify(token);
    await issuer.rotate();
    vi.advanceTimersByTime(10 * minute - 1);
    expect((await verify(token)).sub).toBe("ci");
    vi.advanceTimersByTime(1);
    await expect(verify(token)).rejects.toThrow("the token is signed with an unknown key");
  });

  test("is refused as soon as newer keys are fetched for another token", async () => {
    const token = await issuer.sign("ci");
    await verify(token);
    await issuer.rotate();
    await verify(await issuer.sign("ci"));
    await expect(verify(token)).rejects.toThrow("the token is signed with an unknown key");
  });
});
