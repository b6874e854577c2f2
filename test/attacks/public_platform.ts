/** A platform whose addresses are public, and a network in which every request that it sends is seen. */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { D1Database } from "@cloudflare/workers-types";
import { type JWTPayload, SignJWT } from "jose";
import { Miniflare, convertV4MiniflareOptions as options, type V4WorkerOptions } from "miniflare";
import { inject } from "vitest";
import { unstable_getMiniflareWorkerOptions as optionsOf } from "wrangler";
import type { Key } from "../issuer/foreign_issuer.ts";
import { applyMigrations } from "../world/migrations.ts";
import { tokenFor } from "../world/platform.ts";
import { serveNames } from "../world/resolver.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

export const api = "https://api.acme.example";
export const issuerUrl = "https://issuer.acme.example";

/** A server of the public internet: what it answers to a path, by its origin. */
export type Site = (path: string, request: { method: string; text: string }) => Response;

export interface Asked {
  method?: string;
  token?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

export type PublicPlatform = Awaited<ReturnType<typeof startPublicPlatform>>;

/** Starts it on a new database, with a listener on loopback that counts who comes. */
export async function startPublicPlatform() {
  const names = await serveNames();
  const sites = new Map<string, Site>();
  const sent: string[] = [];
  let reached = 0;
  const listener = createServer((_, response) => {
    reached += 1;
    response.end('{"secret":"of the inside"}');
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address() as AddressInfo;

  /** The network of the Worker. Whatever is not a site of the test leads to the listener. */
  async function network(request: Request): Promise<Response> {
    if (request.url.startsWith(names.url)) return fetch(request.url, { headers: request.headers });
    const { origin, pathname, search } = new URL(request.url);
    sent.push(`${request.method} ${request.url}`);
    const site = sites.get(origin);
    if (!site) return fetch(`http://127.0.0.1:${port}${pathname}${search}`);
    return site(`${pathname}${search}`, { method: request.method, text: await request.text() });
  }

  const miniflare = await startWorker(names.url, network);
  const db = (await miniflare.getD1Database("DB", "platform")) as unknown as D1Database;
  await applyMigrations(db as never);
  const url = (await miniflare.unsafeGetDirectURL("platform")).origin;

  return {
    db,
    sites,
    /** Requests that left the platform, but for those to the resolver: `GET https://…`. */
    sent,
    /** Names that the resolver was asked for. */
    lookups: names.log,
    /** How often a request reached the listener on loopback. */
    reached: () => reached,
    /** Forgets what was sent, asked and reached. */
    forget() {
      sent.length = 0;
      names.log.length = 0;
      reached = 0;
    },
    call: (path: string, asked?: Asked) => call(url, path, asked),
    tokenOf: (identity: string) => tokenFor(identity, { iss: issuerUrl, aud: api }),
    /** A token of another issuer that lives ten minutes. */
    signedBy(key: Key, claims: JWTPayload) {
      const now = Math.floor(Date.now() / 1000);
      return new SignJWT({ aud: issuerUrl, iat: now, exp: now + 600, ...claims })
        .setProtectedHeader(key.header)
        .sign(key.privateKey);
    },
    async stop() {
      await miniflare.dispose();
      listener.close();
      names.close();
    },
  };
}

async function startWorker(dnsUrl: string, network: (request: Request) => Promise<Response>) {
  const platform = optionsOf(join(root, "wrangler.toml")).workerOptions as V4WorkerOptions;
  const contents = await readFile(inject("bundle"), "utf8");
  return new Miniflare(
    options({
      workers: [
        {
          ...platform,
          name: "platform",
          modules: [{ type: "ESModule", path: "platform.js", contents }],
          bindings: {
            ...platform.bindings,
            BASE_URL: api,
            ISSUER_URL: issuerUrl,
            REGISTRY_URL: "https://registry.acme.example",
            AUDIENCE: api,
            DNS_URL: dnsUrl,
            SIGNING_KEYS: inject("signingKeys"),
            PAGE_TOKEN_KEYS: inject("pageTokenKeys"),
            ENCRYPTION_KEYS: inject("encryptionKeys"),
          },
          outboundService: network as never,
          unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
        },
      ],
    }),
  );
}

/** One call; the answer's JSON, or its text where it is none. */
async function call(url: string, path: string, asked: Asked = {}) {
  const { method = asked.body === undefined ? "GET" : "POST", token, body } = asked;
  const response = await fetch(`${url}${path}`, {
    method,
    redirect: "manual",
    headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), ...asked.headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json");
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  const answer: any = isJson ? JSON.parse(text) : undefined;
  return { status: response.status, headers: response.headers, text, body: answer };
}
