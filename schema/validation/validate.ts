/**
 * Checks messages against the rules of their fields (buf.validate). It finds the same violations as
 * protovalidate (test/schema/validation/validate.test.ts), and starts in a fraction of the time. The reason is
 * that protovalidate compiles the expressions of all rules for the first message (docs/decisions/0009).
 */
import {
  type DescField,
  type DescMessage,
  type DescOneof,
  type Message,
  ScalarType,
} from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { type FieldRules, Ignore } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { fieldRules, isRequiredOneof } from "../options.ts";
import { type Broken, brokenRules } from "./values.ts";

/** One rule that a message breaks. */
export interface Violation extends Broken {
  /** Names as in the proto: `moves[0].repo`, `labels["a b"]`. For a oneof, its own name. */
  path: string;
  /** The last field of the path. Undefined for a oneof. */
  field: DescField | undefined;
  /** The value that breaks the rule. Undefined if a value is missing. */
  value?: unknown;
}

type Values = Record<string, unknown>;

/** The problem with one member of a message. */
type Check = (message: Values, path: string, violations: Violation[]) => void;

const checksByMessage = new Map<DescMessage, Check[]>();

/** Every rule that the message breaks, in the order of its fields. */
export function violationsOf(desc: DescMessage, message: Message): Violation[] {
  const violations: Violation[] = [];
  checkMessage(desc, message as unknown as Values, "", violations);
  return violations;
}

function checkMessage(
  desc: DescMessage,
  message: Values,
  path: string,
  violations: Violation[],
): void {
  for (const check of checksOf(desc)) check(message, path, violations);
}

function checksOf(desc: DescMessage): Check[] {
  const known = checksByMessage.get(desc);
  if (known) return known;
  const checks = [
    ...desc.fields.filter((field) => isRuled(field, new Set())).map(fieldCheck),
    ...desc.oneofs.filter(isRequiredOneof).map(oneofCheck),
  ];
  checksByMessage.set(desc, checks);
  return checks;
}

/** Whether a field has rules, or contains messages with rules. */
function isRuled(field: DescField, seen: Set<DescMessage>): boolean {
  if (fieldRules(field)) return true;
  const { message } = field;
  if (!message || seen.has(message)) return false;
  seen.add(message);
  return (
    message.oneofs.some(isRequiredOneof) || message.fields.some((inner) => isRuled(inner, seen))
  );
}

function oneofCheck(oneof: DescOneof): Check {
  return (message, path, violations) => {
    if ((message[oneof.localName] as { case?: string }).case !== undefined) return;
    const names = oneof.fields.map(({ name }) => name);
    const text = `is required: set ${names.length > 1 ? "one of " : ""}${names.join(", ")}`;
    violations.push({ path: join(path, oneof.name), field: undefined, rule: "required", text });
  };
}

const join = (path: string, name: string) => (path === "" ? name : `${path}.${name}`);

function fieldCheck(field: DescField): Check {
  const rules = fieldRules(field);
  return (message, path, violations) => {
    const value = givenValue(field, message);
    const fieldPath = join(path, field.name);
    if (value === undefined || (isSkippable(field, rules) && isZero(field, value))) {
      if (rules?.required)
        violations.push({ path: fieldPath, field, rule: "required", text: "is required" });
      return;
    }
    checkValue(field, rules, value, fieldPath, violations);
  };
}

/** The value of the field. Undefined if the field has presence and is not set. */
function givenValue({ localName, oneof }: DescField, message: Values): unknown {
  if (!oneof) return message[localName];
  const chosen = message[oneof.localName] as { case?: string; value?: unknown };
  return chosen.case === localName ? chosen.value : undefined;
}

/** Whether the field counts as not set if it is zero. */
const isSkippable = ({ presence }: DescField, rules: FieldRules | undefined) =>
  rules?.ignore === Ignore.IF_ZERO_VALUE ||
  (rules?.required === true && presence === FeatureSet_FieldPresence.IMPLICIT);

function isZero(field: DescField, value: unknown): boolean {
  if (field.fieldKind === "list") return (value as unknown[]).length === 0;
  if (field.fieldKind === "map") return Object.keys(value as object).length === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  return value === "" || value === 0 || value === 0n || value === false;
}

/** The field to check, and the list for its violations. */
type Checked = { field: DescField; violations: Violation[] };

function checkValue(
  field: DescField,
  rules: FieldRules | undefined,
  value: unknown,
  path: string,
  violations: Violation[],
): void {
  const checked = { field, violations };
  const type = rules?.type;
  if (field.fieldKind === "list") {
    checkRules(checked, rules, value, path);
    const its = type?.case === "repeated" ? type.value.items : undefined;
    for (const [index, item] of (value as unknown[]).entries()) {
      checkOne(checked, its, item, `${path}[${index}]`);
    }
  } else if (field.fieldKind === "map") {
    checkRules(checked, rules, value, path);
    const { keys, values } = type?.case === "map" ? type.value : {};
    for (const [key, item] of Object.entries(value as object)) {
      const itemPath = `${path}[${field.mapKey === ScalarType.STRING ? JSON.stringify(key) : key}]`;
      checkRules(checked, keys, key, itemPath);
      checkOne(checked, values, item, itemPath);
    }
  } else {
    checkOne(checked, rules, value, path);
  }
}

/** A value that is neither a list nor a map. A message also has its own rules. */
function checkOne(checked: Checked, rules: FieldRules | undefined, value: unknown, path: string) {
  const { message } = checked.field;
  if (message) checkMessage(message, value as Values, path, checked.violations);
  checkRules(checked, rules, value, path);
}

function checkRules(
  { field, violations }: Checked,
  rules: FieldRules | undefined,
  value: unknown,
  path: string,
): void {
  if (!rules) return;
  for (const broken of brokenRules(rules, value, field.enum)) {
    violations.push({ ...broken, path, field, value });
  }
}
