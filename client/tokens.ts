/** Where the tokens of calls come from. */

/** What a source of tokens is asked. */
export interface TokenRequest {
  /** Ends the waiting of this one call. */
  signal?: AbortSignal | undefined;
  /** A token of this source that was just refused: a source that keeps tokens gets another one. */
  refused?: string | undefined;
}

/** Answers a token to call with. It is asked before every call and keeps its tokens itself. */
export type TokenSource = (request: TokenRequest) => Promise<string>;

/** A token, and when it stops working, in milliseconds since 1970 UTC. */
export interface TokenWithExpiry {
  token: string;
  expires: number;
}

/** A token is renewed this many milliseconds before its end, or after three quarters of its life. */
const renewalMarginMs = 60_000;

/** In a Worker no request may wait for what another one has begun. */
const isWorker = globalThis.navigator?.userAgent === "Cloudflare-Workers";

/** The same token for every call. */
export function staticToken(token: string): TokenSource {
  return async () => token;
}

/**
 * Keeps the token that `obtain` answers until shortly before it ends. However many calls wait, it is
 * obtained once; a failure is told to those who wait and not kept. While the old token still works, a
 * failure to renew it is no failure.
 */
export function cachedToken(obtain: () => Promise<TokenWithExpiry>): TokenSource {
  let current: (TokenWithExpiry & { renewal: number }) | undefined;
  let underway: Promise<string> | undefined;
  const renew = async () => {
    try {
      const { token, expires } = await obtain();
      const now = Date.now();
      current = {
        token,
        expires,
        renewal: expires - Math.min(renewalMarginMs, (expires - now) / 4),
      };
      return token;
    } finally {
      underway = undefined;
    }
  };
  return async ({ signal, refused }) => {
    signal?.throwIfAborted();
    if (refused !== undefined && current?.token === refused) current = undefined;
    const known = current;
    if (known && Date.now() < known.renewal) return known.token;
    if (isWorker) underway = undefined;
    underway ??= renew();
    try {
      return await unlessAborted(underway, signal);
    } catch (error) {
      if (known && Date.now() < known.expires && !signal?.aborted) return known.token;
      throw error;
    }
  };
}

/** Waits for what others may wait for as well: the signal ends the waiting only. */
export async function unlessAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (!signal) return promise;
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
