/** How calls are made, whoever they go to. */
import type { Connection } from "./connection.ts";

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

const ownName = "platform-api-client/0.1.0";

/** A connection without a token. */
export function connectionOf(options: Transport): Connection {
  const { timeout = 30_000, retries = 2, userAgent } = options;
  if (!(timeout > 0)) throw new TypeError("timeout must be a number of milliseconds above 0");
  if (!(Number.isInteger(retries) && retries >= 0)) {
    throw new TypeError("retries must be a whole number, 0 or more");
  }
  // Called as a function of its own: in Workers and browsers fetch refuses any other this.
  const own = options.fetch ?? ((input, init) => fetch(input, init));
  return {
    token: undefined,
    fetch: own,
    userAgent: userAgent ? `${userAgent} ${ownName}` : ownName,
    timeout,
    retries,
  };
}
