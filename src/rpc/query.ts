/** The query string of a REST call as JSON of the request message. */
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
import { fieldOf } from "../aip/field_mask.ts";

/**
 * Reads keys in proto and JSON spelling, dotted for nested fields; enums by name or number;
 * repeated keys for repeated fields. Unknown keys are ignored. Throws INVALID_ARGUMENT naming the
 * key that has no readable value, or that is given twice for a field that takes one.
 */
export function queryJson(
  desc: DescMessage,
  pairs: [string, string][],
  raw: string,
): { json: JsonObject; mask?: string[] } {
  const json: JsonObject = {};
  let mask: string[] | undefined;
  for (const key of rawKeys(raw)) {
    if (!isDecodable(key)) throw invalidArgument("query", "the query is not percent-encoded UTF-8");
  }
  for (const [key, value] of pairs) {
    const found = follow(desc, key.split("."));
    if (!found) continue;
    const { field, path } = found;
    if (field.fieldKind === "message" && field.message.typeName === FieldMaskSchema.typeName) {
      if (mask) throw twice(key);
      mask = value === "" ? undefined : value.split(",").map((one) => one.trim());
      continue;
    }
    set(json, path, field, readValue(field, value, key), key);
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

const twice = (key: string) => invalidArgument(key, `${key} is given more than once`);

function follow(
  desc: DescMessage,
  steps: string[],
): { field: DescField; path: string[] } | undefined {
  const field = fieldOf(desc, steps[0] ?? "");
  if (!field) return undefined;
  if (steps.length === 1) return { field, path: [field.jsonName] };
  if (field.fieldKind !== "message") return undefined;
  const rest = follow(field.message, steps.slice(1));
  return rest && { field: rest.field, path: [field.jsonName, ...rest.path] };
}

function set(
  json: JsonObject,
  path: string[],
  field: DescField,
  value: JsonValue,
  key: string,
): void {
  const [first = "", ...rest] = path;
  if (rest.length > 0) {
    const inner = (json[first] ?? {}) as JsonObject;
    json[first] = inner;
    set(inner, rest, field, value, key);
  } else if (field.fieldKind === "list") {
    json[first] = [...((json[first] as JsonValue[] | undefined) ?? []), value];
  } else if (first in json) {
    throw twice(key);
  } else {
    json[first] = value;
  }
}

function readValue(field: DescField, text: string, key: string): JsonValue {
  const kind = field.fieldKind === "list" ? field.listKind : field.fieldKind;
  if (kind === "enum" && "enum" in field && field.enum) return readEnum(field.enum, text, key);
  if (kind === "scalar" && "scalar" in field && field.scalar)
    return readScalar(field.scalar, text, key);
  if (
    kind === "message" &&
    "message" in field &&
    field.message?.typeName.startsWith("google.protobuf.")
  ) {
    return text;
  }
  throw invalidArgument(key, `${key} cannot be given in a query`);
}

function readEnum(desc: DescEnum, text: string, key: string): JsonValue {
  const value = desc.values.find((one) => one.name === text || String(one.number) === text);
  if (value) return value.name;
  const names = desc.values.map((one) => one.name).join(", ");
  throw invalidArgument(key, `${key} must be one of ${names}`);
}

function readScalar(type: ScalarType, text: string, key: string): JsonValue {
  if (type === ScalarType.STRING || type === ScalarType.BYTES) return text;
  if (type === ScalarType.BOOL) {
    if (text === "true" || text === "false") return text === "true";
    throw invalidArgument(key, `${key} must be true or false`);
  }
  if (!/^-?\d{1,19}$/.test(text)) throw invalidArgument(key, `${key} must be an integer`);
  const isLong = type === ScalarType.INT64 || type === ScalarType.UINT64;
  if (!isLong && (Number(text) < -(2 ** 31) || Number(text) > 2 ** 31 - 1)) {
    throw invalidArgument(key, `${key} must be an integer of 32 bits`);
  }
  return isLong ? text : Number(text);
}
