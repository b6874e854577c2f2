/** The rules written beside the fields in the protos, told as field violations. */
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { fieldParts } from "../../schema/lean/descriptor.ts";
import { type Violation, violationsOf } from "../../schema/lean/validate.ts";
import { type FieldViolation, invalidArguments } from "./errors.ts";

/**
 * Checks a message against its rules; throws INVALID_ARGUMENT with every violation. `within` is
 * the field that the violations' paths are told relative to: the resource of a Create or Update,
 * so that a bad name is `name` and not `identity.name`.
 */
export function validate<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
  within = "",
): void {
  const violations = violationsOf(schema, message);
  if (violations.length === 0) return;
  throw invalidArguments(violations.map((violation) => tell(violation, within)));
}

function tell(violation: Violation, within: string): FieldViolation {
  const { path } = violation;
  const field =
    within !== "" && path.startsWith(`${within}.`) ? path.slice(within.length + 1) : path;
  return { field: field || within || "request", description: describe(violation, field) };
}

function describe({ rule, text, field }: Violation, path: string): string {
  if (rule === "required") return `${path} is required`;
  if (rule === "string.pattern" && field) {
    const { string, repeated } = fieldParts(field).rules ?? {};
    const pattern = string?.pattern ?? repeated?.items?.string?.pattern;
    const each = field.fieldKind === "list" ? "each of " : "";
    if (pattern) return `${each}${path} must match "${pattern}"`;
  }
  return `${path} ${text.replace(/^value /, "")}`;
}
