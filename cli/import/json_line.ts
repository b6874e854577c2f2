/** JSON objects from lines of bytes. */
import type { JsonObject } from "@bufbuild/protobuf";
import type { InputLine } from "./lines.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The object on a line, or what the line is instead. */
export function readLineObject({ bytes }: InputLine): { object: JsonObject } | { message: string } {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch (error) {
    if (error instanceof TypeError) return { message: "is not UTF-8 text" };
    return { message: `is not JSON: ${(error as Error).message}` };
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return { object: value as JsonObject };
  }
  return { message: "is not a JSON object" };
}

/** Bytes that an object takes in the list of a request, with the comma behind it. */
export const jsonLineBytes = (object: JsonObject): number =>
  Buffer.byteLength(JSON.stringify(object)) + 1;
