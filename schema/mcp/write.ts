/**
 * Writes schema/gen/tools.json, the methods of version 2 as tools for language models (Model Context Protocol). The
 * option `platform.annotations.v1.mcp` of a method says what does not follow from its verb and its comment.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type DescField,
  type DescMethod,
  type FileRegistry,
  getOption,
  type JsonObject,
  type JsonValue,
} from "@bufbuild/protobuf";
import { commentOf, pathVariables, servicesOf } from "../describe/protos.ts";
import { FieldBehavior } from "../gen/google/api/field_behavior_pb.js";
import { mcp } from "../gen/platform/annotations/v1/annotations_pb.js";
import { hasBehavior, Messages } from "../openapi/messages.ts";
import { capitalized, jsonNames, splitName } from "../openapi/text.ts";
import { demandsOf, httpRules, takesIfMatch, unimplementedReason } from "../options.ts";

/** A tool as `tools/list` returns it, with the RPC that it calls. */
export type GeneratedTool = {
  /** The method in snake_case: `list_tag_moves`. */
  name: string;
  title: string;
  description: string;
  /** JSON Schema (2020-12) of the request in proto JSON, without references. */
  inputSchema: JsonObject;
  annotations: {
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    openWorldHint: boolean;
  };
  /** The full name, such as `platform.registry.v2.ReposService/ListRepos`. */
  rpc: string;
  /** The numbers of the capabilities that the caller needs. */
  capabilities: number[];
};

/**
 * Writes the tools of a project from its protos and their comments. Also writes read_capabilities.json: the numbers of
 * the capabilities that the tools need that only read. Throws an Error for a name that two tools have.
 */
export function writeTools(root: string, registry: FileRegistry): void {
  const tools = toolsOf(registry);
  const twice = tools.find(({ name }, index) =>
    tools.some((other, otherIndex) => otherIndex > index && other.name === name),
  );
  if (twice) throw new Error(`two methods would be the tool ${twice.name}`);
  const lines = tools.map((tool) => JSON.stringify(tool)).join(",\n");
  writeFileSync(join(root, "schema/gen/tools.json"), `[\n${lines}\n]\n`);
  const reads = tools.filter(({ annotations }) => annotations.readOnlyHint);
  const numbers = [...new Set(reads.flatMap(({ capabilities }) => capabilities))];
  const text = JSON.stringify(numbers.sort((a, b) => a - b));
  writeFileSync(join(root, "schema/gen/read_capabilities.json"), `${text}\n`);
}

function toolsOf(registry: FileRegistry): GeneratedTool[] {
  const methods = servicesOf(registry)
    .filter(({ file }) => file.proto.package.endsWith(".v2"))
    .flatMap((service) => service.methods)
    .filter((method) => isTool(method));
  const messages = new Messages(
    jsonNames(registry),
    methods.map(({ output }) => output),
  );
  return methods.map((method) => toolOf(method, messages)).toSorted((a, b) => rank(a) - rank(b));
}

const isTool = (method: DescMethod): boolean =>
  !getOption(method, mcp).hidden && unimplementedReason(method) === undefined;

/** Reads come first. Within them, the questions come first, whose packages are below those of a domain. */
const rank = ({ rpc, annotations }: GeneratedTool): number =>
  (annotations.readOnlyHint ? 0 : 2) + (/^platform\.\w+\.v2\./.test(rpc) ? 1 : 0);

function toolOf(method: DescMethod, messages: Messages): GeneratedTool {
  const option = getOption(method, mcp);
  return {
    name: method.name.replace(/(?<=.)[A-Z]/g, (letter) => `_${letter}`).toLowerCase(),
    title: capitalized(splitName(method.name)),
    description: messages.withJsonNames(option.description || firstSentence(commentOf(method))),
    inputSchema: inputSchemaOf(method, messages),
    annotations: annotationsOf(method),
    rpc: `${method.parent.typeName}/${method.name}`,
    capabilities: demandsOf(method).capabilities,
  };
}

/** The hints of the option, or those of the method's HTTP verb. */
function annotationsOf(method: DescMethod): GeneratedTool["annotations"] {
  const option = getOption(method, mcp);
  const verb = httpRules(method)[0]?.verb ?? "post";
  const readOnlyHint = option.readOnly ?? verb === "get";
  return {
    readOnlyHint,
    destructiveHint: option.destructive ?? verb === "delete",
    idempotentHint: readOnlyHint || (option.idempotent ?? verb !== "post"),
    openWorldHint: option.openWorld,
  };
}

/** Sentences end before a capital or a code span. */
const sentencesOf = (text: string): string[] =>
  text.replace(/\s+/g, " ").split(/(?<=[.:!?])\s+(?=[A-Z`])/);

/** The first sentence without the marks of code, as people read it. */
const firstSentence = (text: string): string => (sentencesOf(text)[0] ?? "").replaceAll("`", "");

/** The schema of the request. A path variable is required, also within the resource of an update. */
function inputSchemaOf(method: DescMethod, messages: Messages): JsonObject {
  const [rule] = httpRules(method);
  const variables = pathVariables(rule?.path ?? "");
  const isUpdate = method.input.fields.some(({ name }) => name === "update_mask");
  const properties: JsonObject = {};
  const required: string[] = [];
  for (const field of method.input.fields) {
    // The etag of a resource is output-only in an update, and its delete is the same.
    if (field.name === "etag" && takesIfMatch(method)) continue;
    const isResource = isUpdate && field.name === rule?.body;
    const value = messages.value(field, isResource ? "patch" : "body");
    const schema = inlined(value, messages.components, []) as JsonObject;
    const inner = variables.flatMap((name) => innerNameOf(name, field));
    for (const name of inner) addVariable(schema, field, name, messages);
    properties[field.jsonName] = describedAs(schema, messages.withJsonNames(commentOf(field)));
    const isNeeded = isResource || inner.length > 0 || hasBehavior(field, FieldBehavior.REQUIRED);
    // Without a parent, a Create creates an organization.
    const isVariable = variables.includes(field.name) && field.name !== "parent";
    if (isNeeded || isVariable) required.push(field.jsonName);
  }
  return {
    type: "object",
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

/** The `uid` of `repo.uid` if the field is `repo`. */
function innerNameOf(path: string, field: DescField): string[] {
  const [first, ...rest] = path.split(".");
  return first === field.name && rest.length > 0 ? [rest.join(".")] : [];
}

function addVariable(schema: JsonObject, field: DescField, name: string, messages: Messages): void {
  const inner = field.message?.fields.find((candidate) => candidate.name === name);
  if (!inner)
    throw new Error(`${field.parent.typeName} has no path variable ${field.name}.${name}`);
  const properties = (schema.properties ?? {}) as JsonObject;
  const text = messages.withJsonNames(commentOf(inner));
  properties[inner.jsonName] = describedAs(messages.value(inner, "answer"), text);
  schema.properties = properties;
  schema.required = [...((schema.required ?? []) as string[]), inner.jsonName];
}

/** The first two sentences say what the value is, and its form. More texts would fill the context of a model. */
function describedAs(schema: JsonObject, text: string): JsonObject {
  const description = sentencesOf(text).slice(0, 2).join(" ").trim();
  return description === "" ? schema : { ...schema, description };
}

/** Members of schemas that only serve people who read a page of the reference. */
const leftOut = ["x-enumDescriptions", "readOnly", "writeOnly"];

/** Replaces references to schemas by the schemas, because not all clients follow references. */
function inlined(value: JsonValue, all: Record<string, JsonObject>, above: string[]): JsonValue {
  if (Array.isArray(value)) return value.map((item) => inlined(item, all, above));
  if (typeof value !== "object" || value === null) return value;
  if (typeof value.$ref === "string") {
    const name = value.$ref.slice(value.$ref.lastIndexOf("/") + 1);
    if (above.includes(name)) throw new Error(`the message ${name} contains itself`);
    return inlined(all[name] ?? {}, all, [...above, name]);
  }
  const { description = "", ...rest } = value;
  const texts = typeof description === "string" ? describedAs({}, description) : { description };
  const entries = Object.entries({ ...rest, ...texts })
    .filter(([name]) => !leftOut.includes(name))
    .map(([name, inner]): [string, JsonValue] => [name, inlined(inner, all, above)]);
  const schema: JsonObject = Object.fromEntries(entries);
  const isClosed = schema.type === "object" && schema.properties !== undefined;
  return isClosed ? { additionalProperties: false, ...schema } : schema;
}
