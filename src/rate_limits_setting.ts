/** Reads the setting RATE_LIMITS. */
import {
  changedRateLimits,
  type RateClass,
  type RateLimitChanges,
  type RateLimits,
  rateClasses,
  rateHolders,
} from "../schema/deployment/rate_limits.ts";
import { ConfigError } from "./config_values.ts";

/** The most calls a minute, so that a counter of an isolate cannot overflow. */
const most = 100_000_000;

/**
 * The limits, with a default for each entry that the text leaves out. Undefined if they are off. Throws ConfigError,
 * which names the wrong entry.
 */
export function rateLimitsOf(text = ""): RateLimits | undefined {
  if (text === "off") return undefined;
  const changes = text === "" ? {} : objectOf(text);
  for (const [name, entries] of Object.entries(changes)) {
    if (!(rateClasses as readonly string[]).includes(name))
      throw refusal(`has no class ${quote(name)}; the classes are ${rateClasses.join(", ")}`);
    requireEntries(name as RateClass, entries);
  }
  return changedRateLimits(changes as RateLimitChanges);
}

function requireEntries(name: RateClass, entries: unknown): void {
  if (typeof entries !== "object" || entries === null || Array.isArray(entries))
    throw refusal(`must give an object for ${name}; it is ${quote(entries)}`);
  for (const [holder, limit] of Object.entries(entries)) {
    if (!(rateHolders as readonly string[]).includes(holder))
      throw refusal(`has no entry ${quote(holder)} in ${name}; they are ${rateHolders.join(", ")}`);
    if (!(Number.isInteger(limit) && limit >= 1 && limit <= most))
      throw refusal(
        `must give a whole number from 1 to ${most} for ${name}.${holder}; it is ${quote(limit)}`,
      );
  }
}

function objectOf(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {
    // The refusal below says what the text must be.
  }
  throw refusal('must be "off" or a JSON object such as {"read":{"caller":6000}}');
}

const quote = (value: unknown) => JSON.stringify(value);
const refusal = (text: string) => new ConfigError(`RATE_LIMITS ${text}`);
