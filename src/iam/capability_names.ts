/** Capabilities as version 1 writes them: by their dotted names, `groups.list`. */
import { getOption } from "@bufbuild/protobuf";
import {
  Capability,
  CapabilitySchema,
  name,
} from "../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { invalidArguments } from "../aip/errors.ts";

const known = CapabilitySchema.values.filter(({ number }) => number !== Capability.UNKNOWN);
const nameOf = new Map(known.map((value) => [value.number, getOption(value, name)]));
const numberOf = new Map(known.map((value) => [getOption(value, name), value.number]));

/** Their names. A number that is no capability (any more) grants nothing and is passed over. */
export const toNames = (capabilities: readonly number[]): string[] =>
  capabilities.flatMap((one) => nameOf.get(one) ?? []);

/** Their numbers. Throws INVALID_ARGUMENT naming each `capabilities[i]` that is no capability's name. */
export function toNumbers(names: readonly string[]): Capability[] {
  const violations = names.flatMap((one, index) => {
    if (numberOf.has(one)) return [];
    const field = `capabilities[${index}]`;
    return [{ field, description: `there is no capability ${JSON.stringify(one)}` }];
  });
  if (violations.length > 0) throw invalidArguments(violations);
  return names.flatMap((one) => numberOf.get(one) ?? []);
}
