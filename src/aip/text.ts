/**
 * Checks the texts that the platform accepts as input. Half of a surrogate pair has no UTF-8 encoding
 * (Unicode 16, section 3.8), so protobuf and most other readers reject it. NUL ends a text inside SQLite
 * (https://sqlite.org/nulinstr.html). An error names the field that contains one of them. well_formed.ts
 * replaces halves that are already stored.
 */
import type { DescMessage, JsonValue } from "@bufbuild/protobuf";
import { invalidArgument } from "./errors.ts";
import { findField } from "./field_mask.ts";

/** A part of the input that is refused: its path, and a predicate that says what is wrong with it. */
export interface TextViolation {
  /** Such as `records[0].summary` or `labels["a b"]`. Empty for the value itself. */
  path: string;
  description: string;
}

/**
 * The deepest nesting of lists and objects that is accepted. protobuf accepts less, and an SBOM has up to
 * 130.
 */
const maxDepth = 200;
/** The number of characters of a member's name that a path shows. */
const maxStepLength = 64;

/** Says what is wrong with a text. Returns undefined if the text is accepted. */
export function textViolation(text: string): string | undefined {
  if (!text.isWellFormed()) return "contains half of a surrogate pair, which is not valid Unicode";
  return text.includes("\0") ? "contains the character NUL (U+0000)" : undefined;
}

/**
 * Returns the first flaw of a value. The value is JSON, or a message of type `desc`, or its JSON. Names of
 * members are checked too. Lists and objects that are nested too deeply are a flaw.
 */
export const findTextViolation = (value: unknown, desc?: DescMessage): TextViolation | undefined =>
  searchValue(value, desc, "", 0);

function searchValue(
  value: unknown,
  desc: DescMessage | undefined,
  path: string,
  depth: number,
): TextViolation | undefined {
  if (typeof value === "string") {
    const description = textViolation(value);
    return description === undefined ? undefined : { path, description };
  }
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return undefined;
  if (depth > maxDepth) {
    // The whole path would be as long as the nesting is deep.
    const [outer = ""] = /^[^[]{0,200}/.exec(path) ?? [];
    return { path: outer, description: `is nested more than ${maxDepth} levels deep` };
  }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const flaw = searchValue(value[index], desc, `${path}[${index}]`, depth + 1);
      if (flaw) return flaw;
    }
    return undefined;
  }
  for (const key of Object.keys(value)) {
    const flaw = searchMember(value as Record<string, unknown>, key, desc, path, depth);
    if (flaw) return flaw;
  }
  return undefined;
}

function searchMember(
  value: Record<string, unknown>,
  key: string,
  desc: DescMessage | undefined,
  path: string,
  depth: number,
): TextViolation | undefined {
  const chosen = desc?.oneofs.find(({ localName }) => localName === key);
  if (chosen) {
    const { case: name, value: inner } = value[key] as { case?: string; value?: unknown };
    return name === undefined ? undefined : searchValue({ [name]: inner }, desc, path, depth);
  }
  const field = desc && findField(desc, key);
  const memberPath = field
    ? path === ""
      ? field.name
      : `${path}.${field.name}`
    : pathStep(path, key);
  const what = field ? undefined : textViolation(key);
  if (what !== undefined) return { path: memberPath, description: `has a name that ${what}` };
  const inner = field?.message?.typeName.startsWith("google.protobuf.")
    ? undefined
    : field?.message;
  if (field?.fieldKind !== "map") return searchValue(value[key], inner, memberPath, depth + 1);
  return searchMap(value[key], inner, memberPath, depth + 1);
}

function searchMap(
  value: unknown,
  desc: DescMessage | undefined,
  path: string,
  depth: number,
): TextViolation | undefined {
  if (typeof value !== "object" || value === null)
    return searchValue(value, undefined, path, depth);
  for (const [key, item] of Object.entries(value)) {
    const itemPath = `${path}[${JSON.stringify(key.slice(0, maxStepLength))}]`;
    const what = textViolation(key);
    if (what !== undefined) return { path: itemPath, description: `has a name that ${what}` };
    const flaw = searchValue(item, desc, itemPath, depth + 1);
    if (flaw) return flaw;
  }
  return undefined;
}

/** A name with other characters appears in brackets, as JSON, which escapes them. */
function pathStep(path: string, key: string): string {
  if (!/^[\w@$:/-]{1,64}$/.test(key))
    return `${path}[${JSON.stringify(key.slice(0, maxStepLength))}]`;
  return path === "" ? key : `${path}.${key}`;
}

/** Throws INVALID_ARGUMENT for the field if its text is not accepted. */
export function requireText(field: string, text: string): void {
  const what = textViolation(text);
  if (what !== undefined) throw invalidArgument(field, `${field} ${what}`);
}

/**
 * Throws INVALID_ARGUMENT for the first text of a message, or of its JSON, that is not accepted. The path in
 * the error is relative to the field `within`, as in an error of a rule.
 */
export function requireTexts(desc: DescMessage, value: unknown, within = ""): void {
  const flaw = findTextViolation(value, desc);
  if (!flaw) return;
  const { path, description } = flaw;
  const isWithin = within !== "" && path.startsWith(`${within}.`);
  const field = (isWithin ? path.slice(within.length + 1) : path) || "body";
  throw invalidArgument(field, `${field} ${description}`);
}

/**
 * Reads a JSON document from bytes in UTF-8. If the document is invalid, throws the error that `refusal`
 * creates from the place of the mistake (empty for the document itself) and a description.
 */
export function readJson(
  bytes: Uint8Array,
  refusal: (path: string, what: string) => Error,
): JsonValue {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw refusal("", "is not UTF-8");
  }
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // The message can quote text around the mistake, of any length.
    throw refusal("", `is not JSON: ${(error as Error).message.slice(0, 200)}`);
  }
  const flaw = findTextViolation(value);
  if (flaw) throw refusal(flaw.path, flaw.description);
  return value;
}
