/**
 * Checks every request before it is read: its text must be well-formed Unicode, and its nesting not too deep.
 */
import { badRequest } from "./errors.ts";
import { scimLimits } from "./limits.ts";
import { isScimObject, type Values } from "./values.ts";

const notWellFormed = (name: string) =>
  badRequest("invalidValue", `${name} must be well-formed Unicode`);

/** Throws 400 invalidValue for the attribute if a text contains half of a surrogate pair. */
export function checkText(name: string, text: string): void {
  if (!text.isWellFormed()) throw notWellFormed(name);
}

/**
 * Throws 400 invalidSyntax if the JSON of a body is nested too deeply. Throws 400 invalidValue for the
 * attribute if one of its texts or names contains half of a surrogate pair.
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
    for (const item of value) checkBody(item, name, depth + 1);
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    checkText(`a name in ${name || "the body"}`, key);
    checkBody(member, nameOf(name, key, value as Values), depth + 1);
  }
}

const isNamed = (name: string, lower: string) =>
  name.length === lower.length && name.toLowerCase() === lower;

/** The error names the value of an operation by the operation's path, or by the names in the value. */
function nameOf(parent: string, key: string, holder: Values): string {
  // A name can be as long as the body, so its case is not folded for each of its members.
  if (!isNamed(parent, "operations") || !isNamed(key, "value")) {
    return parent === "" ? key : `${parent}.${key}`;
  }
  const path = Object.entries(holder).find(([name]) => isNamed(name, "path"))?.[1];
  if (typeof path === "string") return path;
  return isScimObject(holder[key]) ? "" : "value";
}

/**
 * Throws 400 invalidValue for the parameter if a query is not UTF-8 with percent-encoding. `URLSearchParams`
 * would silently replace such bytes.
 */
export function checkQuery(url: URL): void {
  for (const pair of url.search.slice(1).split("&")) {
    if (decodeText(pair) === undefined) throw notWellFormed(pair.split("=")[0] ?? "");
  }
}

/**
 * The decoded text. Undefined if its percent-encoded bytes are not UTF-8. A % without digits stays a %, as in
 * `URLSearchParams`.
 */
function decodeText(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, "%25"));
  } catch {
    return undefined;
  }
}

/** A decoded segment of a path. Throws 400 invalidValue if it is not UTF-8 with percent-encoding. */
export function decodePathStep(name: string, step: string): string {
  const text = decodeText(step);
  if (text === undefined) throw notWellFormed(name);
  return text;
}
