/**
 * The capabilities with their names and descriptions, for programs that show roles to people. It is an entry of its own,
 * because most programs do not need these texts.
 */
import { capabilityRows } from "./gen/capabilities.ts";
import type { Capability } from "./gen/messages.ts";

/** A capability for display. */
export interface CapabilityInfo {
  /** The value in requests and responses, such as `CAP_REPO_LIST`. */
  readonly value: Capability;
  /** The name for people, such as `repo.list`. */
  readonly name: string;
  /** A sentence about the calls that it allows. */
  readonly description: string;
  /** Whether a role with it must also have `CAP_INTERNAL`, which only the operator can give. */
  readonly isInternal: boolean;
  /** Whether it has no effect. It exists so that stored roles stay readable. */
  readonly isDeprecated: boolean;
}

/** All capabilities of the version of this package, in the order of the reference. */
export const capabilities: readonly CapabilityInfo[] = capabilityRows.map(
  ([value, name, description, mark]) => ({
    value,
    name,
    description,
    isInternal: mark === "internal" || value === "CAP_INTERNAL",
    isDeprecated: mark === "deprecated",
  }),
);

const byValue = new Map<string, CapabilityInfo>(
  capabilities.map((capability) => [capability.value, capability]),
);

/** Returns the capability with that value. Undefined if the platform is newer than this package and has added it. */
export const capabilityInfo = (value: string): CapabilityInfo | undefined => byValue.get(value);
