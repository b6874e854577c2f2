/**
 * Writes responses as proto JSON in the form that the contract requires (contract: zero values, timestamps).
 */
import {
  type DescField,
  type DescMessage,
  isFieldSet,
  type JsonObject,
  type JsonValue,
  type Message,
  ScalarType,
  toJson,
} from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { type Timestamp, TimestampSchema, timestampMs } from "@bufbuild/protobuf/wkt";
import { toBase64 } from "./base64.ts";
import { timeText } from "./time_text.ts";
import { toWellFormed } from "./well_formed.ts";

export const isObject = (json: JsonValue | undefined): json is JsonObject =>
  typeof json === "object" && json !== null && !Array.isArray(json);

const timestampText = (timestamp: Timestamp) => timeText(timestampMs(timestamp));

/** The values of a message by the names that its fields have in code. */
type Values = Record<string, unknown>;

type ToJson = (value: never) => JsonValue;

/** Writes one field of a response. */
interface FieldWriter {
  key: string;
  /** Returns the value to show, or undefined to leave the field out. */
  read(values: Values): unknown;
  write: ToJson;
}

/** Creates the writer of a message type once, because a response contains many messages of one type. */
const writers = new WeakMap<DescMessage, ToJson>();

/**
 * Returns the message as JSON. Numbers and booleans appear even if they are zero or false. Empty strings,
 * lists and maps, unset messages, unspecified enums and unset `optional` fields are left out.
 */
export const toResponseJson = (desc: DescMessage, message: Message): JsonValue =>
  // A writer receives values of its own message type. Only the descriptor knows that type.
  writerOf(desc)(message as never);

function writerOf(desc: DescMessage): ToJson {
  const known = writers.get(desc);
  if (known) return known;
  const writer = newWriter(desc);
  writers.set(desc, writer);
  return writer;
}

function newWriter(desc: DescMessage): ToJson {
  if (desc.typeName === TimestampSchema.typeName) return timestampText;
  if (isWellKnown(desc)) return (message: Message) => toWellFormed(toJson(desc, message));
  let columns: FieldWriter[] | undefined;
  return (message: Values) => {
    // Created with the first message, because a message can contain fields of its own type.
    columns ??= desc.fields.map(newFieldWriter);
    const json: Record<string, JsonValue> = {};
    for (const { key, read, write } of columns) {
      const value = read(message);
      // The writer of a column receives the values that its reader returns.
      if (value !== undefined) json[key] = write(value as never);
    }
    return json;
  };
}

const isWellKnown = (desc: DescMessage) => desc.typeName.startsWith("google.protobuf.");

function newFieldWriter(field: DescField): FieldWriter {
  return { key: field.jsonName, read: readerOf(field), write: fieldWriter(field) };
}

function readerOf(field: DescField): FieldWriter["read"] {
  const { localName } = field;
  if (isPlainValueInCode(field)) {
    return (values) => {
      // The message itself, read by the names of its fields, contains the values.
      const message = reflect(field.parent, values as unknown as Message);
      return message.isSet(field) ? message.get(field) : undefined;
    };
  }
  if (field.oneof) {
    const { localName: group } = field.oneof;
    return (values) => {
      const chosen = values[group] as { case: string | undefined; value?: unknown };
      return chosen.case === localName ? chosen.value : undefined;
    };
  }
  if (isShownWhenZero(field)) return (values) => values[localName];
  return (values) =>
    isFieldSet(values as unknown as Message, field) ? values[localName] : undefined;
}

/** In code, wrappers and Struct are plain values. Only reflection turns them into messages. */
const isPlainValueInCode = ({ message }: DescField) =>
  message !== undefined && isWellKnown(message) && message.typeName !== TimestampSchema.typeName;

function isShownWhenZero(field: DescField): boolean {
  if (field.fieldKind !== "scalar" || field.oneof || field.proto.proto3Optional) return false;
  return field.scalar !== ScalarType.STRING && field.scalar !== ScalarType.BYTES;
}

function fieldWriter(field: DescField): ToJson {
  switch (field.fieldKind) {
    case "list": {
      const write = itemWriter(field, field.listKind);
      return (items: Iterable<never>) => Array.from(items, write);
    }
    case "map": {
      const write = itemWriter(field, field.mapKind);
      return (items: Record<string, never> | Iterable<[unknown, never]>) => {
        const entries =
          Symbol.iterator in items
            ? [...(items as Iterable<[unknown, never]>)]
            : Object.entries(items);
        return Object.fromEntries(
          entries.map(([key, item]) => [String(key).toWellFormed(), write(item)]),
        );
      };
    }
    default:
      return itemWriter(field, field.fieldKind);
  }
}

function itemWriter(field: DescField, kind: "message" | "enum" | "scalar"): ToJson {
  if (kind === "message" && field.message) {
    const write = writerOf(field.message);
    // Reflection returns its own wrapper around the value.
    return isPlainValueInCode(field)
      ? ({ message }: ReflectMessage) => write(message as never)
      : write;
  }
  if (kind === "enum" && field.enum) {
    // In reverse order, so that the first of several names for a number wins.
    const values = field.enum.values.toReversed();
    const names = new Map(values.map(({ number, name }) => [number, name]));
    return (number: number) => names.get(number) ?? number;
  }
  return (value: unknown) => scalarJson(field.scalar ?? ScalarType.STRING, value);
}

function scalarJson(type: ScalarType, value: unknown): JsonValue {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Uint8Array) return toBase64(value);
  if (type === ScalarType.DOUBLE || type === ScalarType.FLOAT) {
    return Number.isFinite(value) ? (value as number) : String(value);
  }
  return value as number | boolean;
}
