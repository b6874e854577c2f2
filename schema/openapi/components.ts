/**
 * Moves parts that are the same in several operations to the components, so that the document contains them
 * once.
 */
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type OperationObject, type PathItem, ref } from "./form.ts";
import { idempotencyKeyParameter } from "./idempotency.ts";

/** A part, and its preferred name. */
type Part = { name: string; value: JsonObject };

/** The number of uses that turns a part into a component. */
const minUses = 2;

/**
 * Moves parts that several operations share to the components, in place. Parameters have their names followed
 * by `Parameter`, because generators of clients turn them into types, as they do with schemas. Responses are
 * named by `nameOf`. If several parts prefer the same name, the part with the most uses gets it.
 */
export function moveToComponents(
  paths: Record<string, PathItem>,
  nameOf: (answer: JsonObject, status: string) => string,
): { parameters: JsonObject; responses: JsonObject } {
  const operations = Object.values(paths).flatMap(operationsOf);
  const parameters = chooseNames(
    operations.flatMap(({ parameters = [] }) => parameters.filter(isShared).map(toParameter)),
  );
  const responses = chooseNames(
    operations.flatMap(({ responses }) =>
      Object.entries(responses)
        .filter(([status]) => status !== "200")
        .map(([status, value]) => ({ name: nameOf(value, status), value })),
    ),
  );
  for (const operation of operations) {
    if (operation.parameters) {
      operation.parameters = operation.parameters.map((parameter) => {
        const name = parameters.get(JSON.stringify(parameter));
        return name ? ref("parameters", name) : parameter;
      });
    }
    operation.responses = Object.fromEntries(
      Object.entries(operation.responses).map(([status, response]) => {
        const name = responses.get(JSON.stringify(response));
        return [status, name ? ref("responses", name) : response];
      }),
    );
  }
  return { parameters: asComponents(parameters), responses: asComponents(responses) };
}

/** SCIM has a header of its own with the same name in lowercase. */
const isShared = ({ in: location, name }: JsonObject) =>
  location === "query" ||
  name === idempotencyKeyParameter.name ||
  (location === "header" && String(name).startsWith("If-"));

const toParameter = (value: JsonObject): Part => ({
  name: `${String(value.name).replaceAll("-", "")}Parameter`,
  value,
});

/** Returns the operations of a path. */
export const operationsOf = ({ servers: _, ...verbs }: PathItem): OperationObject[] =>
  Object.values(verbs as Record<string, OperationObject>);

/** Returns names by JSON text, with one part for each name. */
function chooseNames(parts: Part[]): Map<string, string> {
  const counts = new Map<string, { name: string; times: number }>();
  for (const { name, value } of parts) {
    const text = JSON.stringify(value);
    const known = counts.get(text) ?? { name, times: 0 };
    known.times += 1;
    counts.set(text, known);
  }
  const most = [...counts].sort(([, a], [, b]) => b.times - a.times);
  const taken = new Set<string>();
  const names = new Map<string, string>();
  for (const [text, { name, times }] of most) {
    if (times < minUses || taken.has(name)) continue;
    taken.add(name);
    names.set(text, name);
  }
  return names;
}

const asComponents = (names: Map<string, string>): JsonObject =>
  Object.fromEntries(
    [...names]
      .sort(([, a], [, b]) => (a < b ? -1 : 1))
      .map(([text, name]) => [name, JSON.parse(text) as JsonValue]),
  );
