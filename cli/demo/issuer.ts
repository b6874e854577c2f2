/**
 * An OpenID Connect issuer like that of a CI system, to try things out: discovery, keys and a token for anyone who
 * asks. After `npm run -s demo-issuer`, `GET /token?sub=…&aud=…` returns a token that is valid for five minutes.
 * `--port N` or DEMO_ISSUER_PORT sets another port than 9090. The key is stored in the platform's folder (../state.ts),
 * so that the next run has the same key.
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

/** Returns the private key that every run with this folder uses. Throws StateError. */
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
    // The error below names the file.
  }
  throw new StateError(
    `${file} has no private RSA key. Delete the file, and the next run creates a new key.`,
  );
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
    const document = await answer(new URL(request.url ?? "/", issuer));
    if (!document) response.writeHead(404).end();
    else response.writeHead(200, { "content-type": document.type }).end(document.text);
  });
}

const help = `Run an OpenID Connect issuer like that of a CI system. /token?sub=SUBJECT&aud=AUDIENCE returns a token
that is valid for five minutes, to anyone who asks.
`;

await runDemo(demoIssuer, [], help, newIssuer);
