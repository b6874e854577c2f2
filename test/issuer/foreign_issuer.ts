/** A real OpenID Connect issuer on this machine, with discovery, keys and signed tokens. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from "jose";
import { listenOnNewPort } from "../world/new_port.ts";
import { issuer as platform } from "../world/platform.ts";

/** A key pair, with its public half as JWK. */
export async function newKey(kid?: string, alg = "ES256") {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), alg, use: "sig", ...(kid ? { kid } : {}) };
  return { privateKey, jwk, header: { alg, ...(kid ? { kid } : {}) } };
}

export type Key = Awaited<ReturnType<typeof newKey>>;

/**
 * Starts an issuer at any port, or at the given one. `pages` maps a path to its response, and can change
 * while the issuer runs.
 */
export async function startIssuer(at = 0) {
  const requests: string[] = [];
  const pages: Record<string, (response: ServerResponse) => void> = {};
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    requests.push(path);
    const page = pages[path];
    if (page) page(response);
    else response.writeHead(404).end();
  });
  if (at !== 0) await once(server.listen(at, "127.0.0.1"), "listening");
  const url = `http://localhost:${at === 0 ? await listenOnNewPort(server) : at}`;
  const keys = [await newKey("first")];
  const json = (document: () => unknown) => (response: ServerResponse) =>
    response.setHeader("content-type", "application/json").end(JSON.stringify(document()));
  pages["/.well-known/openid-configuration"] = json(() => ({
    issuer: url,
    jwks_uri: `${url}/keys`,
  }));
  pages["/keys"] = json(() => ({ keys: keys.map((key) => key.jwk) }));

  /** A token for our issuer, valid for ten minutes. `claims` and `header` override its defaults. */
  const sign = (
    claims: Record<string, unknown> = {},
    key = keys[0],
    header: Partial<JWTHeaderParameters> = {},
  ) => {
    if (!key) throw new Error("the issuer has no key");
    const now = Math.floor(Date.now() / 1000);
    const whole = { iss: url, sub: "robot", aud: platform, iat: now, exp: now + 600, ...claims };
    return new SignJWT(whole).setProtectedHeader({ ...key.header, ...header }).sign(key.privateKey);
  };
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url, requests, pages, keys, json, sign, close };
}

export type ForeignIssuer = Awaited<ReturnType<typeof startIssuer>>;
