/** Writes the capabilities with their names and descriptions, which the types of the client do not contain at run time. */
import type { DescEnumValue, FileRegistry } from "@bufbuild/protobuf";
import { commentOf } from "../describe/protos.ts";
import { capabilityName, isInternalOnly } from "../options.ts";

const typeName = "platform.capabilities.v1.Capability";

/** Returns `client/gen/capabilities.ts`: a row for each capability, in the order of the proto. */
export function capabilitiesText(registry: FileRegistry): string {
  const capabilityEnum = registry.getEnum(typeName);
  if (!capabilityEnum) throw new Error(`there is no enum ${typeName}`);
  const rows = capabilityEnum.values.filter(({ number }) => number !== 0).map(rowOf);
  return `import type { Capability } from "./messages.ts";

/** The value, the name, the description, and whether the capability is internal or deprecated. */
export const capabilityRows: readonly (readonly [
  value: Capability,
  name: string,
  description: string,
  mark?: "internal" | "deprecated",
])[] = [
${rows.map((row) => `  ${JSON.stringify(row)},\n`).join("")}];
`;
}

function rowOf(value: DescEnumValue): string[] {
  const marks = [
    ...(value.deprecated ? ["deprecated"] : []),
    ...(isInternalOnly(value) ? ["internal"] : []),
  ];
  return [value.name, capabilityName(value), commentOf(value), ...marks.slice(0, 1)];
}
