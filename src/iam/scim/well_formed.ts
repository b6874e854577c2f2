/** Checks of every request before it is read: text is well-formed Unicode, and nesting is not too deep. */
import { badRequest } from "./errors.ts";
import { scimLimits } from "./limits.ts";
import { isScimObject, type Values } from "./values.ts";

const notWellFormed = (name: string) =>
  badRequest("invalidValue", `${name} is not well-formed Unicode`);

/** Throws 400 invalidValue naming the attribute where a text has half of a surrogate pair. */
export function checkText(name: string, text: string): void {
  if (!text.isWellFormed()) throw notWellFormed(name);
}

/**
 * Throws 400 invalidSyntax where the JSON of a body is nested too deeply, and 400 invalidValue naming the
 * attribute where one of its texts or names has half of a surrogate pair.
 */
export function checkBody(value: unknown, name = "", depth = 1): void {
  if (typeof value === "string") checkText(name || "the body", value);
  if (typeof value !== "object" || value === null) return;
  if (depth > scimLimits.bodyDepth) {
    throw badRequest(
      "invalidSyntax",
      `the body is nested more than ${scimLimits.bodyDepth} levels deep`,
    );
  }
  if (Array.isArray(value)) {
    for (const one of value) checkBody(one, name, depth + 1);
    return;
  }
  for (const [key, one] of Object.entries(value)) {
    checkText(`a name in ${name || "the body"}`, key);
    checkBody(one, nameOf(name, key, value as Values), depth + 1);
  }
}

const isNamed = (name: string, lower: string) =>
  name.length === lower.length && name.toLowerCase() === lower;

/** The value of an operation is named by the path beside it, or by the names in it. */
function nameOf(parent: string, key: string, holder: Values): string {
  // A name can be as long as the body, so it is not folded for each of its members.
  if (!isNamed(parent, "operations") || !isNamed(key, "value")) {
    return parent === "" ? key : `${parent}.${key}`;
  }
  const path = Object.entries(holder).find(([name]) => isNamed(name, "path"))?.[1];
  if (typeof path === "string") return path;
  return isScimObject(holder[key]) ? "" : "value";
}

/**
 * Throws 400 invalidValue naming the parameter where a query is not percent-encoded UTF-8. `URLSearchParams`
 * would silently replace such bytes.
 */
export function checkQuery(url: URL): void {
  for (const pair of url.search.slice(1).split("&")) {
    if (decodeText(pair) === undefined) throw notWellFormed(pair.split("=")[0] ?? "");
  }
}

/**
 * The decoded text; undefined where its percent-encoded bytes are not UTF-8. A % alone stands for itself, as
 * in `URLSearchParams`.
 */
function decodeText(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, "%25"));
  } catch {
    return undefined;
  }
}

/** A step of a path, decoded. Throws 400 invalidValue where it is not percent-encoded UTF-8. */
export function decodePathStep(name: string, step: string): string {
  const text = decodeText(step);
  if (text === undefined) throw notWellFormed(name);
  return text;
}
