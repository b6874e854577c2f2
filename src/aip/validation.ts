/** Checks the rules that the protos give for their fields, and reports each broken rule as a field violation. */
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { fieldRules } from "../../schema/options.ts";
import { type Violation, violationsOf } from "../../schema/validation/validate.ts";
import { type FieldViolation, invalidArguments } from "./errors.ts";

/**
 * Checks a message against its rules. Throws INVALID_ARGUMENT with every violation. The paths of the
 * violations are relative to the field `within`, which is the resource of a Create or Update: a bad name is
 * `name` and not `identity.name`.
 */
export function validate<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
  within = "",
): void {
  const violations = violationsOf(schema, message);
  if (violations.length === 0) return;
  throw invalidArguments(violations.map((violation) => toFieldViolation(violation, within)));
}

function toFieldViolation(violation: Violation, within: string): FieldViolation {
  const { path } = violation;
  const field =
    within !== "" && path.startsWith(`${within}.`) ? path.slice(within.length + 1) : path;
  return { field: field || within || "request", description: describe(violation, field) };
}

function describe({ rule, text, field }: Violation, path: string): string {
  if (rule === "required") return `${path} is required`;
  if (rule === "string.pattern" && field) {
    const type = fieldRules(field)?.type;
    const rules = type?.case === "repeated" ? type.value.items?.type : type;
    const each = field.fieldKind === "list" ? "each of " : "";
    if (rules?.case === "string") return `${each}${path} must match "${rules.value.pattern}"`;
  }
  return `${path} ${text.replace(/^value /, "")}`;
}
