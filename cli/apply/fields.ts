/** Checks the values of a document against the fields of the API. */
import type { CatalogField } from "../../schema/describe/catalog.ts";
import { fieldsOf, valuesOf } from "../resources/catalog.ts";
import { isObject, type JsonObject } from "../resources/flags.ts";
import { didYouMean, nearestWord } from "../resources/spelling.ts";

type Path = (string | number)[];

/** Where to report problems, and how to name a place. `known` are the keys that may be meant. */
type Check = { problems: string[]; known?: string[]; locate: (path: Path) => string };

/** Returns the names of the fields that a client may set. */
export const fieldNamesOf = (message: string): string[] =>
  fieldsOf(message)
    .filter(({ isOutput }) => !isOutput)
    .map(({ name }) => name);

/** Returns an object with the JSON of a message. Reports every key and value that the message does not have. */
export function checkedMessage(
  message: string,
  value: JsonObject,
  check: Check,
  above: Path = [],
): JsonObject {
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
    const path = [...above, key];
    const field = fieldsOf(message).find(({ name }) => name === key);
    if (!field || field.kind === "mask") report(check, path, unknownText(message, key, check));
    else if (field.isOutput) report(check, path, `The platform sets ${key}. Leave it out.`);
    else return [key, checkedField(field, item, check, path)];
    return [key, undefined];
  });
  for (const { name, group } of oneofsOf(message, value))
    report(check, [...above, name], `Only one of ${group.join(", ")} is possible.`);
  return Object.fromEntries(entries);
}

/** Returns the fields that another field of their oneof excludes. */
function oneofsOf(message: string, value: JsonObject) {
  const members = fieldsOf(message).filter(
    ({ name, oneof }) => oneof && Object.hasOwn(value, name),
  );
  return members.flatMap(({ name, oneof }) => {
    const group = members.filter((other) => other.oneof === oneof).map((other) => other.name);
    return group.indexOf(name) > 0 ? [{ name, group }] : [];
  });
}

const report = ({ problems, locate }: Check, path: Path, text: string) =>
  void problems.push(`${locate(path)}: ${text}`);

function unknownText(message: string, key: string, { known }: Check): string {
  const names = known ?? fieldNamesOf(message);
  const hint = didYouMean(nearestWord(key, names));
  return `There is no field ${JSON.stringify(key)}.${hint} The fields are: ${names.join(", ")}.`;
}

function checkedField(field: CatalogField, value: unknown, check: Check, path: Path): unknown {
  // The keys of the document itself are not keys of messages inside it.
  const { known: _, ...inner } = check;
  const { many, ...element } = field;
  if (value === null) {
    report(check, path, `${field.name} is empty. To clear it, write ${clearedText(field)}.`);
    return undefined;
  }
  if (many === "list") {
    if (Array.isArray(value))
      return value.map((item, index) => checkedOne(element, item, inner, [...path, index]));
    report(check, path, `${field.name} must be a list.`);
    return undefined;
  }
  if (many !== "map") return checkedOne(element, value, inner, path);
  if (!isObject(value)) {
    report(check, path, `${field.name} must be an object.`);
    return undefined;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      checkedOne(element, item, inner, [...path, key]),
    ]),
  );
}

const clearedText = ({ many, kind }: CatalogField) => {
  if (many) return many === "list" ? "[]" : "{}";
  return kind === "bool" ? "false" : '""';
};

/** The test of a value by the kind of its field, and the text that says how it must be. */
const expected: Partial<
  Record<CatalogField["kind"], [test: (value: unknown) => boolean, text: string]>
> = {
  string: [(value) => typeof value === "string", "text. Put it in quotes"],
  bool: [(value) => typeof value === "boolean", "true or false"],
  int: [
    (value) => Number.isSafeInteger(value) || (typeof value === "string" && /^-?\d+$/.test(value)),
    "a whole number",
  ],
  number: [(value) => typeof value === "number", "a number"],
  time: [
    (value) => typeof value === "string" && !Number.isNaN(Date.parse(value)),
    "a time such as 2026-01-31T12:00:00Z",
  ],
  duration: [
    (value) => typeof value === "string" && /^-?\d+(\.\d+)?s$/.test(value),
    "a number of seconds such as 3600s",
  ],
  bytes: [
    (value) => typeof value === "string" && /^[\w+/-]*={0,2}$/.test(value),
    "bytes in base64",
  ],
};

function checkedOne(field: CatalogField, value: unknown, check: Check, path: Path): unknown {
  const { kind, name, type = "" } = field;
  if (kind === "message") {
    if (isObject(value)) return checkedMessage(type, value, check, path);
    report(check, path, `${name} must be an object.`);
    return undefined;
  }
  if (kind === "enum") return enumValue(field, value, check, path);
  const [test, text] = expected[kind] ?? [];
  if (test && !test(value)) report(check, path, `${name} must be ${text}.`);
  return value;
}

/** Accepts the names of the API, and the words of the command line. */
function enumValue({ name, type = "" }: CatalogField, value: unknown, check: Check, path: Path) {
  const all = valuesOf(type);
  const match = all.find((enumValue) => enumValue.name === value || enumValue.word === value);
  if (match) return match.name;
  const words = all.map(({ word }) => word);
  const near = typeof value === "string" ? nearestWord(value, words) : undefined;
  const list = words.length <= 12 ? ` It is one of ${words.join(", ")}.` : "";
  report(check, path, `${name} cannot be ${JSON.stringify(value)}.${didYouMean(near)}${list}`);
  return undefined;
}
