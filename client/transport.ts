/** How calls are made, to the API, the issuer and the registry. */
import { Bookmarks } from "./bookmarks.ts";
import type { RateLimitWait } from "./retry.ts";
import type { TokenSource } from "./tokens.ts";

/** Options of everything that makes calls. */
export interface Transport {
  /** Replaces the global `fetch`, for proxies, certificates and tests. */
  fetch?: typeof fetch | undefined;
  /** The user agent of your program, which is sent in front of the client's own. A browser sends only its own. */
  userAgent?: string | undefined;
  /** How many milliseconds one attempt may take. The default is 30,000. */
  timeout?: number | undefined;
  /** The number of attempts after the first one, if it is safe to retry. The default is 2. */
  retries?: number | undefined;
  /**
   * How many milliseconds a call may wait in all when it meets a rate limit of the platform. The default is 120,000. With
   * 0, it fails at once.
   */
  maxWait?: number | undefined;
  /** Called before each such pause, so that a program can show it. */
  onWait?: ((wait: RateLimitWait) => void) | undefined;
}

/** A build of the package replaces this version, which is that of a checkout (cli/build.ts). */
const defaultUserAgent = "platform-api-client/0.0.0";

/** The longest time of a timer. */
const maxTimeoutMs = 2 ** 31 - 1;

/** How long an attempt may take in milliseconds, and how many attempts may follow the first one. */
export interface CallLimits {
  timeout: number;
  retries: number;
}

/** The destination of calls, and how they are made. */
export interface Connection extends CallLimits {
  maxWait: number;
  onWait: Transport["onWait"];
  token: TokenSource | undefined;
  fetch: typeof fetch;
  userAgent: string;
  bookmarks: Bookmarks;
  /** Whether the host always reads from the primary database. */
  isAtPrimary?: boolean;
}

/** Returns the given limits, otherwise the others. Throws a TypeError for an invalid limit. */
export function callLimitsOf(
  limits: { [Key in keyof CallLimits]?: CallLimits[Key] | undefined },
  others: CallLimits,
): CallLimits {
  const { timeout = others.timeout, retries = others.retries } = limits;
  if (!(Number.isInteger(timeout) && timeout > 0 && timeout <= maxTimeoutMs)) {
    throw new TypeError(`timeout must be a whole number of milliseconds from 1 to ${maxTimeoutMs}`);
  }
  if (!(Number.isInteger(retries) && retries >= 0)) {
    throw new TypeError("retries must be a whole number of at least 0");
  }
  return { timeout, retries };
}

/** Returns a connection without a token. Throws a TypeError for invalid options. */
export function connectionOf(options: Transport): Connection {
  const { userAgent = "", maxWait = 120_000, onWait } = options;
  if (!/^[ -~]*$/.test(userAgent))
    throw new TypeError("userAgent must contain only printable ASCII characters");
  if (!(Number.isInteger(maxWait) && maxWait >= 0 && maxWait <= maxTimeoutMs))
    throw new TypeError(`maxWait must be a whole number of milliseconds from 0 to ${maxTimeoutMs}`);
  // `fetch` is called as a plain function, because Workers and browsers reject any other `this`.
  const own = options.fetch ?? ((input, init) => fetch(input, init));
  return {
    token: undefined,
    maxWait,
    onWait,
    fetch: own,
    bookmarks: new Bookmarks(),
    userAgent: userAgent ? `${userAgent} ${defaultUserAgent}` : defaultUserAgent,
    ...callLimitsOf(options, { timeout: 30_000, retries: 2 }),
  };
}
