/** Keys that the header of a token does not distinguish. */
import { createLocalJWKSet, exportJWK, generateKeyPair, SignJWT } from "jose";
import { expect, test } from "vitest";
import { verifyByAny } from "../../src/auth/token.ts";

const newKey = async () => {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), alg: "ES256" } };
};

test("at most 16 keys without an id are tried", async () => {
  const keys = await Promise.all(Array.from({ length: 17 }, newKey));
  const set = createLocalJWKSet({ keys: keys.map(({ jwk }) => jwk) });
  const verified = async (at: number) => {
    const key = keys[at]?.privateKey;
    if (!key) throw new Error("there is no such key");
    const token = await new SignJWT({ sub: "a" }).setProtectedHeader({ alg: "ES256" }).sign(key);
    return verifyByAny(set, token, {}).then(
      ({ payload }) => payload.sub,
      (error) => error.code,
    );
  };
  expect(await verified(0)).toBe("a");
  expect(await verified(15)).toBe("a");
  expect(await verified(16)).toBe("ERR_JWS_SIGNATURE_VERIFICATION_FAILED");
});
