/** Parameters of the path and the query of an operation. */
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { commentOf } from "../describe/protos.ts";
import { FieldBehavior } from "../gen/google/api/field_behavior_pb.js";
import type { Parameter, Schema } from "./form.ts";
import { behaves, type Messages } from "./messages.ts";

/** A variable of a path: the field that it fills, and whether slashes are part of it. */
export type Variable = { path: string[]; name: string; hasSlashes: boolean };

/** The variables of a path of the protos, in order; `name` as in JSON. */
export const variablesOf = (message: DescMessage, path: string): Variable[] =>
  [...path.matchAll(/\{([^}=]+)(?:=([^}]*))?\}/g)].map(([, dotted = "", shape = "*"]) => {
    const steps = dotted.split(".");
    return { path: steps, name: fieldAt(message, steps).jsonName, hasSlashes: shape === "**" };
  });

/** The field at a path of names. Throws if there is none. */
export function fieldAt(message: DescMessage, [name, ...rest]: string[]): DescField {
  const field = message.fields.find((one) => one.name === name);
  if (!field) throw new Error(`${message.typeName} has no field ${name}`);
  return rest.length > 0 && field.fieldKind === "message" ? fieldAt(field.message, rest) : field;
}

/** What is said of every variable that takes slashes. */
const slashes = "Slashes stand as they are, or percent-encoded as `%2F`.";

const uidForm = "^[0-9a-f]{40}(/[0-9a-f]{16})*$";

/** A path parameter. `called` is its name in the document, where paths share one. */
export function pathParameter(
  message: DescMessage,
  { path, hasSlashes }: Variable,
  called: string,
  messages: Messages,
): Parameter {
  const field = fieldAt(message, path);
  const [resource = ""] = path;
  const isWithin = path.length > 1;
  const text = isWithin
    ? `The uid of the ${resource.replaceAll("_", " ")}.`
    : messages.told(commentOf(field));
  const schema = { ...messages.value(field, "body") };
  // The uid of a resource to change is the server's to set, so that no rule stands beside it.
  if (isWithin && schema.pattern === undefined) schema.pattern = uidForm;
  return {
    name: called,
    in: "path",
    required: true,
    description: hasSlashes ? `${text} ${slashes}`.trim() : text,
    schema,
  };
}

/**
 * The query parameters of a request: the fields that stand neither in the path nor in the body, and
 * nested ones by dotted names. `unsayable` are fields that no query has words for: lists of messages.
 */
export function queryParameters(
  message: DescMessage,
  taken: readonly string[],
  messages: Messages,
): { parameters: Parameter[]; unsayable: DescField[] } {
  const parameters: Parameter[] = [];
  const unsayable: DescField[] = [];
  const walk = (fields: readonly DescField[], prefix: string) => {
    for (const field of fields) {
      const isNested = field.fieldKind === "message" && !isPlain(field.message);
      if (isNested) walk(field.message.fields, `${prefix}${field.jsonName}.`);
      else if (field.fieldKind === "map" || (field.fieldKind === "list" && isOfMessages(field))) {
        unsayable.push(field);
      } else parameters.push(queryParameter(field, prefix, messages));
    }
  };
  walk(
    message.fields.filter(({ name }) => !taken.includes(name)),
    "",
  );
  return { parameters, unsayable };
}

const isPlain = ({ typeName }: DescMessage) => typeName.startsWith("google.protobuf.");

const isOfMessages = (field: DescField) => field.message !== undefined && !isPlain(field.message);

/** Page size where none is asked for (AIP-158). */
const defaultPageSize = 50;

function queryParameter(field: DescField, prefix: string, messages: Messages): Parameter {
  const schema: Schema = { ...messages.value(field, "body") };
  if (field.name === "page_size" && schema.maximum !== undefined) schema.default = defaultPageSize;
  const isList = field.fieldKind === "list";
  const isMask = field.message?.typeName === "google.protobuf.FieldMask";
  return {
    name: `${prefix}${field.jsonName}`,
    in: "query",
    description: isMask ? maskText : messages.told(commentOf(field)),
    ...(behaves(field, FieldBehavior.REQUIRED) ? { required: true } : {}),
    ...(field.proto.options?.deprecated ? { deprecated: true } : {}),
    ...(isList ? { style: "form", explode: true } : {}),
    schema,
    ...(isMask ? { example: "description" } : {}),
  };
}

/** What google.protobuf.FieldMask is in a query (AIP-134). */
const maskText =
  "The fields to change, separated by commas and nested with dots. What it does not name is ignored; " +
  "`*` replaces everything that a client may set. Without it the keys of the body are changed, and a " +
  "key sent empty clears its field.";
