/**
 * Reads signed JSON. Programs disagree about a member that an object has twice: some take the first one, and others the last
 * one. Signed JSON must mean the same to all of them, so such a document is refused.
 */
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isObject } from "../aip/json.ts";
import { SignatureError } from "./signature.ts";

/** Reads bytes in UTF-8 as JSON (RFC 8259). Throws SignatureError, also if an object has a member twice. */
export function readStrictJson(bytes: Uint8Array): JsonValue {
  let text: string;
  let json: JsonValue;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    json = JSON.parse(text);
  } catch {
    throw new SignatureError("it is not JSON");
  }
  if (hasDuplicate(text)) throw new SignatureError("a JSON object in it has a member twice");
  return json;
}

/** Whether an object of a JSON text has a member twice. The text must be JSON. */
function hasDuplicate(text: string): boolean {
  // The names of the members of each open object. Undefined for a list.
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === "{") open.push(new Set());
    else if (sign === "[") open.push(undefined);
    else if (sign === "}" || sign === "]") open.pop();
    if (sign !== '"') continue;
    const end = endOfText(text, at);
    const names = open.at(-1);
    if (names && isBeforeColon(text, end)) {
      const name = JSON.parse(text.slice(at, end + 1)) as string;
      if (names.has(name)) return true;
      names.add(name);
    }
    at = end;
  }
  return false;
}

/** The place of the quotation mark that ends the text which begins at `start`. */
function endOfText(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

function isBeforeColon(text: string, end: number): boolean {
  let at = end + 1;
  while (" \t\n\r".includes(text[at] ?? "x")) at += 1;
  return text[at] === ":";
}

/**
 * The members of a JSON object. Throws SignatureError if it is not an object, or if two names differ only in case: programs
 * in Go take one for the other.
 */
export function membersOf(json: JsonValue | undefined, what: string): JsonObject {
  if (!isObject(json)) throw new SignatureError(`${what} is not a JSON object`);
  const names = Object.keys(json);
  if (new Set(names.map(folded)).size < names.length)
    throw new SignatureError(`${what} has two members whose names differ only in case`);
  return json;
}

/** Some letters have a capital of two forms, such as the Kelvin sign. */
const folded = (name: string) => name.toUpperCase().toLowerCase();
