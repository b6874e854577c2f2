/** The cache of issuers' keys in the memory of one isolate. */
import type { ServerResponse } from "node:http";
import { createServer } from "node:http";
import { exportJWK, generateKeyPair, type JWTVerifyGetKey } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifyByIssuer } from "../../src/auth/issuer_keys.ts";
import { listenOnNewPort } from "../world/new_port.ts";
import { development } from "./development.ts";

/** The number of cached issuers. */
const greatest = 100;

let origin = "";
/** The number of key requests that each issuer received. */
const fetched = new Map<string, number>();
const server = createServer((request, response) => {
  const [, name = "", page] = (request.url ?? "").split("/");
  if (page === "keys") {
    fetched.set(name, (fetched.get(name) ?? 0) + 1);
    send(response, { keys: [jwk] });
  } else send(response, { issuer: `${origin}/${name}`, jwks_uri: `${origin}/${name}/keys` });
});
let jwk = {};
const send = (response: ServerResponse, body: unknown) => response.end(JSON.stringify(body));

beforeAll(async () => {
  jwk = await exportJWK((await generateKeyPair("ES256", { extractable: true })).publicKey);
  origin = `http://localhost:${await listenOnNewPort(server)}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const ask = (name: string) =>
  verifyByIssuer(
    { config: development, issuer: `${origin}/${name}` },
    async (keys: JWTVerifyGetKey) => keys,
  );

async function askMany(word: string, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) await ask(`${word}${at}`);
}

test("the keys of an issuer in use are kept, however many other issuers are named", async () => {
  await ask("used");
  for (let round = 0; round < 3; round += 1) {
    await askMany(`stranger${round}-`, greatest - 1);
    await ask("used");
  }
  expect(fetched.get("used")).toBe(1);
});

test("at most 100 are kept, and the least used ones are removed", async () => {
  await ask("idle");
  await askMany("other", greatest);
  await ask("idle");
  expect(fetched.get("idle")).toBe(2);
});
