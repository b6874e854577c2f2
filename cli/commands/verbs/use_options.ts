/** Options of `platformctl list` that name a period instead of a time: `--unused-for` and `--expiring-within`. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { parseAge } from "../../history/times.ts";
import { type CatalogResource, fieldNamed } from "../../resources/catalog.ts";
import type { JsonObject } from "../../resources/flags.ts";

/** The periods, in milliseconds. */
export type UseOptions = { unusedFor?: number; expiringWithin?: number };

/** The filters whose rows have only one order, which is then the default. */
const ordering = ["unusedSince", "expiresAfter", "expiresBefore"];

/** Adds the options that the List of the resource has filters for. */
export function addUseOptions(command: Command, { methods }: CatalogResource): void {
  const has = (field: string) => fieldNamed(methods.list?.input ?? "", field) !== undefined;
  const add = (flags: string, text: string, ...others: string[]) =>
    command.addOption(
      new Option(flags, text).argParser(periodOf).conflicts(others).helpGroup("Filters:"),
    );
  if (has("unusedSince")) {
    const text = "Only rows that were not used for this long, such as 90d. Never used ones count.";
    add("--unused-for <age>", text, "unusedSince");
  }
  if (has("expiresBefore")) {
    const text = "Only identities with static keys that expire within this time, such as 30d.";
    add("--expiring-within <age>", text, "expiresAfter", "expiresBefore");
  }
}

function periodOf(text: string): number {
  const period = parseAge(text);
  if (period !== undefined) return period;
  throw new InvalidArgumentError("It must be a period such as 90d, 12h or 2w.");
}

/** Returns the filters of the given options. */
export function useFilters({ unusedFor, expiringWithin }: UseOptions, now: Date): JsonObject {
  const after = (period: number) => new Date(now.getTime() + period).toISOString();
  return {
    ...(unusedFor === undefined ? {} : { unusedSince: after(-unusedFor) }),
    ...(expiringWithin === undefined
      ? {}
      : { expiresAfter: after(0), expiresBefore: after(expiringWithin) }),
  };
}

/** Whether a request has a filter that decides the order. */
export const isOrdered = (request: JsonObject): boolean =>
  ordering.some((field) => field in request);
