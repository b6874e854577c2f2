/**
 * Checks messages against the rules beside their fields (buf.validate, as far as schema/lean/rules.ts
 * knows them). What it finds, and how it says it, is what protovalidate finds and says
 * (test/schema/lean/validate.test.ts), without its CEL interpreter: that adds 67 KiB of gzip to a Worker.
 */
import type { DescField, DescMessage, DescOneof, Message } from "@bufbuild/protobuf";
import { fieldParts, isRequiredOneof } from "./descriptor.ts";
import { implicit } from "./field.ts";
import type { FieldRules } from "./rules.ts";
import { type Broken, brokenRules } from "./values.ts";

/** One rule that a message breaks. */
export interface Violation extends Broken {
  /** Names as in the proto: `moves[0].repo`, `labels["a b"]`; of a oneof its own name. */
  path: string;
  /** The last field of the path; undefined for a oneof. */
  field: DescField | undefined;
}

type Values = Record<string, unknown>;

/** What is wrong with one member of a message. */
type Check = (message: Values, path: string, found: Violation[]) => void;

const checksByMessage = new Map<DescMessage, Check[]>();

/** Every rule that the message breaks, in the order of its fields. */
export function violationsOf(desc: DescMessage, message: Message): Violation[] {
  const found: Violation[] = [];
  checkMessage(desc, message as unknown as Values, "", found);
  return found;
}

function checkMessage(desc: DescMessage, message: Values, path: string, found: Violation[]): void {
  for (const check of checksOf(desc)) check(message, path, found);
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

/** Whether a field has rules, or holds messages that have some. */
function isRuled(field: DescField, seen: Set<DescMessage>): boolean {
  if (fieldParts(field).rules) return true;
  const { message } = field;
  if (!message || seen.has(message)) return false;
  seen.add(message);
  return (
    message.oneofs.some(isRequiredOneof) || message.fields.some((inner) => isRuled(inner, seen))
  );
}

function oneofCheck(oneof: DescOneof): Check {
  return (message, path, found) => {
    if ((message[oneof.localName] as { case?: string }).case !== undefined) return;
    const text = "exactly one field is required in oneof";
    found.push({ path: join(path, oneof.name), field: undefined, rule: "required", text });
  };
}

const join = (path: string, name: string) => (path === "" ? name : `${path}.${name}`);

function fieldCheck(field: DescField): Check {
  const rules = fieldParts(field).rules ?? {};
  return (message, path, found) => {
    const value = givenValue(field, message);
    const at = join(path, field.name);
    if (value === undefined || (isSkippable(field, rules) && isZero(field, value))) {
      if (rules.required) found.push({ path: at, field, rule: "required", text: "is required" });
      return;
    }
    checkValue(field, rules, value, at, found);
  };
}

/** The field's value; undefined where it tells set from zero and is not set. */
function givenValue({ localName, oneof }: DescField, message: Values): unknown {
  if (!oneof) return message[localName];
  const chosen = message[oneof.localName] as { case?: string; value?: unknown };
  return chosen.case === localName ? chosen.value : undefined;
}

/** Whether the field counts as not set when it is zero. */
const isSkippable = (field: DescField, { required, ignore }: FieldRules) =>
  ignore !== undefined || (required === true && field.presence === implicit);

function isZero(field: DescField, value: unknown): boolean {
  if (field.fieldKind === "list") return (value as unknown[]).length === 0;
  if (field.fieldKind === "map") return Object.keys(value as object).length === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  return value === "" || value === 0 || value === 0n || value === false;
}

function checkValue(
  field: DescField,
  rules: FieldRules,
  value: unknown,
  path: string,
  found: Violation[],
): void {
  const tell = (broken: Broken[], at: string) => {
    for (const one of broken) found.push({ ...one, path: at, field });
  };
  const checkOne = (one: unknown, its: FieldRules | undefined, at: string) => {
    if (field.message) checkMessage(field.message, one as Values, at, found);
    if (its) tell(brokenRules(its, one, field.enum), at);
  };
  if (field.fieldKind === "list") {
    if (rules.repeated) tell(brokenRules({ repeated: rules.repeated }, value), path);
    const items = value as unknown[];
    for (const [index, item] of items.entries()) {
      checkOne(item, rules.repeated?.items, `${path}[${index}]`);
    }
  } else if (field.fieldKind === "map") {
    if (rules.map) tell(brokenRules({ map: rules.map }, value), path);
    for (const [key, item] of Object.entries(value as object)) {
      const at = `${path}[${field.mapKey === 9 ? JSON.stringify(key) : key}]`;
      if (rules.map?.keys) tell(brokenRules(rules.map.keys, key), at);
      checkOne(item, rules.map?.values, at);
    }
  } else {
    checkOne(value, rules, path);
  }
}
