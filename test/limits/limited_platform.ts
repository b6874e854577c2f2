/** A platform with small rate limits, and what a call to it brings. */
import { setTimeout as pause } from "node:timers/promises";
import type { RateLimitChanges, RateLimits } from "../../schema/deployment/rate_limits.ts";
import { rateClasses } from "../../schema/deployment/rate_limits.ts";
import { startOwnRegistry } from "../distribution/own_registry.ts";
import { requestId } from "../world/platform.ts";
import { costOf } from "../world/server_timing.ts";

/** The calls that each caller and each network may make in each class. */
export const few = 3;
/** The calls of each organization. */
export const several = 7;

const limits = { caller: few, organization: several, network: few, unverified: few };
const changes: RateLimitChanges = Object.fromEntries(
  rateClasses.map((one) => [one, limits]),
) as RateLimits;

/** Starts it. If it counts itself, it has no bindings that count. */
export async function startLimited(countsItself: boolean) {
  const platform = await startOwnRegistry({ rateLimits: changes, countsItself });
  let networks = 0;
  /** An address from which no test has called. */
  const newAddress = () => `198.51.100.${++networks}`;

  async function call(path: string, { token, address = "", headers, body, ...init }: Sent = {}) {
    const response = await fetch(`${platform.origin}${path}`, {
      ...init,
      method: init.method ?? (body === undefined ? "GET" : "POST"),
      redirect: "manual",
      headers: {
        "x-request-id": requestId,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(address === "" ? {} : { "cf-connecting-ip": address }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: body as string }),
    });
    const text = await response.text();
    const timing = response.headers.get("server-timing");
    return {
      status: response.status,
      headers: response.headers,
      text,
      roundTrips: timing === null ? undefined : costOf(timing).roundTrips,
    };
  }
  return { ...platform, newAddress, call };
}

interface Sent {
  token?: string | undefined;
  address?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
}

/** Waits for the next minute if this one ends soon, because the counts then begin again. */
export async function haveTime(seconds = 8): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000);
  if (left < seconds * 1000) await pause(left + 50);
}
