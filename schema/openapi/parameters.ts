/** Parameters of the path and the query of an operation. */
import { type DescField, type DescMessage, getOption } from "@bufbuild/protobuf";
import { commentOf } from "../describe/protos.ts";
import { FieldBehavior } from "../gen/google/api/field_behavior_pb.js";
import { query_form } from "../gen/platform/annotations/v1/annotations_pb.js";
import { parameterExample } from "./examples.ts";
import type { Parameter, Schema } from "./form.ts";
import { hasBehavior, type Messages } from "./messages.ts";
import { rulesOf } from "./rules.ts";

/** A variable of a path: the field that it sets, and whether it can contain slashes. */
export type Variable = { path: string[]; name: string; hasSlashes: boolean };

/** Returns the variables of a path of the protos, in order. `name` is the JSON name. */
export const variablesOf = (message: DescMessage, path: string): Variable[] =>
  [...path.matchAll(/\{([^}=]+)(?:=([^}]*))?\}/g)].map(([, dotted = "", shape = "*"]) => {
    const steps = dotted.split(".");
    return { path: steps, name: fieldAt(message, steps).jsonName, hasSlashes: shape === "**" };
  });

/** Returns the field at a path of names. Throws an Error if there is none. */
function fieldAt(message: DescMessage, [name, ...rest]: string[]): DescField {
  const field = message.fields.find((candidate) => candidate.name === name);
  if (!field) throw new Error(`${message.typeName} has no field ${name}`);
  return rest.length > 0 && field.fieldKind === "message" ? fieldAt(field.message, rest) : field;
}

/** The description of every variable that can contain slashes. */
const slashes = "Write slashes as they are, or percent-encoded as `%2F`.";

const uidForm = "^[0-9a-f]{40}(/[0-9a-f]{16})*$";

/** Returns a path parameter. `name` is its name in the document, where several operations share a path. */
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
    ? `The uid of the ${resource.replaceAll("_", " ").replace(/^repo\b/, "repository")}.`
    : messages.withJsonNames(commentOf(field));
  const schema = { ...messages.value(field, "body") };
  // The server sets the uid of a resource, so the field of a resource to change has no rule of its own.
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
 * Returns the query parameters of a request: the fields that are neither in the path nor in the body. Nested
 * fields have dotted names. Throws an Error for a map, because a query cannot express one (src/rpc/query.ts).
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
      else if (field.fieldKind === "map")
        throw new Error(`${field} is a map, which a query cannot contain`);
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
 * Returns the schema of the items in a list of messages: the message as JSON, or the short text that the
 * proto allows. Each item is a string, because parameter styles do not support objects in lists (OpenAPI 3.1,
 * "Style Examples").
 */
function itemOfQuery(field: DescField, messages: Messages): Schema | undefined {
  if (field.fieldKind !== "list" || !field.message || isPlain(field.message)) return undefined;
  const form = getOption(field, query_form);
  if (form === "") {
    const contentSchema = messages.of(field.message, "body");
    return { type: "string", contentMediaType: "application/json", contentSchema };
  }
  // Other languages name groups in another way.
  return { type: "string", pattern: `^\\s*\\{|${form.replaceAll(/\(\?<\w+>/g, "(")}` };
}

/** Returns the sentence that follows the description of a list of messages. */
function textOfItems(field: DescField): string {
  const form = getOption(field, query_form);
  const fields = field.message?.fields.map(({ jsonName }) => `\`${jsonName}\``).join(", ");
  const formText = form === "" ? "" : ", or a text of the form `{repo}` or `{repo}:{tag}`";
  return ` Repeat the key for each item. An item is a JSON object with ${fields}${formText}.`;
}

/** The page size of a request without one (AIP-158). */
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

/** The description of a google.protobuf.FieldMask in a query (AIP-134). */
const maskText =
  "The fields to change, separated by commas. The path of a nested field has dots. The call ignores fields of the " +
  "body that are not in the mask. The mask `*` replaces every field that a client can set. Without a mask, the call " +
  "changes each field that is in the body, and an empty value clears the field.";
