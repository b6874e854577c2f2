import { parseEnv } from "node:util";
import { importJWK, jwtVerify, SignJWT } from "jose";
import { expect, test } from "vitest";
import { platformctl } from "./command.ts";

const keys = async (args: string[], input = "") => {
  const { code, out, err } = await platformctl(["keys", ...args], { input });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return out;
};

const read = (text: string) => {
  const { SIGNING_KEYS = "", PAGE_TOKEN_KEYS = "", ENCRYPTION_KEYS = "[]" } = parseEnv(text);
  return {
    signing: JSON.parse(SIGNING_KEYS).keys,
    page: JSON.parse(PAGE_TOKEN_KEYS),
    encryption: JSON.parse(ENCRYPTION_KEYS),
  };
};

/** The keys that several tests start with. */
const made = await keys(["new"]);

test("new keys sign, and their public half can verify and cannot sign", async () => {
  const { signing, page, encryption } = read(made);
  expect(signing).toMatchObject([
    { kty: "EC", crv: "P-256", alg: "ES256", kid: expect.any(String) },
  ]);
  expect(Buffer.from(page[0], "base64url")).toHaveLength(32);
  expect(encryption).toHaveLength(1);
  expect(Buffer.from(encryption[0], "base64url")).toHaveLength(32);
  expect(encryption[0]).not.toBe(page[0]);
  const token = await new SignJWT({})
    .setProtectedHeader({ alg: "ES256" })
    .sign(await importJWK(signing[0], "ES256"));
  const shown = read(await keys(["public", "--keys", "-"], made));
  expect(shown.page).toEqual(page);
  expect(shown.encryption).toEqual([]);
  expect(shown.signing[0]).not.toHaveProperty("d");
  expect(shown.signing[0].kid).toBe(signing[0].kid);
  await jwtVerify(token, await importJWK(shown.signing[0], "ES256"));
});

test("a rotation puts a new key first and keeps the given number of old ones", async () => {
  const second = await keys(["rotate", "--keys", "-"], made);
  const third = await keys(["rotate", "--keys", "-"], second);
  const [one, two, three] = [made, second, third].map(read);
  expect(two?.signing.slice(1)).toEqual(one?.signing);
  expect(two?.page.slice(1)).toEqual(one?.page);
  expect(three?.signing).toHaveLength(2);
  expect(three?.signing[1]).toEqual(two?.signing[0]);
  const all = read(await keys(["rotate", "--keys", "-", "--keep", "9"], second));
  expect(all.signing.slice(1)).toEqual(two?.signing);
});

test("a rotation keeps every encryption key, because data sealed with it stays", async () => {
  const second = await keys(["rotate", "--keys", "-", "--keep", "0"], made);
  const third = read(await keys(["rotate", "--keys", "-", "--keep", "0"], second));
  expect(third.signing).toHaveLength(1);
  expect(third.encryption).toHaveLength(3);
  expect(third.encryption.slice(1)).toEqual(read(second).encryption);
  expect(third.encryption[2]).toBe(read(made).encryption[0]);
});

test("keys from before there were encryption keys get one, and lose none", async () => {
  const old = made.replace(/^ENCRYPTION_KEYS=.*$/m, "");
  const next = await keys(["complete", "--keys", "-"], old);
  expect(read(next)).toEqual({ ...read(old), encryption: [expect.stringMatching(/^[\w-]{43}$/)] });
  expect(read(await keys(["complete", "--keys", "-"], next))).toEqual(read(next));
  expect(read(await keys(["rotate", "--keys", "-"], old)).encryption).toHaveLength(1);
});

test("the JSON is in the form that wrangler accepts for secrets, and can be read back", async () => {
  const json = await keys(["new", "--json"]);
  const secrets = JSON.parse(json);
  expect(Object.keys(secrets)).toEqual(["SIGNING_KEYS", "PAGE_TOKEN_KEYS", "ENCRYPTION_KEYS"]);
  expect(Object.values(secrets).every((value) => typeof value === "string")).toBe(true);
  const next = read(await keys(["rotate", "--keys", "-"], json));
  expect(next.signing[1]).toEqual(JSON.parse(secrets.SIGNING_KEYS).keys[0]);
});

test.each([
  "",
  "{}",
  "SIGNING_KEYS='{}'\nPAGE_TOKEN_KEYS='[\"x\"]'",
  "SIGNING_KEYS='{\"keys\":[]}'\nPAGE_TOKEN_KEYS='[]'",
])("invalid keys are rejected (%j)", async (input) => {
  const { code, err } = await platformctl(["keys", "public", "--keys", "-"], { input });
  expect(code).toBe(2);
  expect(err).toMatch(/SIGNING_KEYS/);
});

test.each(["{}", "[1]", '["short"]', "["])(
  "invalid encryption keys are rejected (%s)",
  async (text) => {
    const input = made.replace(/^ENCRYPTION_KEYS=.*$/m, `ENCRYPTION_KEYS='${text}'`);
    const { code, err } = await platformctl(["keys", "rotate", "--keys", "-"], { input });
    expect(code).toBe(2);
    expect(err).toMatch(/ENCRYPTION_KEYS/);
  },
);
