/** Why a person may not do something. */
import type { Capability } from "../../client/index.ts";
import type { Permissions } from "../data/may.ts";

/**
 * Returns a sentence if the person lacks one of the capabilities, each given with its name. Undefined if they may, or
 * while the platform has not answered yet.
 */
export function refusalOf(
  { may }: Permissions,
  place: string,
  ...needed: readonly (readonly [Capability, string])[]
): string | undefined {
  const missing = needed
    .filter(([capability]) => may(capability) === false)
    .map(([, name]) => name);
  if (missing.length === 0) return undefined;
  const kind = missing.length === 1 ? "capability" : "capabilities";
  return `You need the ${missing.join(" and ")} ${kind} on ${place}.`;
}
