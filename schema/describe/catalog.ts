/**
 * What a command line needs to know of version 2, as one JSON file: operations, messages with their
 * fields, enums and texts. It loads in a few milliseconds; descriptors take a hundred times as long.
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
import { commentOf, servicesOf } from "./protos.ts";

/** What a value is in JSON: `time` is an RFC 3339 string, `json` a value of any shape. */
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
  /** A list of values of the kind, or a map from names to them. */
  many?: "list" | "map";
  /** Name of the message or enum, where the kind is one. */
  type?: string;
  /** The oneof that it is part of. */
  oneof?: string;
  isOutput?: true;
  isRequired?: true;
  /** The comment of the proto; empty where there is none. */
  text: string;
};

/** An RPC that is served over REST. */
export type CatalogOperation = {
  /** `platform.registry.v2.ReposService/ListRepos`. */
  rpc: string;
  verb: string;
  /** As in the proto: `/registry/v2/repos/{repo.uid=**}`. */
  path: string;
  /** JSON name of the field that is the body, `*` for the whole request, or empty. */
  body: string;
  /** Names of messages. */
  input: string;
  output: string;
  text: string;
};

/** Everything, by name; names of messages and enums are full, without a leading dot. */
export type Catalog = {
  operations: CatalogOperation[];
  messages: Record<string, CatalogField[]>;
  enums: Record<string, CatalogValue[]>;
};

/** A value of an enum: its name in JSON, and a short word that people write for it. */
export type CatalogValue = { name: string; word: string; text: string };

const wellKnown: Record<string, FieldKind> = {
  "google.protobuf.Timestamp": "time",
  "google.protobuf.Duration": "duration",
  "google.protobuf.FieldMask": "mask",
  "google.protobuf.Struct": "json",
  "google.api.HttpBody": "json",
};

/** Writes schema/gen/catalog.json of a project out of its protos with their comments. */
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
  const bodyField = input.fields.find((field) => field.name === body);
  catalog.operations.push({
    rpc: `${parent.typeName}/${method.name}`,
    verb: verb.toUpperCase(),
    path,
    body: bodyField?.jsonName ?? body,
    input: input.typeName,
    output: output.typeName,
    text: commentOf(method),
  });
  addMessage(catalog, input);
  addMessage(catalog, output);
}

function addMessage(catalog: Catalog, message: DescMessage): void {
  if (message.typeName in catalog.messages || message.typeName in wellKnown) return;
  const fields: CatalogField[] = [];
  // Put in first: a message may contain itself.
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
    // A capability has a name of its own: `repo.list`.
    word: hasOption(value, capabilityName)
      ? getOption(value, capabilityName)
      : wordOf(value.name, sharedPrefix),
    text: commentOf(value),
  }));
}

/** `python` for ECOSYSTEM_PYTHON; `sharedPrefix` is in small letters. */
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
