/** Makes one call over HTTP, with a token, retries and a time limit. It returns a response or throws an error. */
import { type ClientResponse, readHead, readResponse } from "./answer.ts";
import { PlatformError, Unauthenticated, Unreachable } from "./errors.ts";
import type { CallOptions } from "./operation.ts";
import type { ClientRequest } from "./request.ts";
import { withRetries } from "./retry.ts";
import { type TokenRequest, type TokenSource, unlessAborted } from "./tokens.ts";
import { type Connection, callLimitsOf } from "./transport.ts";

/**
 * Sends a request, and repeats it if that is safe. After a 401, it gets a new token once, because the platform did not
 * carry out the call. Throws a PlatformError, the error of the token source, the reason of the signal, or a TypeError
 * for an invalid limit or token.
 */
export async function send(
  connection: Connection,
  request: ClientRequest,
  options: CallOptions,
): Promise<ClientResponse> {
  const { signal } = options;
  signal?.throwIfAborted();
  const { timeout, retries } = callLimitsOf(options, connection);
  const { maxWait, onWait } = connection;
  const key = keyOf(request, options);
  const headers = { ...request.headers, ...key };
  return withToken(connection.token, signal, (token) =>
    withRetries(() => sendOnce(connection, { ...request, headers }, { signal, timeout }, token), {
      retries,
      isSafe: request.isSafe || key !== undefined || options.idempotent === true,
      isConditional: request.isConditional ?? false,
      signal,
      maxWait,
      onWait,
    }),
  );
}

/** The header with the key of a POST. Pages without HTTPS cannot make one, and then there is none. */
function keyOf({ takesKey }: ClientRequest, { idempotencyKey }: CallOptions) {
  if (!takesKey) return undefined;
  if (idempotencyKey !== undefined && !/^[!-~]{1,255}$/.test(idempotencyKey))
    throw new TypeError("idempotencyKey must have 1 to 255 visible ASCII characters");
  const key = idempotencyKey ?? globalThis.crypto?.randomUUID?.();
  return key && { "idempotency-key": `"${key.replaceAll(/["\\]/g, "\\$&")}"` };
}

/**
 * Makes a call with a token of the source. After a 401, it makes the call once more if the source has another token.
 */
async function withToken<T>(
  source: TokenSource | undefined,
  signal: AbortSignal | undefined,
  call: (token: string | undefined) => Promise<T>,
): Promise<T> {
  if (!source) return call(undefined);
  const token = await obtainToken(source, { signal });
  try {
    return await call(token);
  } catch (error) {
    if (!(error instanceof Unauthenticated)) throw error;
    const renewed = await obtainToken(source, { signal, refused: token });
    if (renewed === token) throw error;
    return call(renewed);
  }
}

/**
 * Sends a request whose response is a stream, and returns the response when it begins. `signal` ends it. Throws the
 * same errors as {@link send}.
 */
export async function openStream(
  connection: Connection,
  request: ClientRequest,
  signal: AbortSignal,
): Promise<Response> {
  const { method, url, headers } = request;
  return withToken(connection.token, signal, async (token) => {
    const call = connection.bookmarks.begin();
    const all = {
      ...headersOf(connection, token, { ...headers, ...call.headers }),
      accept: "text/event-stream",
    };
    const init: RequestInit = { method, headers: all, redirect: "manual", signal };
    const response = await connection.fetch(url, init).catch((error: unknown) => {
      signal.throwIfAborted();
      throw unreachable(url, undefined, true, error);
    });
    call.end(response.headers);
    const type = response.headers.get("content-type") ?? "";
    if (response.ok && response.body && type.startsWith("text/event-stream")) return response;
    await readResponse(response, false);
    throw new Unreachable(`${new URL(url).origin} returned no stream.`, {
      status: response.status,
    });
  });
}

/**
 * Gets a token. A token that is not valid in a header is rejected here, because the error of fetch would contain it.
 */
async function obtainToken(source: TokenSource, request: TokenRequest): Promise<string> {
  const token: unknown = await unlessAborted(source(request), request.signal);
  if (typeof token === "string" && /^[!-~]+$/.test(token.trim())) return token;
  throw new TypeError(
    token === undefined || token === ""
      ? "the token source returned no token"
      : "the token source returned an invalid token: it must be a single word of ASCII",
  );
}

async function sendOnce(
  connection: Connection,
  { method, url, headers, body, mayBeEmpty = false, isSafe }: ClientRequest,
  { signal, timeout }: { signal: AbortSignal | undefined; timeout: number },
  token: string | undefined,
): Promise<ClientResponse> {
  signal?.throwIfAborted();
  const limit = AbortSignal.timeout(timeout);
  const call = connection.bookmarks.begin(connection.isAtPrimary);
  try {
    const response = await connection.fetch(url, {
      method,
      headers: headersOf(connection, token, { ...headers, ...call.headers }),
      // A redirect is reported and not followed, because the token is only for this host.
      redirect: "manual",
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      ...(body === undefined ? {} : { body }),
    });
    call.end(response.headers);
    return method === "HEAD" ? readHead(response) : await readResponse(response, mayBeEmpty);
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    signal?.throwIfAborted();
    throw unreachable(url, limit.aborted ? timeout : undefined, isSafe, error);
  }
}

function headersOf(
  { userAgent }: Connection,
  token: string | undefined,
  more: Record<string, string> = {},
): Record<string, string> {
  return {
    accept: "application/json",
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(isBrowser() ? {} : { "user-agent": userAgent }),
    ...more,
  };
}

/** A browser does not let a page set the user agent. */
const isBrowser = () => /^Mozilla\//.test(globalThis.navigator?.userAgent ?? "");

/** Returns the error of a request without a complete response. `timeout` is the limit in milliseconds that passed. */
export function unreachable(
  url: string,
  timeout: number | undefined,
  isSafe: boolean,
  cause: unknown,
): Unreachable {
  const { origin } = new URL(url);
  const what = timeout === undefined ? "cannot be reached" : `did not respond within ${timeout} ms`;
  const why = timeout === undefined ? networkReason(cause) : "";
  const doubt = isSafe ? "" : " The platform may or may not have carried out the call.";
  return new Unreachable(`${origin} ${what}${why}.${doubt}`, { cause });
}

/** Returns the reason below Node's `fetch failed`, such as `ECONNREFUSED`. */
function networkReason(cause: unknown): string {
  const inner =
    cause instanceof Error ? (cause.cause as { code?: unknown } | undefined) : undefined;
  return typeof inner?.code === "string" ? ` (${inner.code})` : "";
}
