/** Our own keys on a separate platform whose first key is the new one: their rotation, and where they are not stored. */
import { decodeProtectedHeader, importJWK, type JWK, SignJWT } from "jose";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { makeKeys } from "../world/keys.ts";
import { startOwnPlatform, storedRows } from "../world/own_platform.ts";
import { randomUid } from "../world/personas.ts";
import { audience, issuer, registryAudience } from "../world/platform.ts";

const read = (keys: string) => (JSON.parse(keys) as { keys: [JWK] }).keys[0];
const retired = read((await makeKeys()).signingKeys);
const old = read(inject("signingKeys"));
const fresh = read((await makeKeys()).signingKeys);

let platform: Awaited<ReturnType<typeof startOwnPlatform>>;
const identity = randomUid();
beforeAll(async () => {
  const bindings = { SIGNING_KEYS: JSON.stringify({ keys: [fresh, old] }) };
  platform = await startOwnPlatform({ bindings });
  await platform.db
    .prepare(
      "insert into identities (uid, name, last_seen_time, create_time, update_time) values (?, 'a', 1, 1, 1)",
    )
    .bind(identity)
    .all();
});
afterAll(() => platform?.stop());

const sign = async (key: JWK, aud: string) =>
  new SignJWT({ aud })
    .setProtectedHeader({ alg: "ES256", kid: key.kid ?? "" })
    .setIssuer(issuer)
    .setSubject(identity)
    .setExpirationTime("10m")
    .sign(await importJWK(key, "ES256"));

const ask = async (path: string, token: string) =>
  fetch(`${platform.origin}${path}`, { headers: { authorization: `Bearer ${token}` } });

test("a token of the old key is still valid at the registry, and one of a removed key is not", async () => {
  expect((await ask("/v2/", await sign(old, registryAudience))).status).toBe(200);
  expect((await ask("/v2/", await sign(fresh, registryAudience))).status).toBe(200);
  expect((await ask("/v2/", await sign(retired, registryAudience))).status).toBe(401);
});

test("a token of the old key can be exchanged for one of the new key", async () => {
  const answer = await ask(`/sts/exchange?aud=${audience}`, await sign(old, audience));
  const { token } = (await answer.json()) as { token: string };
  expect(decodeProtectedHeader(token).kid).toBe(fresh.kid);
});

test("both keys are published, the new one first", async () => {
  const answer = await fetch(`${platform.origin}/.well-known/jwks.json`);
  const { keys } = (await answer.json()) as { keys: JWK[] };
  expect(keys.map(({ kid }) => kid)).toEqual([fresh.kid, old.kid]);
  expect(keys.some((key) => "d" in key)).toBe(false);
});

test("neither a private key nor an issued token is in the database", async () => {
  const answer = await ask(`/sts/exchange?aud=${audience}`, await sign(old, audience));
  const { token } = (await answer.json()) as { token: string };
  const [, payload = "", signature = ""] = token.split(".");
  const tables = await storedRows(platform.db);
  expect(tables.some((rows) => rows.includes(identity))).toBe(true);
  for (const secret of [payload, signature, fresh.d ?? "", old.d ?? ""]) {
    expect(secret.length).toBeGreaterThan(40);
    expect(tables.filter((rows) => rows.includes(secret))).toEqual([]);
  }
});
