/** Checks the arguments of a tool call before a request is made of them. The API checks their values. */
import type { JsonObject } from "../client/operation.ts";

/** The most levels of objects and lists. No request of the API has as many. */
const maxDepth = 16;

/**
 * Returns what is wrong with a value, or undefined. Models misspell names, and the API would ignore an unknown name
 * within a body. A text that is not well formed has no form in a URL.
 */
export function argumentProblem(
  schema: JsonObject,
  value: unknown,
  path = "arguments",
  depth = 0,
): string | undefined {
  if (depth > maxDepth) return `${path} is nested more than ${maxDepth} levels deep`;
  if (typeof value === "string")
    return value.isWellFormed() ? misplaced(schema, "text", path) : `${path} is not valid Unicode`;
  if (typeof value !== "object" || value === null) return misplaced(schema, "value", path);
  if (Array.isArray(value)) {
    const items = (schema.items ?? {}) as JsonObject;
    return (
      misplaced(schema, "array", path) ??
      first(value, (item, index) => argumentProblem(items, item, `${path}[${index}]`, depth + 1))
    );
  }
  return (
    misplaced(schema, "object", path) ??
    first(Object.entries(value), ([name, inner]) => {
      const known = schemaOf(schema, name);
      const location = path === "arguments" ? name : `${path}.${name}`;
      return known
        ? argumentProblem(known, inner, location, depth + 1)
        : unknownName(schema, name, path);
    })
  );
}

/** Says that a value has another shape than the schema wants. `null` is no value, so it fits everywhere. */
function misplaced({ type }: JsonObject, shape: string, path: string): string | undefined {
  const isStructure = type === "object" || type === "array";
  if (type === undefined || type === shape) return undefined;
  if (!isStructure && shape !== "object" && shape !== "array") return undefined;
  const article = /^[aeiou]/.test(String(type)) ? "an" : "a";
  return `${path} must be ${article} ${String(type)}`;
}

/** The schema of a member. Undefined if the object has no such member. */
function schemaOf({ properties, additionalProperties }: JsonObject, name: string) {
  const known = (properties ?? {}) as Record<string, JsonObject>;
  if (Object.hasOwn(known, name)) return known[name];
  if (additionalProperties === false) return undefined;
  return typeof additionalProperties === "object" ? (additionalProperties as JsonObject) : {};
}

function unknownName({ properties }: JsonObject, name: string, path: string): string {
  const known = Object.keys((properties ?? {}) as JsonObject).join(", ");
  const shown = JSON.stringify(name.slice(0, 64).toWellFormed());
  return `${path} has no member ${shown}; its members are: ${known || "none"}`;
}

function first<T>(items: T[], find: (item: T, index: number) => string | undefined) {
  for (const [index, item] of items.entries()) {
    const problem = find(item, index);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
