/** Reading members of a JSON document so that a refusal tells their place, `packages[3].name`. */
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { invalidArgument } from "../../aip/errors.ts";
import { isObject } from "../../aip/json.ts";

/** An object of a document and where it stands; the path of the document itself is empty. */
export interface JsonPlace {
  readonly object: JsonObject;
  readonly path: string;
}

/** A place whose path is made when it is asked for: a document has many, and one refusal. */
class ItemPlace implements JsonPlace {
  readonly object: JsonObject;
  readonly #around: JsonPlace;
  readonly #key: string;
  readonly #index: number | undefined;

  constructor(object: JsonObject, around: JsonPlace, key: string, index?: number) {
    this.object = object;
    this.#around = around;
    this.#key = key;
    this.#index = index;
  }

  get path(): string {
    const path = pathOf(this.#around, this.#key);
    return this.#index === undefined ? path : `${path}[${this.#index}]`;
  }
}

/** INVALID_ARGUMENT for what stands at a path. */
export const invalidContent = (path: string, what: string) =>
  invalidArgument("content", `content: ${path === "" ? "the document" : path} ${what}`);

const pathOf = ({ path }: JsonPlace, key: string) => (path === "" ? key : `${path}.${key}`);

/** The document as a place. */
export function documentPlace(value: JsonValue): JsonPlace {
  if (!isObject(value)) throw invalidContent("", "is not a JSON object");
  return { object: value, path: "" };
}

/** The member's value; undefined where it is missing or null. */
const memberOf = ({ object }: JsonPlace, key: string): JsonValue | undefined =>
  (Object.hasOwn(object, key) ? object[key] : undefined) ?? undefined;

/** The object of a member; an empty one where it is missing. */
export function objectAt(at: JsonPlace, key: string): JsonPlace {
  const value = memberOf(at, key) ?? {};
  if (!isObject(value)) throw invalidContent(pathOf(at, key), "is not a JSON object");
  return new ItemPlace(value, at, key);
}

/** The values of a list; none where it is missing. */
function listAt(at: JsonPlace, key: string): JsonValue[] {
  const list = memberOf(at, key) ?? [];
  if (!Array.isArray(list)) throw invalidContent(pathOf(at, key), "is not a list");
  return list;
}

/** The objects of a list; none where it is missing. */
export const objectsAt = (at: JsonPlace, key: string): JsonPlace[] =>
  listAt(at, key).map((value, index) => {
    if (!isObject(value))
      throw invalidContent(`${pathOf(at, key)}[${index}]`, "is not a JSON object");
    return new ItemPlace(value, at, key, index);
  });

/** The texts of a list; none where it is missing. */
export const textsAt = (at: JsonPlace, key: string): string[] =>
  listAt(at, key).map((value, index) => {
    if (typeof value !== "string")
      throw invalidContent(`${pathOf(at, key)}[${index}]`, "is not a text");
    return value;
  });

/** A text; empty where it is missing. */
export function textAt(at: JsonPlace, key: string): string {
  const value = memberOf(at, key) ?? "";
  if (typeof value !== "string") throw invalidContent(pathOf(at, key), "is not a text");
  return value;
}

/** A text that must be there. */
export function requiredTextAt(at: JsonPlace, key: string): string {
  const text = textAt(at, key);
  if (text === "") throw invalidContent(pathOf(at, key), "is missing");
  return text;
}

/** RFC 3339, and the years that a Timestamp has. */
const timePattern = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

/** A time in milliseconds since 1970 UTC; undefined where it is missing. */
export function timeAt(at: JsonPlace, key: string): number | undefined {
  const text = textAt(at, key);
  if (text === "") return undefined;
  const time = timePattern.test(text) ? Date.parse(text) : Number.NaN;
  if (!(time >= earliest && time <= latest))
    throw invalidContent(pathOf(at, key), "is not a time (RFC 3339)");
  return time;
}

const earliest = Date.parse("0001-01-01T00:00:00Z");
const latest = Date.parse("9999-12-31T23:59:59.999Z");
