/** Removes fields from the JSON of a request that its message does not have. */
import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { invalidArgument } from "../aip/errors.ts";
import { findField } from "../aip/field_mask.ts";
import { isObject } from "../aip/json.ts";

/** The JSON without unknown keys, which are ignored (contract: query, body). */
export function dropUnknownFields(desc: DescMessage, json: JsonValue): JsonValue {
  if (desc.typeName.startsWith("google.protobuf.")) return json;
  if (!isObject(json)) return json;
  const kept: JsonObject = {};
  for (const [key, value] of Object.entries(json)) {
    const field = findField(desc, key);
    if (!field) continue;
    if (field.jsonName in kept) {
      const { name, jsonName } = field;
      throw invalidArgument(
        name,
        `${name} is given twice, as ${name} and as ${jsonName}; send one`,
      );
    }
    kept[field.jsonName] = dropUnknownIn(field, value);
  }
  return kept;
}

/** The same for the value of a field. */
export function dropUnknownIn(field: DescField, value: JsonValue): JsonValue {
  if (!("message" in field) || !field.message) return value;
  const { message } = field;
  if (field.fieldKind === "message") return dropUnknownFields(message, value);
  if (field.fieldKind === "list" && Array.isArray(value))
    return value.map((item) => dropUnknownFields(message, item));
  if (field.fieldKind === "map" && typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, dropUnknownFields(message, item)]),
    );
  }
  return value;
}
