/** Checks the rules that the protos give for their fields, and reports each broken rule as a field violation. */
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { type Duration, durationMs } from "@bufbuild/protobuf/wkt";
import { patternWords } from "../../schema/validation/patterns.ts";
import { type Violation, violationsOf } from "../../schema/validation/validate.ts";
import { type FieldViolation, invalidArguments } from "./errors.ts";
import { quoted } from "./quoted.ts";

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
  const { path, text, pattern } = violation;
  const field =
    within !== "" && path.startsWith(`${within}.`) ? path.slice(within.length + 1) : path;
  const description = `${field} ${text}${sentText(violation)}${patternNote(field, pattern)}`;
  return { field: field || within || "request", description };
}

/**
 * The violation of a field whose text does not match a pattern. It says what the pattern requires, which text
 * was sent, and the pattern itself (contract: field validation).
 */
export const patternViolation = (
  field: string,
  pattern: string,
  value: string,
): FieldViolation => ({
  field,
  description: `${field} ${patternWords(pattern)}${sent(value)}${patternNote(field, pattern)}`,
});

/** Replaces the path of a field in its description: at the start, and before a pattern. */
export const withRenamedPath = (description: string, from: string, to: string): string =>
  description.replace(from, () => to).replace(`(${from} must match `, () => `(${to} must match `);

const patternNote = (path: string, pattern: string | undefined) =>
  pattern === undefined ? "" : ` (${path} must match "${pattern}")`;

const sent = (value: string) => (value === "" ? "" : `; you sent ${quoted(value)}`);

/** The rules whose value an error quotes. A URI can contain a secret, so it is not quoted. */
const quotedRules = ["string.pattern", "string.in", "string.email", "string.uuid"];

/** Says what the caller sent. Empty for a secret, and if the value does not explain the error. */
function sentText({ rule, value, field }: Violation): string {
  if (value === undefined || field?.proto.options?.debugRedact) return "";
  if (quotedRules.includes(rule)) return sent(value as string);
  if (/_(len|bytes|items|pairs)$/.test(rule)) return `; you sent ${sizeOf(value, rule)}`;
  if (rule.startsWith("duration.")) return `; you sent ${durationMs(value as Duration) / 1000}s`;
  return /^int|^enum\.(defined_only|in)$/.test(rule) ? `; you sent ${value}` : "";
}

/** The size of a value in the unit of the rule: characters, bytes, items or entries. */
function sizeOf(value: unknown, rule: string): number {
  if (rule === "string.max_bytes") return new TextEncoder().encode(value as string).length;
  if (typeof value === "string") return [...value].length;
  return rule.startsWith("map.")
    ? Object.keys(value as object).length
    : (value as Uint8Array | unknown[]).length;
}
