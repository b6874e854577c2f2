/** How calls are made, whoever they go to. */
import type { TokenSource } from "./tokens.ts";

/** Options of everything that calls. */
export interface Transport {
  /** In place of the global `fetch`, for proxies, certificates and tests. */
  fetch?: typeof fetch | undefined;
  /** Told to the platform in front of the client's own; a browser tells its own only. */
  userAgent?: string | undefined;
  /** Milliseconds that one attempt may take; 30,000 unless told. */
  timeout?: number | undefined;
  /** Attempts after the first, where a further one is safe; 2 unless told. */
  retries?: number | undefined;
}

/** A build of the package puts its version in place of that of a checkout (cli/build.ts). */
const defaultUserAgent = "platform-api-client/0.0.0";

/** Timers know no longer time. */
const maxTimeoutMs = 2 ** 31 - 1;

/** How long an attempt may take in milliseconds, and how many may follow the first. */
export interface CallLimits {
  timeout: number;
  retries: number;
}

/** Where calls go, and how. */
export interface Connection extends CallLimits {
  token: TokenSource | undefined;
  fetch: typeof fetch;
  userAgent: string;
}

/** The limits that are given, else the others. Throws a TypeError for limits that are none. */
export function callLimitsOf(
  given: { [Key in keyof CallLimits]?: CallLimits[Key] | undefined },
  others: CallLimits,
): CallLimits {
  const { timeout = others.timeout, retries = others.retries } = given;
  if (!(Number.isInteger(timeout) && timeout > 0 && timeout <= maxTimeoutMs)) {
    throw new TypeError(`timeout must be whole milliseconds, from 1 to ${maxTimeoutMs}`);
  }
  if (!(Number.isInteger(retries) && retries >= 0)) {
    throw new TypeError("retries must be a whole number, 0 or more");
  }
  return { timeout, retries };
}

/** A connection without a token. Throws a TypeError for bad options. */
export function connectionOf(options: Transport): Connection {
  const { userAgent = "" } = options;
  if (!/^[ -~]*$/.test(userAgent)) throw new TypeError("userAgent must be of printable ASCII");
  // Called as a function of its own: in Workers and browsers fetch refuses any other this.
  const own = options.fetch ?? ((input, init) => fetch(input, init));
  return {
    token: undefined,
    fetch: own,
    userAgent: userAgent ? `${userAgent} ${defaultUserAgent}` : defaultUserAgent,
    ...callLimitsOf(options, { timeout: 30_000, retries: 2 }),
  };
}
