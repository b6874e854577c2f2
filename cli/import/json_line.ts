/** Reads JSON objects from lines of bytes. */
import type { JsonObject } from "@bufbuild/protobuf";
import type { InputLine } from "./lines.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Returns the object on a line, or a message that says why the line is not one. */
export function readLineObject({ bytes }: InputLine): { object: JsonObject } | { message: string } {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch (error) {
    if (error instanceof TypeError) return { message: "not UTF-8 text" };
    return { message: `not valid JSON: ${(error as Error).message}` };
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return { object: value as JsonObject };
  }
  return { message: "not a JSON object" };
}

/** Returns the bytes of an object in the list of a request, including the comma after it. */
export const jsonLineBytes = (object: JsonObject): number =>
  Buffer.byteLength(JSON.stringify(object)) + 1;
