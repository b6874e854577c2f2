/**
 * Writes everything that a command line needs to know about version 2 into one JSON file: operations, messages with
 * their fields, enums and texts. The file loads in a few milliseconds. Descriptors take a hundred times as long.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescMethod,
  type FileRegistry,
  getOption,
  hasOption,
  ScalarType,
} from "@bufbuild/protobuf";
import { FieldBehavior, field_behavior } from "../gen/google/api/field_behavior_pb.js";
import { name as capabilityName } from "../gen/platform/capabilities/v1/capability_pb.js";
import { type HttpRule, httpRules, unimplementedReason } from "../options.ts";
import { toImperative } from "./imperative.ts";
import { commentOf, servicesOf } from "./protos.ts";

/** The type of a value in JSON. `time` is an RFC 3339 string, and `json` is a value of any shape. */
export type FieldKind =
  | "string"
  | "int"
  | "number"
  | "bool"
  | "bytes"
  | "enum"
  | "message"
  | "time"
  | "duration"
  | "mask"
  | "json";

/** A field of a message, by its JSON name. */
export type CatalogField = {
  name: string;
  kind: FieldKind;
  /** Whether it is a list of values, or a map from names to values. */
  many?: "list" | "map";
  /** The name of the message or enum, if the field has one. */
  type?: string;
  /** The oneof that it belongs to. */
  oneof?: string;
  isOutput?: true;
  isRequired?: true;
  /** The comment in the proto, or an empty string. */
  text: string;
};

/** An RPC that is served over REST. */
export type CatalogOperation = {
  /** The full name, such as `platform.registry.v2.ReposService/ListRepos`. */
  rpc: string;
  verb: string;
  /** The path in the proto, such as `/registry/v2/repos/{repo.uid=**}`. */
  path: string;
  /** The JSON name of the field that is the body, `*` for the whole request, or an empty string. */
  body: string;
  /** The names of the messages. */
  input: string;
  output: string;
  /** The comment in the proto, in the imperative: "List the tags." */
  text: string;
};

/** The whole catalog, by name. Names of messages and enums are full names without a leading dot. */
export type Catalog = {
  operations: CatalogOperation[];
  messages: Record<string, CatalogField[]>;
  enums: Record<string, CatalogValue[]>;
};

/** A value of an enum: its name in JSON, and a short word for the command line. */
export type CatalogValue = { name: string; word: string; text: string };

const wellKnown: Record<string, FieldKind> = {
  "google.protobuf.Timestamp": "time",
  "google.protobuf.Duration": "duration",
  "google.protobuf.FieldMask": "mask",
  "google.protobuf.Struct": "json",
  "google.api.HttpBody": "json",
};

/** Writes schema/gen/catalog.json of a project from its protos and their comments. */
export function writeCatalog(root: string, registry: FileRegistry): void {
  const catalog: Catalog = { operations: [], messages: {}, enums: {} };
  for (const service of servicesOf(registry)) {
    if (!service.file.proto.package.endsWith(".v2")) continue;
    for (const method of service.methods) {
      const [rule] = httpRules(method);
      if (rule && unimplementedReason(method) === undefined) addOperation(catalog, method, rule);
    }
  }
  writeFileSync(join(root, "schema/gen/catalog.json"), `${JSON.stringify(catalog, null, 1)}\n`);
}

function addOperation(catalog: Catalog, method: DescMethod, { verb, path, body }: HttpRule): void {
  const { input, output, parent } = method;
  const rpc = `${parent.typeName}/${method.name}`;
  const bodyField = input.fields.find((field) => field.name === body);
  catalog.operations.push({
    rpc,
    verb: verb.toUpperCase(),
    path,
    body: bodyField?.jsonName ?? body,
    input: input.typeName,
    output: output.typeName,
    text: toImperative(commentOf(method), rpc),
  });
  addMessage(catalog, input);
  addMessage(catalog, output);
}

function addMessage(catalog: Catalog, message: DescMessage): void {
  if (message.typeName in catalog.messages || message.typeName in wellKnown) return;
  const fields: CatalogField[] = [];
  // This comes first, because a message may contain itself.
  catalog.messages[message.typeName] = fields;
  for (const field of message.fields) {
    fields.push(fieldOf(field));
    if (field.message) addMessage(catalog, field.message);
    if (field.enum) addEnum(catalog, field.enum);
  }
}

function addEnum({ enums }: Catalog, { typeName, sharedPrefix = "", values }: DescEnum): void {
  enums[typeName] = values.map((value) => ({
    name: value.name,
    // A capability has its own name, such as `repo.list`.
    word: hasOption(value, capabilityName)
      ? getOption(value, capabilityName)
      : wordOf(value.name, sharedPrefix),
    text: commentOf(value),
  }));
}

/** Returns `python` for ECOSYSTEM_PYTHON. `sharedPrefix` is in lowercase. */
function wordOf(name: string, sharedPrefix: string): string {
  const small = name.toLowerCase();
  const own = small.startsWith(sharedPrefix) ? small.slice(sharedPrefix.length) : small;
  return own.replaceAll("_", "-");
}

function fieldOf(field: DescField): CatalogField {
  const kind = kindOf(field);
  const isOneOf = (behavior: FieldBehavior) =>
    hasOption(field, field_behavior) && getOption(field, field_behavior).includes(behavior);
  const { fieldKind } = field;
  const type = kind === "message" ? field.message?.typeName : field.enum?.typeName;
  return {
    name: field.jsonName,
    kind,
    ...(fieldKind === "list" || fieldKind === "map" ? { many: fieldKind } : {}),
    ...(type === undefined ? {} : { type }),
    ...(field.oneof ? { oneof: field.oneof.localName } : {}),
    ...(isOneOf(FieldBehavior.OUTPUT_ONLY) ? { isOutput: true } : {}),
    ...(isOneOf(FieldBehavior.REQUIRED) ? { isRequired: true } : {}),
    text: commentOf(field),
  };
}

function kindOf(field: DescField): FieldKind {
  if (field.message) return wellKnown[field.message.typeName] ?? "message";
  if (field.enum) return "enum";
  switch (field.scalar) {
    case ScalarType.STRING:
      return "string";
    case ScalarType.BOOL:
      return "bool";
    case ScalarType.BYTES:
      return "bytes";
    case ScalarType.FLOAT:
    case ScalarType.DOUBLE:
      return "number";
    default:
      return "int";
  }
}
