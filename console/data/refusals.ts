/** The sentences that say why a person may not do something. */
import { capabilityInfo } from "../../client/capabilities.ts";
import type { Capability } from "../../client/index.ts";
import type { Permissions } from "./may.ts";

/**
 * Names the capabilities that the person lacks on a place, such as the name of a group. Undefined if they have all of
 * them, or the platform has not answered yet.
 */
export function refusalOf(
  { may }: Pick<Permissions, "may">,
  target: string,
  ...needed: readonly Capability[]
): string | undefined {
  const missing = needed
    .filter((capability) => may(capability) === false)
    .map((capability) => capabilityInfo(capability)?.name ?? capability);
  if (missing.length === 0) return undefined;
  const noun = missing.length === 1 ? "capability" : "capabilities";
  return `You need the ${missing.join(" and ")} ${noun} on ${target || "this group"}.`;
}
