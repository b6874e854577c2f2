/** The names of capabilities in version 1, with dots: `groups.list`. */

import {
  Capability,
  CapabilitySchema,
} from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { capabilityName } from "../../../schema/options.ts";
import { invalidArguments } from "../../aip/errors.ts";
import { quoted } from "../../aip/quoted.ts";

let tables: { nameOf: Map<number, string>; numberOf: Map<string, Capability> } | undefined;

/** Read from the proto on first use, because most calls need none. */
function loadTables() {
  if (tables) return tables;
  const pairs = CapabilitySchema.values
    .filter(({ number }) => number !== Capability.UNKNOWN)
    .map((value): [number, string] => [value.number, capabilityName(value)]);
  tables = {
    nameOf: new Map(pairs),
    numberOf: new Map(pairs.map(([number, text]) => [text, number])),
  };
  return tables;
}

/** The names of capability numbers. A number that no longer is a capability grants nothing and is skipped. */
export const toCapabilityNames = (capabilities: readonly number[]): string[] =>
  capabilities.flatMap((capability) => loadTables().nameOf.get(capability) ?? []);

/**
 * The numbers of capability names. Throws INVALID_ARGUMENT for each `capabilities[i]` that is not the name of
 * a capability.
 */
export function toCapabilities(names: readonly string[]): Capability[] {
  const { numberOf } = loadTables();
  const violations = names.flatMap((name, index) => {
    if (numberOf.has(name)) return [];
    const field = `capabilities[${index}]`;
    return [
      { field, description: `${field} must be the name of a capability; you sent ${quoted(name)}` },
    ];
  });
  if (violations.length > 0) throw invalidArguments(violations);
  return names.flatMap((name) => numberOf.get(name) ?? []);
}
