/** Requests with the longest texts and lists that their rules allow. */
import {
  type DescField,
  type DescMessage,
  getOption,
  hasOption,
  type JsonObject,
  type JsonValue,
  ScalarType,
} from "@bufbuild/protobuf";
import { field as fieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { patternOf } from "../../contract/requests.ts";

/** A field without a rule gets no more characters than this. */
const maxLength = 256 * 1024;

const rulesOf = (field: DescField) =>
  hasOption(field, fieldRules) ? getOption(field, fieldRules).type : undefined;

/** The most characters of a text. Undefined for one that has a form. */
function lengthOf(field: DescField): number | undefined {
  if (patternOf(field) !== undefined || /uid|^id$|parent|token|mask|url|email/.test(field.name))
    return undefined;
  const rules = rulesOf(field);
  if (rules?.case !== "string" || rules.value.wellKnown.case !== undefined) return undefined;
  return Math.min(Number(rules.value.maxLen), maxLength) || undefined;
}

/** The most items of a list of texts without a form. */
function itemsOf(field: DescField): number | undefined {
  const rules = rulesOf(field);
  if (field.fieldKind !== "list" || rules?.case !== "repeated") return undefined;
  if (field.listKind !== "scalar" || field.scalar !== ScalarType.STRING) return undefined;
  const { items, maxItems } = rules.value;
  const isPlain = items?.type.case === "string" && items.type.value.pattern === "";
  return isPlain ? Number(maxItems) || undefined : undefined;
}

/** The request with long texts, and also with long lists if `lists` is set. */
export function padded(desc: DescMessage, json: JsonObject, lists: boolean): JsonObject {
  const entries = desc.fields.map((field): [string, JsonValue | undefined] => {
    const value = json[field.jsonName];
    const length = lengthOf(field);
    if (field.fieldKind === "scalar" && length !== undefined)
      return [field.jsonName, String(value ?? "").padEnd(length, "x")];
    const items = lists ? itemsOf(field) : undefined;
    if (items !== undefined)
      return [field.jsonName, Array.from({ length: items }, (_, at) => `x${at}`)];
    const isMessage = typeof value === "object" && value !== null && !Array.isArray(value);
    if (field.fieldKind === "message" && isMessage && !/^google\./.test(field.message.typeName))
      return [field.jsonName, padded(field.message, value as JsonObject, lists)];
    return [field.jsonName, value];
  });
  const present = entries.filter((entry): entry is [string, JsonValue] => entry[1] !== undefined);
  return { ...json, ...Object.fromEntries(present) };
}
