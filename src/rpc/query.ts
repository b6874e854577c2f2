/** Reads the query string of a REST call as JSON of the request message. */
import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  ScalarType,
} from "@bufbuild/protobuf";
import { FieldMaskSchema } from "@bufbuild/protobuf/wkt";
import { invalidArgument } from "../aip/errors.ts";
import { findField } from "../aip/field_mask.ts";
import { quoted } from "../aip/quoted.ts";
import { type MessageList, readQueryMessage } from "./query_message.ts";

/**
 * Reads keys in proto and JSON spelling, with dots for nested fields. An enum can be a name or a number. A
 * repeated field takes the key several times, each time with JSON if its items are messages. Unknown keys are
 * ignored here (query_keys.ts refuses them in version 2). Throws INVALID_ARGUMENT for a key whose value is unreadable, or that appears twice for a field
 * that takes one value.
 */
export function queryJson(
  desc: DescMessage,
  pairs: [string, string][],
  raw: string,
): { json: JsonObject; mask?: string[] } {
  const json: JsonObject = {};
  let mask: string[] | undefined;
  for (const key of rawKeys(raw)) {
    if (!isDecodable(key))
      throw invalidArgument("query", "the query must be percent-encoded UTF-8");
  }
  for (const [key, value] of pairs) {
    const queryField = findQueryField(desc, key.split("."));
    if (!queryField) continue;
    const { field, name } = queryField;
    if (field.fieldKind === "message" && field.message.typeName === FieldMaskSchema.typeName) {
      if (mask) throw givenTwice(name);
      mask = value === "" ? undefined : value.split(",").map((path) => path.trim());
      continue;
    }
    putValue(json, queryField, value);
  }
  return mask ? { json, mask } : { json };
}

const rawKeys = (search: string) => search.replace(/^\?/, "").split("&");

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text.replaceAll("+", " "));
    return true;
  } catch {
    return false;
  }
}

const givenTwice = (name: string) =>
  invalidArgument(name, `${name} is given more than once; it takes one value`);

/**
 * The field that a key names. `path` contains the JSON names above it, and `name` is its path in the proto.
 */
interface QueryField {
  field: DescField;
  path: string[];
  name: string;
}

function findQueryField(desc: DescMessage, steps: string[]): QueryField | undefined {
  const field = findField(desc, steps[0] ?? "");
  if (!field) return undefined;
  if (steps.length === 1) return { field, path: [], name: field.name };
  if (field.fieldKind !== "message") return undefined;
  const rest = findQueryField(field.message, steps.slice(1));
  return (
    rest && { ...rest, path: [field.jsonName, ...rest.path], name: `${field.name}.${rest.name}` }
  );
}

/** Sets the field that the key names. In a list it becomes the last item. */
function putValue(json: JsonObject, { field, path, name }: QueryField, text: string): void {
  const parent = objectAt(json, path);
  if (field.fieldKind === "list") {
    const items = (parent[field.jsonName] ?? []) as JsonValue[];
    parent[field.jsonName] = items;
    const item = `${name}[${items.length}]`;
    items.push(
      isMessageList(field) ? readQueryMessage(field, text, item) : readValue(field, text, name),
    );
  } else {
    if (field.jsonName in parent) throw givenTwice(name);
    parent[field.jsonName] = readValue(field, text, name);
  }
}

/** The object at the end of the path. It is created if it does not exist. */
function objectAt(json: JsonObject, [first, ...rest]: string[]): JsonObject {
  if (first === undefined) return json;
  const inner = (json[first] ?? {}) as JsonObject;
  json[first] = inner;
  return objectAt(inner, rest);
}

const isWellKnown = ({ typeName }: DescMessage) => typeName.startsWith("google.protobuf.");

const isMessageList = (field: DescField): field is MessageList =>
  field.fieldKind === "list" && field.listKind === "message" && !isWellKnown(field.message);

function readValue(field: DescField, text: string, name: string): JsonValue {
  const kind = field.fieldKind === "list" ? field.listKind : field.fieldKind;
  if (kind === "enum" && "enum" in field && field.enum) return readEnum(field.enum, text, name);
  if (kind === "scalar" && "scalar" in field && field.scalar)
    return readScalar(field.scalar, text, name);
  if (kind === "message" && "message" in field && field.message && isWellKnown(field.message)) {
    return text;
  }
  throw invalidArgument(name, `${name} cannot be sent in a query`);
}

function readEnum(desc: DescEnum, text: string, name: string): JsonValue {
  const value = desc.values.find(
    (enumValue) => enumValue.name === text || String(enumValue.number) === text,
  );
  if (value) return value.name;
  const names = desc.values.map((enumValue) => enumValue.name).join(", ");
  throw invalidArgument(name, `${name} must be one of ${names}; you sent ${quoted(text)}`);
}

function readScalar(type: ScalarType, text: string, name: string): JsonValue {
  if (type === ScalarType.STRING || type === ScalarType.BYTES) return text;
  if (type === ScalarType.BOOL) {
    if (text === "true" || text === "false") return text === "true";
    throw invalidArgument(name, `${name} must be true or false; you sent ${quoted(text)}`);
  }
  if (!/^-?\d{1,19}$/.test(text)) {
    throw invalidArgument(name, `${name} must be an integer; you sent ${quoted(text)}`);
  }
  const isLong = type === ScalarType.INT64 || type === ScalarType.UINT64;
  if (!isLong && (Number(text) < -(2 ** 31) || Number(text) > 2 ** 31 - 1)) {
    throw invalidArgument(name, `${name} must be a 32-bit integer; you sent ${text}`);
  }
  return isLong ? text : Number(text);
}
