/**
 * Texts on their way out. Halves of surrogate pairs that were stored before text.ts refused them, or that we cut
 * ourselves, must not make an answer, an event or a list fail.
 */
import { type DescMessage, fromJson, type JsonValue, type MessageShape } from "@bufbuild/protobuf";

/** The value with U+FFFD for each half of a surrogate pair; the very same value where there is none. */
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
    Object.entries(value).map(([key, one]) => [key.toWellFormed(), convert(one)]),
  );
}

/**
 * The message whose JSON was stored, with U+FFFD for halves of surrogate pairs, which protobuf refuses. Members that the message does not have (any more) are left out.
 */
export const messageFromStored = <Desc extends DescMessage>(
  desc: Desc,
  stored: unknown,
): MessageShape<Desc> =>
  fromJson(desc, toWellFormed(stored) as JsonValue, { ignoreUnknownFields: true });

/** The text cut to a length without parting a surrogate pair. */
export const truncate = (text: string, length: number): string =>
  text.length <= length || text.slice(0, length).isWellFormed()
    ? text.slice(0, length)
    : text.slice(0, length - 1);
