/** Parameters of the path and the query of an operation. */
import { type DescField, type DescMessage, getOption } from "@bufbuild/protobuf";
import { commentOf } from "../describe/protos.ts";
import { FieldBehavior } from "../gen/google/api/field_behavior_pb.js";
import { query_form } from "../gen/platform/annotations/v1/annotations_pb.js";
import { parameterExample } from "./examples.ts";
import type { Parameter, Schema } from "./form.ts";
import { hasBehavior, type Messages } from "./messages.ts";
import { rulesOf } from "./rules.ts";

/** A variable of a path: the field that it fills, and whether slashes are part of it. */
export type Variable = { path: string[]; name: string; hasSlashes: boolean };

/** The variables of a path of the protos, in order; `name` as in JSON. */
export const variablesOf = (message: DescMessage, path: string): Variable[] =>
  [...path.matchAll(/\{([^}=]+)(?:=([^}]*))?\}/g)].map(([, dotted = "", shape = "*"]) => {
    const steps = dotted.split(".");
    return { path: steps, name: fieldAt(message, steps).jsonName, hasSlashes: shape === "**" };
  });

/** The field at a path of names. Throws if there is none. */
function fieldAt(message: DescMessage, [name, ...rest]: string[]): DescField {
  const field = message.fields.find((one) => one.name === name);
  if (!field) throw new Error(`${message.typeName} has no field ${name}`);
  return rest.length > 0 && field.fieldKind === "message" ? fieldAt(field.message, rest) : field;
}

/** What is said of every variable that takes slashes. */
const slashes = "Slashes stand as they are, or percent-encoded as `%2F`.";

const uidForm = "^[0-9a-f]{40}(/[0-9a-f]{16})*$";

/** A path parameter. `name` is its name in the document, where paths share one. */
export function pathParameter(
  message: DescMessage,
  { path, hasSlashes }: Variable,
  name: string,
  messages: Messages,
): Parameter {
  const field = fieldAt(message, path);
  const [resource = ""] = path;
  const isWithin = path.length > 1;
  const text = isWithin
    ? `The uid of the ${resource.replaceAll("_", " ")}.`
    : messages.withJsonNames(commentOf(field));
  const schema = { ...messages.value(field, "body") };
  // The uid of a resource to change is the server's to set, so that no rule stands beside it.
  if (isWithin && schema.pattern === undefined) schema.pattern = uidForm;
  return {
    name,
    in: "path",
    required: true,
    description: hasSlashes ? `${text} ${slashes}`.trim() : text,
    schema,
  };
}

/**
 * The query parameters of a request: the fields that stand neither in the path nor in the body, and
 * nested ones by dotted names. Throws for a map, which no query has words for (src/rpc/query.ts).
 */
export function queryParameters(
  message: DescMessage,
  excluded: readonly string[],
  messages: Messages,
): Parameter[] {
  const parameters: Parameter[] = [];
  const walk = (fields: readonly DescField[], prefix: string) => {
    for (const field of fields) {
      const isNested = field.fieldKind === "message" && !isPlain(field.message);
      if (isNested) walk(field.message.fields, `${prefix}${field.jsonName}.`);
      else if (field.fieldKind === "map") throw new Error(`${field} cannot stand in a query`);
      else parameters.push(queryParameter(field, prefix, messages));
    }
  };
  walk(
    message.fields.filter(({ name }) => !excluded.includes(name)),
    "",
  );
  return parameters;
}

const isPlain = ({ typeName }: DescMessage) => typeName.startsWith("google.protobuf.");

/**
 * Items of a list of messages: JSON of the message, or the text of its own that the proto allows. As a
 * text for each item, since styles of parameters have no words for objects in lists (OpenAPI 3.1,
 * "Style Examples").
 */
function itemOfQuery(field: DescField, messages: Messages): Schema | undefined {
  if (field.fieldKind !== "list" || !field.message || isPlain(field.message)) return undefined;
  const form = getOption(field, query_form);
  if (form === "") {
    const contentSchema = messages.of(field.message, "body");
    return { type: "string", contentMediaType: "application/json", contentSchema };
  }
  // Groups are named otherwise in other languages.
  return { type: "string", pattern: `^\\s*\\{|${form.replaceAll(/\(\?<\w+>/g, "(")}` };
}

/** What is said of a list of messages, after its own text. */
function textOfItems(field: DescField): string {
  const form = getOption(field, query_form);
  const fields = field.message?.fields.map(({ jsonName }) => `\`${jsonName}\``).join(", ");
  const also = form === "" ? "" : "; or a text, `repo` or `repo:tag`";
  return ` Repeat the key for each: JSON of an object with ${fields}${also}.`;
}

/** Page size where none is asked for (AIP-158). */
const defaultPageSize = 50;

function queryParameter(field: DescField, prefix: string, messages: Messages): Parameter {
  const items = itemOfQuery(field, messages);
  const schema: Schema = {
    ...(items ? { type: "array", ...rulesOf(field), items } : messages.value(field, "body")),
  };
  if (field.name === "page_size" && schema.maximum !== undefined) schema.default = defaultPageSize;
  const isList = field.fieldKind === "list";
  const example = parameterExample(field.jsonName);
  const isMask = field.message?.typeName === "google.protobuf.FieldMask";
  return {
    name: `${prefix}${field.jsonName}`,
    in: "query",
    description: isMask
      ? maskText
      : `${messages.withJsonNames(commentOf(field))}${items ? textOfItems(field) : ""}`,
    ...(hasBehavior(field, FieldBehavior.REQUIRED) ? { required: true } : {}),
    ...(field.proto.options?.deprecated ? { deprecated: true } : {}),
    ...(isList ? { style: "form", explode: true } : {}),
    schema,
    ...(example === undefined ? {} : { example }),
  };
}

/** What google.protobuf.FieldMask is in a query (AIP-134). */
const maskText =
  "The fields to change, separated by commas and nested with dots. What it does not name is ignored; " +
  "`*` replaces everything that a client may set. Without it the keys of the body are changed, and a " +
  "key sent empty clears its field.";
