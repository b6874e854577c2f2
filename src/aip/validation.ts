/** The rules written beside the fields in the protos (protovalidate), told as field violations. */
import type { DescField, DescMessage, MessageShape } from "@bufbuild/protobuf";
import { getOption, hasOption } from "@bufbuild/protobuf";
import { createValidator, type Violation } from "@bufbuild/protovalidate";
import { field as fieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { type FieldViolation, invalidArguments } from "./errors.ts";

const validator = createValidator();

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
  const result = validator.validate(schema, message);
  if (result.kind === "error") throw result.error;
  if (result.kind === "invalid") {
    throw invalidArguments(result.violations.map((violation) => tell(violation, within)));
  }
}

function tell(violation: Violation, within: string): FieldViolation {
  let path = "";
  let last: DescField | undefined;
  for (const step of violation.field) {
    if (step.kind === "field") {
      path += path === "" ? step.name : `.${step.name}`;
      last = step;
    } else if (step.kind === "list_sub") path += `[${step.index}]`;
    else if (step.kind === "map_sub") path += `[${keyText(step.key)}]`;
    else if (step.kind === "oneof") path += path === "" ? step.name : `.${step.name}`;
  }
  const field =
    within !== "" && path.startsWith(`${within}.`) ? path.slice(within.length + 1) : path;
  return { field: field || within || "request", description: describe(violation, field, last) };
}

/** A map's key as a path has it: quoted where it is a string. JSON has no word for a bigint. */
const keyText = (key: unknown) => (typeof key === "string" ? JSON.stringify(key) : String(key));

function describe(violation: Violation, path: string, field: DescField | undefined): string {
  const name = path || violation.field.map((step) => ("name" in step ? step.name : "")).join("");
  if (violation.ruleId === "required") return `${name} is required`;
  if (violation.ruleId === "string.pattern" && field) {
    const pattern = patternOf(field);
    const each = field.fieldKind === "list" ? "each of " : "";
    if (pattern) return `${each}${name} must match "${pattern}"`;
  }
  return `${name} ${violation.message.replace(/^value /, "")}`;
}

function patternOf(field: DescField): string | undefined {
  if (!hasOption(field, fieldRules)) return undefined;
  let rules = getOption(field, fieldRules).type;
  if (rules.case === "repeated") rules = rules.value.items?.type ?? rules;
  return rules.case === "string" ? rules.value.pattern : undefined;
}
