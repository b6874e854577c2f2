/** The OpenAPI document, and a check whether a response of the platform matches it. */
import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { ContractRpc } from "../rpcs.ts";

/** The part that tests read. */
export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  parameters?: ({ $ref: string } | Parameter)[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, Answer | { $ref: string }>;
  security?: object[];
  "x-grpc"?: string;
  "x-capabilities"?: string[];
  "x-event"?: string;
}

interface Media {
  schema: object;
  examples?: Record<string, Example | { $ref: string }>;
}

interface Example {
  value: unknown;
}

/** The responses with one status. */
interface Answer {
  description: string;
  content?: Record<string, Media>;
}

interface Document {
  info: { description: string };
  security: object[];
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, object>>;
  tags: { name: string }[];
  "x-tagGroups": { name: string; tags: string[] }[];
}

export const file = new URL("../../../schema/gen/openapi.json", import.meta.url);
export const openapi: Document = JSON.parse(readFileSync(file, "utf8"));

/** An operation and its place. */
export interface DocumentedOperation {
  verb: string;
  path: string;
  operation: Operation;
}

const verbs = ["get", "post", "put", "patch", "delete"];

export const operations: DocumentedOperation[] = Object.entries(openapi.paths).flatMap(
  ([path, byVerb]) =>
    verbs.flatMap((verb) => {
      const operation = byVerb[verb];
      return operation ? [{ verb, path, operation }] : [];
    }),
);

/** The media type of most bodies and responses. */
export const jsonMediaType = "application/json";

/** The part of a parameter that tests read. */
export interface Parameter {
  name: string;
  in: string;
  description?: string;
  schema: object;
  example?: unknown;
}

/** The parameters of an operation, with the referenced ones. */
export const parametersOf = ({ operation }: DocumentedOperation): Parameter[] =>
  (operation.parameters ?? []).map((one) =>
    "$ref" in one ? (at(one.$ref.slice("#/".length).split("/")) as Parameter) : one,
  );

const shapeOf = (path: string) => path.replace(/\{[^}]*\}/g, "{}");

/** The operation of an RPC at its first rule. Throws if there is none. */
export function operationOf({
  verb,
  template,
  name,
}: Pick<ContractRpc, "verb" | "template" | "name">) {
  const found = operations.find(
    (one) => one.verb === verb.toLowerCase() && shapeOf(one.path) === shapeOf(template),
  );
  if (!found) throw new Error(`the document does not have ${name}`);
  return found;
}

const key = "openapi";
// A referenced schema is compiled once, and not again for each schema that refers to it.
const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false, inlineRefs: false });
formats.default(ajv);
ajv.addSchema(closed(openapi), key);

/** A copy whose objects have only the named members. */
function closed<T>(part: T): T {
  if (Array.isArray(part)) return part.map(closed) as T;
  if (typeof part !== "object" || part === null) return part;
  const copy = Object.fromEntries(Object.entries(part).map(([name, one]) => [name, closed(one)]));
  const isObject = copy.type === "object" && typeof copy.properties === "object";
  return (
    isObject && copy.additionalProperties === undefined
      ? { ...copy, additionalProperties: false }
      : copy
  ) as T;
}

const compiled = new Map<string, ValidateFunction>();

/** The violations of a value against the schema at a place in the document. Empty if there are none. */
export function schemaViolations(value: unknown, ...steps: string[]): string[] {
  const pointer = steps
    .map((step) => encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1")))
    .join("/");
  let validate = compiled.get(pointer);
  if (!validate) {
    validate = ajv.compile({ $ref: `${key}#/${pointer}` });
    compiled.set(pointer, validate);
  }
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

/** The keys that lead to an operation's description of a status. Undefined if there is none. */
function stepsTo(
  { path, verb, operation }: DocumentedOperation,
  status: number,
): string[] | undefined {
  const answer = operation.responses[status];
  if (!answer) return undefined;
  if ("$ref" in answer) return answer.$ref.slice("#/".length).split("/");
  return ["paths", path, verb, "responses", String(status)];
}

/** The value at the end of a path of keys. */
const at = (steps: string[]) =>
  steps.reduce<unknown>((part, step) => (part as Record<string, unknown>)?.[step], openapi);

/** The description of a status, and its place. */
export function answerOf(
  placed: DocumentedOperation,
  status: number,
): { steps: string[]; answer: Answer } {
  const steps = stepsTo(placed, status);
  if (!steps) throw new Error(`${placed.operation.operationId} does not describe ${status}`);
  return { steps, answer: at(steps) as Answer };
}

/** The violations of a response against the document's description of the operation. */
export function answerViolations(
  placed: DocumentedOperation,
  { status, headers, body }: { status: number; headers: Headers; body: unknown },
): string[] {
  const steps = stepsTo(placed, status);
  if (!steps) return [`${status} is not told: ${JSON.stringify(body)}`];
  const { content, description = "" } = at(steps) as Answer;
  if (body === undefined && description.startsWith("Success. The body is empty, unless")) return [];
  if (!content) return body === undefined ? [] : ["there is a body"];
  const [type = ""] = (headers.get("content-type") ?? "").split(";");
  if (!content[type]) return [`${type} is not told`];
  return schemaViolations(body, ...steps, "content", type, "schema");
}

/** The examples of a response or a body by their names, with the referenced ones. */
export const examplesOf = ({ examples = {} }: Media): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(examples).map(([name, one]) => {
      const { value } = ("$ref" in one ? at(one.$ref.slice(2).split("/")) : one) as Example;
      return [name, value];
    }),
  );
