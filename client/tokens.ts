/** Sources of tokens. */

/** The request for a token. */
export interface TokenRequest {
  /** Cancels the wait for the token of this call. */
  signal?: AbortSignal | undefined;
  /** A token of this source that was just rejected. A source that keeps tokens must get another one. */
  refused?: string | undefined;
}

/** Returns a token for a call. It is called before every call, so it has to cache its tokens itself. */
export type TokenSource = (request: TokenRequest) => Promise<string>;

/** A token, and when it expires, in milliseconds since 1970 UTC. */
export interface TokenWithExpiry {
  token: string;
  expires: number;
}

/** In milliseconds. A token is renewed this long before it expires, or after three quarters of its lifetime. */
const renewalMarginMs = 60_000;

/** In a Worker, a request must not wait for work that another request has begun. */
const isWorker = globalThis.navigator?.userAgent === "Cloudflare-Workers";

/** Returns a source that returns the same token for every call. */
export function staticToken(token: string): TokenSource {
  return async () => token;
}

/**
 * Returns a source that keeps the token of `obtain` until shortly before it expires. Calls that wait at the same time
 * share one `obtain`, and a failure rejects all of them and is not kept. If a renewal fails while the old token is
 * still valid, the old token is used.
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

/** Waits for a promise that other calls may share. The signal only ends this wait. */
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
