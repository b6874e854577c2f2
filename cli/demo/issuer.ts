/**
 * An OpenID Connect issuer for trying things out, as a CI system has one: discovery, keys, and a
 * token for whoever asks. `npm run -s demo-issuer`, then `GET /token?sub=…&aud=…` answers a token of
 * five minutes. `--port N` or DEMO_ISSUER_PORT names another port than 9090. The key is kept in the
 * platform's folder (../state.ts), so that the next run has the same.
 */
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  SignJWT,
} from "jose";
import { readOrCreatePrivate } from "../account/private_files.ts";
import { StateError } from "../failure.ts";
import { stateDir } from "../state.ts";
import { demoIssuer, runDemo } from "./demo_server.ts";

/** The private key of every run with this folder. Throws StateError. */
async function readKey(): Promise<JWK> {
  const file = join(stateDir(), "demo_issuer.json");
  const text = await readOrCreatePrivate(file, async () => {
    const { privateKey } = await generateKeyPair("RS256", { extractable: true });
    return `${JSON.stringify(await exportJWK(privateKey))}\n`;
  });
  try {
    const key = JSON.parse(text) as JWK;
    await importJWK(key, "RS256");
    if (key.kty === "RSA" && key.d) return key;
  } catch {
    // falls through to the refusal, which names the file
  }
  throw new StateError(`${file} has no private RSA key. Delete it, and a new one is made.`);
}

async function newIssuer(issuer: string): Promise<Server> {
  const jwk = await readKey();
  const kid = await calculateJwkThumbprint(jwk);
  const key = await importJWK(jwk, "RS256");
  const { kty, n, e } = jwk;
  const published = { kty, n, e, kid, alg: "RS256", use: "sig" };

  const token = (query: URLSearchParams) =>
    new SignJWT({})
      .setProtectedHeader({ alg: "RS256", kid })
      .setIssuer(issuer)
      .setSubject(query.get("sub") ?? "nobody")
      .setAudience(query.getAll("aud"))
      .setIssuedAt()
      .setExpirationTime("5m")
      .sign(key);

  async function answer(url: URL): Promise<{ type: string; text: string } | undefined> {
    const json = (value: unknown) => ({ type: "application/json", text: JSON.stringify(value) });
    switch (url.pathname) {
      case "/.well-known/openid-configuration":
        return json({
          issuer,
          jwks_uri: `${issuer}/jwks`,
          response_types_supported: ["id_token"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["RS256"],
        });
      case "/jwks":
        return json({ keys: [published] });
      case "/token":
        return { type: "text/plain", text: await token(url.searchParams) };
      default:
        return undefined;
    }
  }

  return createServer(async (request, response) => {
    const found = await answer(new URL(request.url ?? "/", issuer));
    if (!found) response.writeHead(404).end();
    else response.writeHead(200, { "content-type": found.type }).end(found.text);
  });
}

await runDemo(demoIssuer, [], newIssuer);
