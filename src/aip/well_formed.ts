/**
 * Repairs texts before they leave the platform. Half of a surrogate pair must not make a response, an event
 * or a list fail. Such halves were stored before text.ts refused them, or come from a text that the platform
 * cut.
 */
import { type DescMessage, fromJson, type JsonValue, type MessageShape } from "@bufbuild/protobuf";

/**
 * Returns the value with U+FFFD in place of each half of a surrogate pair. Returns the same object if there
 * is none.
 */
export function toWellFormed<Value>(value: Value): Value {
  return isWellFormed(value) ? value : (convert(value) as Value);
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return true;
  if (Array.isArray(value)) return value.every(isWellFormed);
  for (const key of Object.keys(value)) {
    if (!key.isWellFormed() || !isWellFormed((value as Record<string, unknown>)[key])) return false;
  }
  return true;
}

function convert(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return value.map(convert);
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key.toWellFormed(), convert(member)]),
  );
}

/**
 * Reads a message from stored JSON, with U+FFFD in place of halves of surrogate pairs, which protobuf
 * refuses. Members that the message does not have, or no longer has, are left out.
 */
export const messageFromStored = <Desc extends DescMessage>(
  desc: Desc,
  stored: unknown,
): MessageShape<Desc> =>
  fromJson(desc, toWellFormed(stored) as JsonValue, { ignoreUnknownFields: true });

/** Cuts the text to a length without splitting a surrogate pair. */
export const truncate = (text: string, length: number): string =>
  text.length <= length || text.slice(0, length).isWellFormed()
    ? text.slice(0, length)
    : text.slice(0, length - 1);
