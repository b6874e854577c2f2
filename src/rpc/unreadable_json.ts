/** Describes why the JSON of a request is not a message: which field is unreadable, and which JSON it takes. */
import {
  type DescEnum,
  type DescField,
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonValue,
  ScalarType,
} from "@bufbuild/protobuf";
import type { FieldViolation } from "../aip/errors.ts";
import { findField } from "../aip/field_mask.ts";
import { isObject } from "../aip/json.ts";
import { quoted } from "../aip/quoted.ts";

/**
 * The violation for JSON that protobuf cannot decode, and `error`, which protobuf threw. The field is the first
 * unreadable one, such as `custom_overlay.accounts.groups[0].gid`, relative to the field `within`.
 */
export function unreadableJson(
  desc: DescMessage,
  json: JsonObject,
  within: string,
  error: Error,
): FieldViolation {
  const { path, form, sent } = findUnreadable(desc, json);
  const isWithin = within !== "" && path.startsWith(`${within}.`);
  const field = (isWithin ? path.slice(within.length + 1) : path) || "body";
  if (form === undefined) return { field, description: `${field} ${reasonOf(error)}` };
  const description = `${field} must be ${form}${sent === undefined ? "" : `; you sent ${sent}`}`;
  return { field, description };
}

/** An unreadable field. Without a form, each member of the message is readable, but not all together. */
interface Unreadable {
  path: string;
  /** The JSON that the field takes. */
  form?: string;
  /** The value in short. Undefined if it can be a secret. */
  sent?: string | undefined;
}

function findUnreadable(desc: DescMessage, json: JsonObject): Unreadable {
  for (const [key, value] of Object.entries(json)) {
    const field = findField(desc, key);
    if (!field || isReadable(desc, { [key]: value })) continue;
    const { name, message } = field;
    if (!message) return { path: name, form: jsonForm(field), sent: sentValue(field, value) };
    const isList = field.fieldKind === "list" && Array.isArray(value);
    const items = isList ? value : [value];
    const index = items.findIndex((item) => !isReadable(message, item));
    const item = items[index] ?? null;
    const path = isList ? `${name}[${index}]` : name;
    if (isObject(item)) {
      const inner = findUnreadable(message, item);
      return { ...inner, path: inner.path === "" ? path : `${path}.${inner.path}` };
    }
    const form = isList ? valueForm(field, "message") : jsonForm(field);
    return { path, form, sent: shortJson(item, field) };
  }
  return { path: "" };
}

function isReadable(desc: DescMessage, json: JsonValue): boolean {
  try {
    fromJson(desc, json);
    return true;
  } catch {
    return false;
  }
}

/** The words of protobuf for what is not about one value, such as two fields of a oneof. */
function reasonOf({ message }: Error): string {
  const [, first, second] = /oneof set multiple times by (\w+) and (\w+)$/.exec(message) ?? [];
  if (first !== undefined) return `can contain only one of ${first} and ${second}`;
  const text = message.replace(/^cannot decode \w+ [\w.]+ from JSON:? ?/, "");
  return `cannot be read: ${text.slice(0, 200)}`;
}

/** The JSON that a field takes: `a 32-bit integer`. */
function jsonForm(field: DescField): string {
  switch (field.fieldKind) {
    case "list":
      return `a JSON array in which each item is ${valueForm(field, field.listKind)}`;
    case "map":
      return `a JSON object in which each value is ${valueForm(field, field.mapKind)}`;
    default:
      return valueForm(field, field.fieldKind);
  }
}

function valueForm(field: DescField, kind: "enum" | "message" | "scalar"): string {
  if (kind === "enum" && field.enum) return enumForm(field.enum);
  if (kind === "message") return messageForms[field.message?.typeName ?? ""] ?? "a JSON object";
  return scalarForms[field.scalar ?? ScalarType.STRING] ?? "a number";
}

/** A longer list of names does not help the reader of an error. The reference lists all names. */
const maxListedNames = 20;

const enumForm = ({ name, values }: DescEnum) =>
  values.length > maxListedNames
    ? `a value of the enum ${name}`
    : `one of ${values.map((value) => value.name).join(", ")}`;

const messageForms: Record<string, string> = {
  "google.protobuf.Timestamp": "a time in RFC 3339, such as 2026-01-31T12:00:00Z",
  "google.protobuf.Duration": "a number of seconds and the letter s, such as 3600s",
  "google.protobuf.FieldMask": "a string of field names, separated by commas",
};

const scalarForms: Partial<Record<ScalarType, string>> = {
  [ScalarType.STRING]: "a string",
  [ScalarType.BYTES]: "a string in base64",
  [ScalarType.BOOL]: "true or false",
  [ScalarType.INT32]: "a 32-bit integer",
  [ScalarType.UINT32]: "a 32-bit integer that is not negative",
  [ScalarType.INT64]: "a 64-bit integer",
};

/** The value that was sent, in short. For an array it is the first wrong item. */
function sentValue(field: DescField, value: JsonValue): string | undefined {
  if (field.proto.options?.debugRedact) return undefined;
  const isList = field.fieldKind === "list" && Array.isArray(value);
  if (!isList) return shortJson(value, field);
  const wrong = value.find((item) => !isReadable(field.parent, { [field.jsonName]: [item] }));
  return wrong === undefined ? undefined : `the item ${shortJson(wrong, field)}`;
}

/** Names objects and arrays without their contents, because these can contain a secret. */
function shortJson(value: JsonValue, { message }: DescField): string {
  if (Array.isArray(value)) return "an array";
  if (isObject(value)) return "an object";
  if (typeof value !== "string") return String(value);
  const isText = !message || messageForms[message.typeName] !== undefined;
  return isText ? quoted(value) : "a string";
}
