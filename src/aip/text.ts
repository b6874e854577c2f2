/**
 * Which texts are accepted as input. Halves of surrogate pairs have no UTF-8 (Unicode 16, section 3.8), so neither
 * protobuf nor most other readers take them; NUL ends a text inside of SQLite (https://sqlite.org/nulinstr.html). Both are
 * refused by name. well_formed.ts replaces halves that are stored already when they are read.
 */
import type { DescMessage, JsonValue } from "@bufbuild/protobuf";
import { invalidArgument } from "./errors.ts";
import { findField } from "./field_mask.ts";

/** A part of the input that is refused: its path, and a predicate that states what is wrong with it. */
export interface TextViolation {
  /** `records[0].summary`, `labels["a b"]`; empty for the value itself. */
  path: string;
  description: string;
}

/** Deepest nesting of lists and objects: protobuf takes less of it, an SBOM has up to 130. */
const maxDepth = 200;
/** Characters of a member's name that a path shows. */
const maxStepLength = 64;

/** What is wrong with a text; undefined where it may come in. */
export function textViolation(text: string): string | undefined {
  if (!text.isWellFormed()) return "holds half of a surrogate pair, which is no Unicode";
  return text.includes("\0") ? "holds the character NUL" : undefined;
}

/**
 * The first flaw of a value: JSON, or a message or its JSON, where `desc` names it. Names of members are
 * texts too. Lists and objects that are nested too deep are a flaw.
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
    // Its whole path is as long as it is deep.
    const [outer = ""] = /^[^[]{0,200}/.exec(path) ?? [];
    return { path: outer, description: `is nested deeper than ${maxDepth} levels` };
  }
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) {
      const flaw = searchValue(value[at], desc, `${path}[${at}]`, depth + 1);
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
  const at = field ? (path === "" ? field.name : `${path}.${field.name}`) : pathStep(path, key);
  const what = field ? undefined : textViolation(key);
  if (what !== undefined) return { path: at, description: `is a name that ${what}` };
  const inner = field?.message?.typeName.startsWith("google.protobuf.")
    ? undefined
    : field?.message;
  if (field?.fieldKind !== "map") return searchValue(value[key], inner, at, depth + 1);
  return searchMap(value[key], inner, at, depth + 1);
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
    const at = `${path}[${JSON.stringify(key.slice(0, maxStepLength))}]`;
    const what = textViolation(key);
    if (what !== undefined) return { path: at, description: `is a name that ${what}` };
    const flaw = searchValue(item, desc, at, depth + 1);
    if (flaw) return flaw;
  }
  return undefined;
}

/** A name with other characters stands in brackets, as JSON, which escapes them. */
function pathStep(path: string, key: string): string {
  if (!/^[\w@$:/-]{1,64}$/.test(key))
    return `${path}[${JSON.stringify(key.slice(0, maxStepLength))}]`;
  return path === "" ? key : `${path}.${key}`;
}

/** Throws INVALID_ARGUMENT naming the field where its text may not come in. */
export function requireText(field: string, text: string): void {
  const what = textViolation(text);
  if (what !== undefined) throw invalidArgument(field, `${field} ${what}`);
}

/**
 * Throws INVALID_ARGUMENT naming the first text of a message, or of its JSON, that may not come in. The path is
 * relative to the field `within`, as that of a broken rule is.
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
 * Reads a JSON document in UTF-8 that came as bytes. `refusal` makes the error of what is wrong with it: where that
 * stands, empty for the document, and what it is.
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
    // The message may quote the text around the mistake, of whatever length.
    throw refusal("", `is not JSON: ${(error as Error).message.slice(0, 200)}`);
  }
  const flaw = findTextViolation(value);
  if (flaw) throw refusal(flaw.path, flaw.description);
  return value;
}
