/** One call over HTTP: a token, attempts, a time limit, and an answer or an error. */
import { type ClientResponse, readResponse } from "./answer.ts";
import { PlatformError, Unauthenticated, Unreachable } from "./errors.ts";
import type { CallOptions } from "./operation.ts";
import { withRetries } from "./retry.ts";
import { type TokenRequest, type TokenSource, unlessAborted } from "./tokens.ts";
import { type Connection, callLimitsOf } from "./transport.ts";

/** A request that is ready to be sent. */
export interface ClientRequest {
  method: string;
  url: string;
  headers?: Record<string, string>;
  body?: string;
  /** May be carried out twice. */
  isSafe: boolean;
  /** Names the state that it is meant for: an entity tag. */
  isConditional?: boolean;
  /** The answer may have no body. */
  mayBeEmpty?: boolean;
}

/**
 * Sends a request as often as is safe. A token that is refused is renewed once: a call that is
 * answered 401 was not carried out. Throws a PlatformError, what the source of tokens throws, the
 * reason of the signal, or a TypeError for limits and tokens that are none.
 */
export async function send(
  connection: Connection,
  request: ClientRequest,
  options: CallOptions,
): Promise<ClientResponse> {
  const { signal } = options;
  signal?.throwIfAborted();
  const { timeout, retries } = callLimitsOf(options, connection);
  const attempts = (token: string | undefined) =>
    withRetries(() => sendOnce(connection, request, { signal, timeout }, token), {
      retries,
      isSafe: request.isSafe || options.idempotent === true,
      isConditional: request.isConditional ?? false,
      signal,
    });
  const source = connection.token;
  if (!source) return attempts(undefined);
  const token = await obtainToken(source, { signal });
  try {
    return await attempts(token);
  } catch (error) {
    if (!(error instanceof Unauthenticated)) throw error;
    const renewed = await obtainToken(source, { signal, refused: token });
    if (renewed === token) throw error;
    return attempts(renewed);
  }
}

/** Asks for a token. What no header can hold is refused here: the error of fetch would show it. */
async function obtainToken(source: TokenSource, request: TokenRequest): Promise<string> {
  const token: unknown = await unlessAborted(source(request), request.signal);
  if (typeof token === "string" && /^[!-~]+$/.test(token.trim())) return token;
  throw new TypeError(
    token === undefined || token === ""
      ? "the source of tokens gave none"
      : "the source of tokens gave what is no token: it must be one word of ASCII",
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
  try {
    const response = await connection.fetch(url, {
      method,
      headers: headersOf(connection, token, headers),
      // A redirect is told, not followed: the token is for this host only.
      redirect: "manual",
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      ...(body === undefined ? {} : { body }),
    });
    return await readResponse(response, mayBeEmpty);
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

/** Browsers do not let a page name its program. */
const isBrowser = () => /^Mozilla\//.test(globalThis.navigator?.userAgent ?? "");

function unreachable(
  url: string,
  timeout: number | undefined,
  isSafe: boolean,
  cause: unknown,
): Unreachable {
  const { origin } = new URL(url);
  const what = timeout === undefined ? "cannot be reached" : `did not answer within ${timeout} ms`;
  const why = timeout === undefined ? networkReason(cause) : "";
  const doubt = isSafe ? "" : " It is not known whether the call was carried out.";
  return new Unreachable(`${origin} ${what}${why}.${doubt}`, { cause });
}

/** What Node says beneath its `fetch failed`: `ECONNREFUSED`. */
function networkReason(cause: unknown): string {
  const inner =
    cause instanceof Error ? (cause.cause as { code?: unknown } | undefined) : undefined;
  return typeof inner?.code === "string" ? ` (${inner.code})` : "";
}
