/** Parts that stand alike in several operations become components, so that they are written once. */
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type OperationObject, type PathItem, ref } from "./form.ts";

/** A part, and the name that it would like. */
type Part = { name: string; value: JsonObject };

/** How often a part has to stand somewhere to become a component. */
const minUses = 2;

/**
 * Takes what several operations share out of them, in place: parameters by their names with `Parameter`
 * behind, since generators of clients make types of them as of schemas; answers by `nameOf`. Of parts that would like the same name the one that is there most often gets it.
 */
export function moveToComponents(
  paths: Record<string, PathItem>,
  nameOf: (answer: JsonObject, status: string) => string,
): { parameters: JsonObject; responses: JsonObject } {
  const operations = Object.values(paths).flatMap(operationsOf);
  const parameters = chooseNames(
    operations.flatMap(({ parameters = [] }) =>
      parameters.filter(({ in: place }) => place === "query").map(toParameter),
    ),
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
      operation.parameters = operation.parameters.map((one) => {
        const name = parameters.get(JSON.stringify(one));
        return name ? ref("parameters", name) : one;
      });
    }
    operation.responses = Object.fromEntries(
      Object.entries(operation.responses).map(([status, one]) => {
        const name = responses.get(JSON.stringify(one));
        return [status, name ? ref("responses", name) : one];
      }),
    );
  }
  return { parameters: asComponents(parameters), responses: asComponents(responses) };
}

const toParameter = (value: JsonObject): Part => ({ name: `${value.name}Parameter`, value });

/** The operations of a path. */
export const operationsOf = ({ servers: _, ...verbs }: PathItem): OperationObject[] =>
  Object.values(verbs as Record<string, OperationObject>);

/** Names by JSON text: one part for each name. */
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
