/** Requests to a registry, with a token. */
import { Readable } from "node:stream";
import { readResponse } from "../../client/answer.ts";
import { Bookmarks } from "../../client/bookmarks.ts";
import { PlatformError } from "../../client/errors.ts";
import { cachedToken, type TokenSource } from "../../client/tokens.ts";
import { keptBookmark } from "../account/bookmarks.ts";
import type { Account } from "../account/credentials.ts";
import { unreachableFailure, usageFailure } from "../failure.ts";
import { findRegistry, registryFailure } from "../history/registry.ts";
import { here } from "../surroundings.ts";

/** A request. `path` begins with `/v2/`, or is a URL that the registry returned. */
export type RegistryRequest = {
  method: string;
  path: string;
  headers?: Record<string, string>;
  /** The body, and its size in bytes. */
  body?: { size: number; open: () => Readable };
  signal?: AbortSignal | undefined;
};

/** A registry, for the requests about one image. */
export type Session = {
  /** The host in front of the names of images. */
  host: string;
  url: string;
  /** The operator's name, as in the paths of extensions. */
  vendor: string;
  isLoggedIn: boolean;
  /** The account of the login. Undefined without one, and for another registry. */
  account?: Account | undefined;
  /** Whether the registry may offer uploads to R2 directly. False after it has refused one. */
  offersDirectUploads: boolean;
  /** Sends a request once, and once more after a 401. Throws what fetch throws if there is no response. */
  send(name: string, request: RegistryRequest): Promise<Response>;
  /** Turns any error of a request into a Failure. */
  failure(thrown: unknown, name: string): Error;
};

/** Opens the registry of the account in use, or that of PLATFORM_URL without a login. */
export async function openSession(env: NodeJS.ProcessEnv = here().env): Promise<Session> {
  const { account, url, vendor = "vendor", token: own } = await findRegistry(env);
  const kept = account && keptBookmark(account, env);
  const bookmarks = new Bookmarks(kept?.first);
  kept?.keep(() => bookmarks.text);
  const isLoggedIn = account !== undefined;
  return { ...newSession({ url, vendor, isLoggedIn, token: own, bookmarks }), account };
}

/** Returns the account of the login. Throws a USAGE Failure without one. */
export function requireAccount({ account }: Session): Account {
  if (account) return account;
  throw usageFailure("Only identities can push. To log in, run: platformctl auth login --org NAME");
}

/** A session with the tokens of one source. Without a source, it uses the tokens that anyone can get. */
export function newSession({
  url,
  vendor,
  isLoggedIn,
  token: own,
  bookmarks = new Bookmarks(),
}: Pick<Session, "url" | "vendor" | "isLoggedIn"> & {
  token: TokenSource | undefined;
  bookmarks?: Bookmarks;
}): Session {
  const sources = new Map<string, TokenSource>();
  const tokenFor = (name: string) => {
    const source = own ?? sources.get(name) ?? anonymousToken(url, name);
    sources.set(name, source);
    return source;
  };
  return {
    host: new URL(url).host,
    url,
    vendor,
    isLoggedIn,
    offersDirectUploads: true,
    async send(name, request) {
      const target = new URL(request.path, url);
      if (target.origin !== new URL(url).origin) return sendOnce(target, request, undefined);
      const source = tokenFor(name);
      const { signal } = request;
      const token = await source({ signal });
      const { headers, end } = bookmarks.begin();
      const asked = { ...request, headers: { ...request.headers, ...headers } };
      const response = await sendOnce(target, asked, token);
      end(response.headers);
      if (response.status !== 401) return response;
      const renewed = await source({ signal, refused: token });
      if (renewed === token) return response;
      await response.body?.cancel();
      const again = await sendOnce(target, asked, renewed);
      end(again.headers);
      return again;
    },
    failure: (thrown, name) => registryFailure(thrown, { name }, { url, isLoggedIn }),
  };
}

/** Returns the tokens that anyone can get for one public image, or for the catalog if the name is empty. */
function anonymousToken(url: string, name: string): TokenSource {
  const scope = name === "" ? "registry:catalog:*" : `repository:${name}:pull`;
  const query = new URLSearchParams({ scope });
  return cachedToken(async () => {
    const { json } = await readResponse(await fetch(`${url}/token?${query}`), false);
    if (typeof json.token !== "string") throw unreachableFailure(`${url} returned no token.`);
    return { token: json.token, expires: Date.now() + (Number(json.expires_in) || 60) * 1000 };
  });
}

/** A body from a stream needs its size in a header, so that it is not sent in the chunked transfer coding. */
export function sendOnce(
  target: URL,
  { method, headers = {}, body, signal }: RegistryRequest,
  token: string | undefined,
): Promise<Response> {
  return fetch(target, {
    method,
    headers: {
      ...headers,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body ? { "content-length": String(body.size) } : {}),
    },
    ...(body ? { body: Readable.toWeb(body.open()) as ReadableStream, duplex: "half" } : {}),
    ...(signal ? { signal } : {}),
  } as RequestInit);
}

const refusals = new WeakMap<object, Response>();

/** Returns the response whose error `requireStatus` has thrown, with its body. Undefined for any other error. */
export const refusalOf = (thrown: unknown): Response | undefined =>
  typeof thrown === "object" && thrown !== null ? refusals.get(thrown) : undefined;

/** Throws the PlatformError in a response whose status is not one of these. Otherwise it returns the response. */
export async function requireStatus(response: Response, ...statuses: number[]): Promise<Response> {
  if (statuses.includes(response.status)) return response;
  const copy = response.clone();
  try {
    await readResponse(response, true);
  } catch (thrown) {
    if (thrown instanceof PlatformError) refusals.set(thrown, copy);
    throw thrown;
  }
  throw unreachableFailure(
    `${new URL(response.url).origin} returned ${response.status}, which is not a response of a registry.`,
  );
}
