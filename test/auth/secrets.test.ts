import { randomBytes } from "node:crypto";
import { base64url, decodeProtectedHeader } from "jose";
import { describe, expect, test } from "vitest";
import { seal, unseal } from "../../src/auth/secrets.ts";
import type { Config } from "../../src/config.ts";

const newKey = () => base64url.encode(randomBytes(32));
const withKeys = (...encryptionKeys: string[]) => ({ encryptionKeys }) as Config;

const [old, fresh] = [newKey(), newKey()];
const config = withKeys(old);
const text = "a client's secret, Ünïcode and all";

describe("a sealed secret", () => {
  test("opens for its purpose, and shows nothing of its contents", async () => {
    const sealed = await seal(config, "identity-provider:a", text);
    expect(await unseal(config, "identity-provider:a", sealed)).toBe(text);
    expect(sealed).not.toContain(Buffer.from(text).toString("base64url").slice(0, 12));
    expect(decodeProtectedHeader(sealed)).toMatchObject({ alg: "dir", enc: "A256GCM" });
  });

  test("is a different text each time", async () => {
    const all = await Promise.all([seal(config, "p", text), seal(config, "p", text)]);
    expect(new Set(all).size).toBe(2);
  });

  test("does not open for another purpose", async () => {
    const sealed = await seal(config, "identity-provider:a", text);
    for (const purpose of ["identity-provider:b", "login", "", "identity-provider:"]) {
      expect(await unseal(config, purpose, sealed)).toBeUndefined();
    }
  });

  test("opens after a rotation of the keys, and is then sealed with the new key", async () => {
    const rotated = withKeys(fresh, old);
    expect(await unseal(rotated, "p", await seal(config, "p", text))).toBe(text);
    const sealed = await seal(rotated, "p", text);
    expect(await unseal(withKeys(fresh), "p", sealed)).toBe(text);
    expect(await unseal(config, "p", sealed)).toBeUndefined();
  });

  test("does not open once its key is removed", async () => {
    const sealed = await seal(config, "p", text);
    expect(await unseal(withKeys(fresh), "p", sealed)).toBeUndefined();
  });

  test.each([0, 2, 3, 4])("does not open after a change of its part %i", async (part) => {
    const parts = (await seal(config, "p", text)).split(".");
    const bytes = base64url.decode(parts[part] ?? "");
    bytes[0] = (bytes[0] ?? 0) ^ 1;
    parts[part] = base64url.encode(bytes);
    expect(await unseal(config, "p", parts.join("."))).toBeUndefined();
  });

  test("does not open with a header that names another purpose", async () => {
    const [, ...rest] = (await seal(config, "p", text)).split(".");
    const header = JSON.stringify({ alg: "dir", enc: "A256GCM", sub: "q" });
    const forged = [base64url.encode(header), ...rest].join(".");
    expect(await unseal(config, "q", forged)).toBeUndefined();
  });

  test.each(["", "x", "a.b.c", "....", "a.b.c.d.e"])("%j opens to nothing", async (sealed) => {
    expect(await unseal(config, "p", sealed)).toBeUndefined();
  });
});

test("a Worker without keys reports the missing setting", async () => {
  await expect(seal(withKeys(), "p", text)).rejects.toThrow("missing ENCRYPTION_KEYS");
  await expect(unseal(withKeys(), "p", "a.b.c.d.e")).rejects.toThrow("missing ENCRYPTION_KEYS");
});
