/** One call over HTTP: a token, attempts, a time limit, and an answer or an error. */
import { type Answer, readAnswer } from "./answer.ts";
import { PlatformError, Unauthenticated, Unreachable } from "./errors.ts";
import type { CallOptions } from "./operation.ts";
import { attempt } from "./retry.ts";
import type { TokenSource } from "./tokens.ts";

/** Where calls go, and how. */
export interface Connection {
  token: TokenSource | undefined;
  fetch: typeof fetch;
  userAgent: string;
  /** Milliseconds of one attempt. */
  timeout: number;
  retries: number;
}

/** A request that is ready to be sent. */
export interface Sent {
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
 * answered 401 was not carried out. Throws a PlatformError, what the source of tokens throws, or the
 * reason of the signal.
 */
export async function send(
  connection: Connection,
  sent: Sent,
  options: CallOptions,
): Promise<Answer> {
  const { signal } = options;
  signal?.throwIfAborted();
  const source = connection.token;
  if (!source) return attempts(connection, sent, options, undefined);
  const token = await source({ signal });
  try {
    return await attempts(connection, sent, options, token);
  } catch (error) {
    if (!(error instanceof Unauthenticated)) throw error;
    const renewed = await source({ signal, refused: token });
    if (renewed === token) throw error;
    return attempts(connection, sent, options, renewed);
  }
}

const attempts = (
  connection: Connection,
  sent: Sent,
  options: CallOptions,
  token: string | undefined,
) =>
  attempt(() => once(connection, sent, options, token), {
    retries: options.retries ?? connection.retries,
    isSafe: sent.isSafe || options.idempotent === true,
    isConditional: sent.isConditional ?? false,
    signal: options.signal,
  });

async function once(
  connection: Connection,
  { method, url, headers, body, mayBeEmpty = false, isSafe }: Sent,
  { signal, timeout = connection.timeout }: CallOptions,
  token: string | undefined,
): Promise<Answer> {
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
    return await readAnswer(response, mayBeEmpty);
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
  const why = timeout === undefined ? reasonOf(cause) : "";
  const doubt = isSafe ? "" : " It is not known whether the call was carried out.";
  return new Unreachable(`${origin} ${what}${why}.${doubt}`, { cause });
}

/** What Node says beneath its `fetch failed`: `ECONNREFUSED`. */
function reasonOf(cause: unknown): string {
  const inner =
    cause instanceof Error ? (cause.cause as { code?: unknown } | undefined) : undefined;
  return typeof inner?.code === "string" ? ` (${inner.code})` : "";
}
