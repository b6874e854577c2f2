/** Answers in proto JSON, with the contract's habits (contract: zero values, timestamps). */
import {
  type DescField,
  type DescMessage,
  getOption,
  type JsonValue,
  type Message,
  ScalarType,
  toJson,
} from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { type Timestamp, TimestampSchema, timestampMs } from "@bufbuild/protobuf/wkt";
import { base64url } from "jose";
import { url_safe } from "../../schema/gen/platform/annotations/v1/annotations_pb.js";
import { toBase64 } from "./base64.ts";

/** RFC 3339, UTC, always with milliseconds. */
const timestampText = (timestamp: Timestamp) => new Date(timestampMs(timestamp)).toISOString();

/**
 * The message as JSON: numbers and booleans are shown even when zero; empty strings, lists, maps,
 * unset messages, unspecified enums and unset `optional` fields are left out.
 */
export function toAnswer(desc: DescMessage, message: Message): JsonValue {
  return messageJson(desc, reflect(desc, message));
}

function messageJson(desc: DescMessage, message: ReflectMessage): JsonValue {
  if (desc.typeName === TimestampSchema.typeName)
    return timestampText(message.message as Timestamp);
  if (desc.typeName.startsWith("google.protobuf.")) return toJson(desc, message.message);
  const json: Record<string, JsonValue> = {};
  for (const field of desc.fields) {
    const shown = message.isSet(field) || isShownWhenZero(field);
    if (shown) json[field.jsonName] = fieldJson(field, message);
  }
  return json;
}

function isShownWhenZero(field: DescField): boolean {
  if (field.fieldKind !== "scalar" || field.oneof || field.proto.proto3Optional) return false;
  return field.scalar !== ScalarType.STRING && field.scalar !== ScalarType.BYTES;
}

function fieldJson(field: DescField, message: ReflectMessage): JsonValue {
  switch (field.fieldKind) {
    case "message":
      return messageJson(field.message, message.get(field));
    case "enum":
      return enumJson(field.enum.values, message.get(field));
    case "scalar":
      if (field.scalar === ScalarType.BYTES && getOption(field, url_safe)) {
        return base64url.encode(message.get(field) as Uint8Array);
      }
      return scalarJson(field.scalar, message.get(field));
    case "list":
      return [...message.get(field)].map((item) => itemJson(field, item));
    case "map":
      return Object.fromEntries(
        [...message.get(field)].map(([key, item]) => [String(key), itemJson(field, item)]),
      );
  }
}

function itemJson(field: DescField & { fieldKind: "list" | "map" }, item: unknown): JsonValue {
  const kind = field.fieldKind === "list" ? field.listKind : field.mapKind;
  if (kind === "message" && field.message)
    return messageJson(field.message, item as ReflectMessage);
  if (kind === "enum" && field.enum) return enumJson(field.enum.values, item as number);
  return scalarJson(field.scalar ?? ScalarType.STRING, item);
}

const enumJson = (values: readonly { number: number; name: string }[], number: number): JsonValue =>
  values.find((value) => value.number === number)?.name ?? number;

function scalarJson(type: ScalarType, value: unknown): JsonValue {
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Uint8Array) return toBase64(value);
  if (type === ScalarType.DOUBLE || type === ScalarType.FLOAT) {
    return Number.isFinite(value) ? (value as number) : String(value);
  }
  return value as string | number | boolean;
}
