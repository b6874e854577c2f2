import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { importJWK, jwtVerify, SignJWT } from "jose";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openState, type PlatformRecord, readState, stateDir } from "../../cli/state.ts";

const platform: PlatformRecord = {
  url: "http://localhost:8787",
  registryUrl: "http://localhost:8787",
  audience: "http://localhost:8787",
  registryAudience: "localhost:8787",
  issuer: "http://localhost:8787",
  vendor: "vendor",
  organization: { uid: "a".repeat(40), name: "example.com" },
  public: { uid: "b".repeat(40), name: "public" },
  owner: { uid: "c".repeat(40), name: "owner" },
  seeded: false,
  migrations: ["0000_first.sql"],
};

let dir = "";
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "state-"));
});
afterEach(() => rm(dir, { recursive: true }));

test("the folder is .platform in the project, or the folder in PLATFORM_STATE", () => {
  expect(stateDir({})).toBe(join(import.meta.dirname, "../../.platform"));
  expect(stateDir({ PLATFORM_STATE: "/somewhere" })).toBe("/somewhere");
});

test("the first open creates keys that sign and verify, readable only by their owner", async () => {
  const state = await openState(join(dir, "new", "folder"));
  const { mode } = await stat(state.keysFile);
  expect(mode & 0o777).toBe(0o600);
  const env = parseEnv(await readFile(state.keysFile, "utf8"));
  expect(JSON.parse(env.SIGNING_KEYS ?? "")).toEqual(state.signingKeys);
  expect(JSON.parse(env.PAGE_TOKEN_KEYS ?? "")).toEqual(state.pageTokenKeys);
  expect(Buffer.from(state.pageTokenKeys[0] ?? "", "base64url").length).toBe(32);
  expect(JSON.parse(env.ENCRYPTION_KEYS ?? "")).toEqual(state.encryptionKeys);
  expect(Buffer.from(state.encryptionKeys[0] ?? "", "base64url").length).toBe(32);
  const [key = {}] = state.signingKeys.keys;
  expect(key).toMatchObject({ alg: "ES256", use: "sig", kid: expect.any(String) });
  const { d, ...open } = key;
  expect(d).toBeDefined();
  const token = await new SignJWT()
    .setProtectedHeader({ alg: "ES256" })
    .sign(await importJWK(key, "ES256"));
  await jwtVerify(token, await importJWK(open, "ES256"));
});

test("the keys and the saved values are there at the next open", async () => {
  const first = await openState(dir);
  await first.save(platform);
  await first.save({ seeded: true });
  await first.release();
  const second = await openState(dir);
  expect(second.signingKeys).toEqual(first.signingKeys);
  expect(second.pageTokenKeys).toEqual(first.pageTokenKeys);
  expect(second.encryptionKeys).toEqual(first.encryptionKeys);
  expect(second.platform).toEqual({ ...platform, seeded: true });
});

test("a folder from before there were encryption keys gets one, and loses nothing", async () => {
  const first = await openState(dir);
  await first.save(platform);
  await first.release();
  const text = await readFile(first.keysFile, "utf8");
  await writeFile(first.keysFile, text.replace(/^ENCRYPTION_KEYS=.*\n/m, ""));
  expect((await readState(dir)).encryptionKeys).toEqual([]);
  const second = await openState(dir);
  expect(second).toMatchObject({
    signingKeys: first.signingKeys,
    pageTokenKeys: first.pageTokenKeys,
    encryptionKeys: [expect.stringMatching(/^[\w-]{43}$/)],
    platform,
  });
  await second.release();
  const third = await openState(dir);
  expect(third.encryptionKeys).toEqual(second.encryptionKeys);
  expect((await stat(third.keysFile)).mode & 0o777).toBe(0o600);
});

test("the folder contains only complete files and an empty lock", async () => {
  const state = await openState(dir);
  await state.save(platform);
  await state.release();
  expect((await readdir(dir)).sort()).toEqual(["keys.env", "lock.db", "platform.json"]);
  expect((await stat(join(dir, "lock.db"))).size).toBe(0);
});

test("a reader gets everything while the folder is in use", async () => {
  const state = await openState(dir);
  await state.save(platform);
  const { signingKeys, pageTokenKeys, encryptionKeys } = state;
  const keys = { signingKeys, pageTokenKeys, encryptionKeys };
  expect(await readState(dir)).toEqual({ dir, platform, ...keys });
});

test("reading the state fails with advice to start the platform if no start has finished", async () => {
  await expect(readState(join(dir, "nothing"))).rejects.toThrow("npm start");
  const state = await openState(dir);
  await expect(readState(dir)).rejects.toThrow("npm start");
  await state.save({ url: platform.url });
  await expect(readState(dir)).rejects.toThrow("npm start");
});

test.each([
  ["platform.json", "{"],
  ["platform.json", "[]"],
  ["platform.json", '{"organization":"example.com"}'],
  ["platform.json", '{"seeded":"yes"}'],
  ["platform.json", '{"migrations":[1]}'],
  ["keys.env", ""],
  ["keys.env", "SIGNING_KEYS='{'\nPAGE_TOKEN_KEYS='[\"a\"]'"],
  ["keys.env", "SIGNING_KEYS='{\"keys\":[]}'\nPAGE_TOKEN_KEYS='[\"a\"]'"],
  ["keys.env", 'SIGNING_KEYS=\'{"keys":[{"kty":"EC"}]}\'\nPAGE_TOKEN_KEYS=\'[]\''],
  [
    "keys.env",
    `SIGNING_KEYS='{"keys":[{"kty":"EC"}]}'\nPAGE_TOKEN_KEYS='["a"]'\nENCRYPTION_KEYS='["a"]'`,
  ],
])(
  "%s with %j is rejected by its name and kept, and the lock is released",
  async (name, content) => {
    const file = join(dir, name);
    await writeFile(file, content);
    await expect(openState(dir)).rejects.toThrow(file);
    expect(await readFile(file, "utf8")).toBe(content);
    expect(await readdir(dir)).not.toContain("lock");
    await expect(readState(dir)).rejects.toThrow(file);
    await rm(file);
    await expect(openState(dir)).resolves.toMatchObject({ dir });
  },
);
