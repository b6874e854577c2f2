/** An OpenID provider on this machine: discovery, keys, tokens, and a log of its requests. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  SignJWT,
} from "jose";
import { listenOnNewPort } from "../world/new_port.ts";
import { audience } from "../world/platform.ts";

/** A running provider. */
export interface Issuer {
  url: string;
  /** The requested paths in order. */
  log: string[];
  /** The headers of the same requests. */
  headers: IncomingHttpHeaders[];
  /**
   * Replaces the published keys with another one, under a new id or the given one. "" means no id. Tokens are
   * signed with it from now on.
   */
  rotate(kid?: string): Promise<void>;
  /** The key id of the published key. */
  kid(): string | undefined;
  /** A token of a subject for the API by default, with the key's id or another. */
  sign(subject: string, claims?: JWTPayload, kid?: string): Promise<string>;
  /** Publishes the key after other keys. */
  publish(response: ServerResponse, others?: JWK[]): void;
  /** Replaces the response at a path. */
  answer(path: string, how: (response: ServerResponse) => void): void;
  close(): Promise<void>;
}

export const discoveryPath = "/.well-known/openid-configuration";
export const keysPath = "/keys";

export async function startIssuer(): Promise<Issuer> {
  const log: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const special = new Map<string, (response: ServerResponse) => void>();
  let signing: CryptoKey;
  let published: JWK;
  let url = "";
  const rotate = async (kid: string = crypto.randomUUID()) => {
    const { privateKey, publicKey } = await generateKeyPair("RS256");
    signing = privateKey;
    published = { ...(await exportJWK(publicKey)), ...(kid ? { kid } : {}), alg: "RS256" };
  };
  const publish = (response: ServerResponse, others: JWK[] = []) =>
    send(response, { keys: [...others, published] });
  await rotate();
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    log.push(path);
    headers.push(request.headers);
    const how = special.get(path);
    if (how) how(response);
    else if (path === discoveryPath) send(response, { issuer: url, jwks_uri: `${url}${keysPath}` });
    else if (path === keysPath) publish(response);
    else response.writeHead(404).end();
  });
  url = `http://127.0.0.1:${await listenOnNewPort(server)}`;
  return {
    url,
    log,
    headers,
    rotate,
    publish,
    kid: () => published.kid,
    sign(subject, claims = {}, kid = published.kid) {
      const now = Math.floor(Date.now() / 1000);
      const times = { iat: now, exp: now + 600 };
      return new SignJWT({ iss: url, sub: subject, aud: audience, ...times, ...claims })
        .setProtectedHeader({ alg: "RS256", ...(kid ? { kid } : {}) })
        .sign(signing);
    },
    answer: (path, how) => special.set(path, how),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function send(response: ServerResponse, body: unknown): void {
  response.setHeader("content-type", "application/json").end(JSON.stringify(body));
}
