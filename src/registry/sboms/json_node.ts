/** Reads members of a JSON document. An error names the path of the member, such as `packages[3].name`. */
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { invalidArgument } from "../../aip/errors.ts";
import { isObject } from "../../aip/json.ts";

/** A node: an object of a document and its path. The path of the document itself is empty. */
export interface JsonNode {
  readonly object: JsonObject;
  readonly path: string;
}

/** A node whose path is built on demand: a document has many nodes, and at most one error. */
class MemberNode implements JsonNode {
  readonly object: JsonObject;
  readonly #around: JsonNode;
  readonly #key: string;
  readonly #index: number | undefined;

  constructor(object: JsonObject, around: JsonNode, key: string, index?: number) {
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

/** INVALID_ARGUMENT for the value at a path. */
export const invalidContent = (path: string, what: string) =>
  invalidArgument("content", `content: ${path === "" ? "the document" : path} ${what}`);

const pathOf = ({ path }: JsonNode, key: string) => (path === "" ? key : `${path}.${key}`);

/** The node of the document itself. */
export function rootNode(value: JsonValue): JsonNode {
  if (!isObject(value)) throw invalidContent("", "must be a JSON object");
  return { object: value, path: "" };
}

/** The value of the member. Undefined if it is absent or null. */
const memberOf = ({ object }: JsonNode, key: string): JsonValue | undefined =>
  (Object.hasOwn(object, key) ? object[key] : undefined) ?? undefined;

/** The object in a member. An empty object if it is absent. */
export function objectAt(node: JsonNode, key: string): JsonNode {
  const value = memberOf(node, key) ?? {};
  if (!isObject(value)) throw invalidContent(pathOf(node, key), "must be a JSON object");
  return new MemberNode(value, node, key);
}

/** The values of a list. Empty if it is absent. */
function listAt(node: JsonNode, key: string): JsonValue[] {
  const list = memberOf(node, key) ?? [];
  if (!Array.isArray(list)) throw invalidContent(pathOf(node, key), "must be a list");
  return list;
}

/** The objects of a list. Empty if it is absent. */
export const objectsAt = (node: JsonNode, key: string): JsonNode[] =>
  listAt(node, key).map((value, index) => {
    if (!isObject(value))
      throw invalidContent(`${pathOf(node, key)}[${index}]`, "must be a JSON object");
    return new MemberNode(value, node, key, index);
  });

/** The texts of a list. Empty if it is absent. */
export const textsAt = (node: JsonNode, key: string): string[] =>
  listAt(node, key).map((value, index) => {
    if (typeof value !== "string")
      throw invalidContent(`${pathOf(node, key)}[${index}]`, "must be a string");
    return value;
  });

/** The texts and objects of a list, or the only one without a list (JSON-LD). Empty if it is absent. */
export function valuesAt(node: JsonNode, key: string): (string | JsonNode)[] {
  const member = memberOf(node, key) ?? [];
  const list = Array.isArray(member) ? member : [member];
  return list.map((value, index) => {
    if (typeof value === "string") return value;
    const path = Array.isArray(member) ? `${pathOf(node, key)}[${index}]` : pathOf(node, key);
    if (!isObject(value)) throw invalidContent(path, "must be a string or a JSON object");
    return new MemberNode(value, node, key, Array.isArray(member) ? index : undefined);
  });
}

/** A text. Empty if it is absent. */
export function textAt(node: JsonNode, key: string): string {
  const value = memberOf(node, key) ?? "";
  if (typeof value !== "string") throw invalidContent(pathOf(node, key), "must be a string");
  return value;
}

/** A required text. */
export function requiredTextAt(node: JsonNode, key: string): string {
  const text = textAt(node, key);
  if (text === "") throw invalidContent(pathOf(node, key), "is required");
  return text;
}

/** RFC 3339, within the years of a Timestamp. */
const timePattern = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

/** A time in milliseconds since 1970 in UTC. Undefined if it is absent. */
export function timeAt(node: JsonNode, key: string): number | undefined {
  const text = textAt(node, key);
  if (text === "") return undefined;
  const time = timePattern.test(text) ? Date.parse(text) : Number.NaN;
  if (!(time >= earliest && time <= latest))
    throw invalidContent(
      pathOf(node, key),
      "must be a time in RFC 3339, such as 2026-01-31T12:00:00Z",
    );
  return time;
}

const earliest = Date.parse("0001-01-01T00:00:00Z");
const latest = Date.parse("9999-12-31T23:59:59.999Z");
