/** A platform whose addresses are public, and a network that records every request from it. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type JWTPayload, SignJWT } from "jose";
import type { Key } from "../../issuer/foreign_issuer.ts";
import { startOwnPlatform } from "../../world/own_platform.ts";
import { requestId, tokenFor } from "../../world/platform.ts";
import { startResolver } from "../../world/resolver.ts";

export const api = "https://api.acme.example";
export const issuerUrl = "https://issuer.acme.example";

/** A server of the public internet: its responses by path, under its origin. */
export type PublicSite = (path: string, request: { method: string; text: string }) => Response;

export interface PublicRequestOptions {
  method?: string;
  token?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

export type PublicPlatform = Awaited<ReturnType<typeof startPublicPlatform>>;

/** Starts it on a new database, with a listener on loopback that counts connections. */
export async function startPublicPlatform() {
  const names = await startResolver();
  const sites = new Map<string, PublicSite>();
  const sent: string[] = [];
  let reached = 0;
  const listener = createServer((_, response) => {
    reached += 1;
    response.end('{"secret":"of the inside"}');
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address() as AddressInfo;

  /** The network of the Worker. Every address that is not a site of the test leads to the listener. */
  async function network(request: Request): Promise<Response> {
    if (request.url.startsWith(names.url)) return fetch(request.url, { headers: request.headers });
    const { origin, pathname, search } = new URL(request.url);
    sent.push(`${request.method} ${request.url}`);
    const site = sites.get(origin);
    if (!site) return fetch(`http://127.0.0.1:${port}${pathname}${search}`);
    return site(`${pathname}${search}`, { method: request.method, text: await request.text() });
  }

  const bindings = {
    ...{ BASE_URL: api, ISSUER_URL: issuerUrl, REGISTRY_URL: "https://registry.acme.example" },
    ...{ AUDIENCE: api, DNS_URL: names.url, DELIVERY_RETRIES: "24h" },
  };
  const { db, origin: url, runSchedule, stop } = await startOwnPlatform({ bindings, network });

  return {
    db,
    sites,
    /** The requests that left the platform, except those to the resolver: `GET https://…`. */
    sent,
    /** The names that the resolver received. */
    lookups: names.log,
    /** The addresses of names that have moved. */
    addresses: names.addresses,
    runSchedule,
    /** The number of requests that reached the listener on loopback. */
    reached: () => reached,
    /** Clears the recorded requests, names and connections. */
    forget() {
      sent.length = 0;
      names.log.length = 0;
      reached = 0;
    },
    call: (path: string, asked?: PublicRequestOptions) => call(url, path, asked),
    tokenOf: (identity: string) => tokenFor(identity, { iss: issuerUrl, aud: api }),
    /** A token of another issuer that is valid for ten minutes. */
    signedBy(key: Key, claims: JWTPayload) {
      const now = Math.floor(Date.now() / 1000);
      return new SignJWT({ aud: issuerUrl, iat: now, exp: now + 600, ...claims })
        .setProtectedHeader(key.header)
        .sign(key.privateKey);
    },
    async stop() {
      await stop();
      listener.close();
      names.close();
    },
  };
}

/** Makes one call. Returns the JSON of the response, or its text if it is not JSON. */
async function call(url: string, path: string, asked: PublicRequestOptions = {}) {
  const { method = asked.body === undefined ? "GET" : "POST", token, body } = asked;
  const response = await fetch(`${url}${path}`, {
    method,
    redirect: "manual",
    headers: {
      "x-request-id": requestId,
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...asked.headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json");
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  const answer: any = isJson ? JSON.parse(text) : undefined;
  return { status: response.status, headers: response.headers, text, body: answer };
}
