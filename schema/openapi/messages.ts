/** Messages of the protos as JSON Schema, in the form that the platform reads and writes (proto JSON). */
import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescOneof,
  getOption,
  hasOption,
  ScalarType,
} from "@bufbuild/protobuf";
import { oneof as oneofRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { commentOf } from "../describe/protos.ts";
import { FieldBehavior, field_behavior } from "../gen/google/api/field_behavior_pb.js";
import { resource } from "../gen/google/api/resource_pb.js";
import { may_be_absent } from "../gen/platform/annotations/v1/annotations_pb.js";
import { ref, type Schema } from "./form.ts";
import { componentName } from "./names.ts";
import { itemRulesOf, keyRulesOf, rulesOf } from "./rules.ts";
import { scalarSchema } from "./scalars.ts";
import { withJsonFieldNames } from "./text.ts";

/**
 * The use of a message. A response contains the fields that the server sets, and always contains numbers and
 * booleans. A body does not contain them, and requires the fields that a create needs. A patch requires
 * nothing, except within the items of a list.
 */
export type MessageUse = "answer" | "body" | "patch";

/** Messages with a special form in JSON (protobuf.dev, "ProtoJSON Format"). */
const wellKnown: Record<string, Schema> = {
  "google.protobuf.Timestamp": { type: "string", format: "date-time" },
  "google.protobuf.Duration": { type: "string", pattern: "^-?[0-9]+(\\.[0-9]{1,9})?s$" },
  "google.protobuf.FieldMask": { type: "string" },
  "google.protobuf.Struct": { type: "object", additionalProperties: true },
};

const suffix: Record<MessageUse, string> = { answer: "", body: "Input", patch: "Patch" };

/** Whether a field has a behavior of google.api.field_behavior. */
export const hasBehavior = (field: DescField, behavior: FieldBehavior) =>
  hasOption(field, field_behavior) && getOption(field, field_behavior).includes(behavior);

/** Collects the schemas of the requested messages, each under its own name. */
export class Messages {
  /** The schemas by name. */
  readonly components: Record<string, Schema> = {};
  readonly #names: Map<string, string>;
  readonly #answered: Set<string>;
  readonly #owners = new Map<string, string>();
  readonly #known = new Map<string, { name: string; schema: Schema }>();

  /** `names` is the result of {@link jsonNames}. `answers` are the messages that operations return. */
  constructor(names: Map<string, string>, answers: DescMessage[]) {
    this.#names = names;
    this.#answered = new Set();
    for (const answer of answers) this.#addAnswered(answer);
  }

  #addAnswered(message: DescMessage): void {
    if (this.#answered.has(message.typeName)) return;
    this.#answered.add(message.typeName);
    for (const field of message.fields) if (field.message) this.#addAnswered(field.message);
  }

  /** Returns a text of the protos with the JSON names of fields. */
  withJsonNames = (text: string) => withJsonFieldNames(text, this.#names);

  /** Returns the schema of a message, as a reference if it has a name. */
  of(message: DescMessage, use: MessageUse): Schema {
    const plain = wellKnown[message.typeName];
    if (plain) return plain;
    const { name, schema } = this.#named(message, use);
    this.#add(name, message.typeName, schema);
    return ref("schemas", name);
  }

  /** Returns the request as a body, without the fields that are in the path. */
  requestWithout(message: DescMessage, left: readonly string[]): Schema {
    const fields = message.fields.filter((field) => !left.includes(field.name));
    const base = componentName(message);
    const name = /(Request|RequestV1)$/.test(base) ? base : `${base}Body`;
    this.#add(name, `${message.typeName} as a body`, this.#object(message, fields, "body"));
    return ref("schemas", name);
  }

  #add(name: string, of: string, schema: Schema): void {
    const owner = this.#owners.get(name) ?? of;
    const { [name]: present = schema } = this.components;
    if (owner !== of || JSON.stringify(present) !== JSON.stringify(schema)) {
      throw new Error(
        `${of} and ${owner} would both have the name ${name} in the OpenAPI document`,
      );
    }
    this.#owners.set(name, of);
    this.components[name] = schema;
  }

  /** Returns a name without a suffix if the message is the same in every use. */
  #named(message: DescMessage, use: MessageUse): { name: string; schema: Schema } {
    const key = `${use} ${message.typeName}`;
    const known = this.#known.get(key);
    if (known) return known;
    const schema = this.#object(message, message.fields, use);
    let name = componentName(message) + suffix[use];
    const others: MessageUse[] =
      use === "patch" ? ["body", "answer"] : use === "body" ? ["answer"] : [];
    const same = others
      .filter((other) => other !== "answer" || this.#answered.has(message.typeName))
      .map((other) => this.#named(message, other))
      .find((other) => JSON.stringify(other.schema) === JSON.stringify(schema));
    if (same) name = same.name;
    else if (use === "body" && !this.#answered.has(message.typeName)) name = componentName(message);
    this.#known.set(key, { name, schema });
    return { name, schema };
  }

  #object(message: DescMessage, fields: readonly DescField[], use: MessageUse): Schema {
    const shown = fields.filter((field) => !hasBehavior(field, hiddenIn(use)));
    const required = shown.filter((field) => isRequired(field, use)).map((field) => field.jsonName);
    const texts = [commentOf(message), ...message.oneofs.map((oneof) => oneofText(oneof, use))];
    return {
      type: "object",
      ...described(this.withJsonNames(texts.filter((text) => text !== "").join("\n\n"))),
      properties: Object.fromEntries(
        shown.map((field) => [field.jsonName, this.#property(field, use)]),
      ),
      ...(required.length > 0 ? { required } : {}),
    };
  }

  #property(field: DescField, use: MessageUse): Schema {
    return {
      ...this.value(field, use),
      ...described(this.withJsonNames(commentOf(field))),
      ...(hasBehavior(field, FieldBehavior.OUTPUT_ONLY) ? { readOnly: true } : {}),
      ...(hasBehavior(field, FieldBehavior.INPUT_ONLY) ? { writeOnly: true } : {}),
      ...(field.proto.options?.deprecated ? { deprecated: true } : {}),
    };
  }

  /** Returns the schema of a field's value, without its description. */
  value(field: DescField, use: MessageUse): Schema {
    const rules = rulesOf(field);
    // An item of a list or a map is replaced as a whole, so it must be complete.
    const whole: MessageUse = use === "patch" ? "body" : use;
    switch (field.fieldKind) {
      case "message":
        return this.of(field.message, use);
      case "enum":
        return this.enumOf(field.enum);
      case "scalar":
        return { ...scalarSchema(field.scalar), ...rules };
      case "list":
        return {
          type: "array",
          ...rules,
          items: { ...this.#element(field, whole), ...itemRulesOf(field) },
        };
      case "map": {
        const isNumber = field.mapKey !== ScalarType.STRING;
        const keys = isNumber ? { pattern: "^-?[0-9]+$" } : keyRulesOf(field);
        return {
          type: "object",
          ...rules,
          ...(Object.keys(keys).length > 0 ? { propertyNames: keys } : {}),
          additionalProperties: { ...this.#element(field, whole), ...itemRulesOf(field) },
        };
      }
    }
  }

  #element(field: DescField & { fieldKind: "list" | "map" }, use: MessageUse): Schema {
    if (field.message) return this.of(field.message, use);
    if (field.enum) return this.enumOf(field.enum);
    return scalarSchema(field.scalar ?? ScalarType.STRING);
  }

  /** Returns a reference to an enum, with the names of its values. The unspecified value is left out. */
  enumOf(desc: DescEnum): Schema {
    const values = desc.values.filter(
      ({ number, name }) => number !== 0 || !name.endsWith("UNSPECIFIED"),
    );
    const texts = values.map((value) => [value.name, this.withJsonNames(commentOf(value))]);
    const name = componentName(desc);
    this.#add(name, desc.typeName, {
      type: "string",
      ...described(this.withJsonNames(commentOf(desc))),
      enum: values.map((value) => value.name),
      ...(texts.some(([, text]) => text)
        ? { "x-enumDescriptions": Object.fromEntries(texts) }
        : {}),
    });
    return ref("schemas", name);
  }
}

const described = (text: string) => (text === "" ? {} : { description: text });

const hiddenIn = (use: MessageUse) =>
  use === "answer" ? FieldBehavior.INPUT_ONLY : FieldBehavior.OUTPUT_ONLY;

function isRequired(field: DescField, use: MessageUse): boolean {
  if (use === "patch") return false;
  const isOnly = isOnlyChoice(field, use);
  if (use === "body")
    return isOnly || (hasBehavior(field, FieldBehavior.REQUIRED) && !isOfItsBatch(field));
  return isShownWhenZero(field) || isAlwaysSet(field) || (isOnly && isResource(field.parent));
}

/** Whether the field is the only member of a oneof that must be set. */
const isOnlyChoice = ({ oneof }: DescField, use: MessageUse) =>
  oneof !== undefined && isNeeded(oneof) && choicesOf(oneof, use).length === 1;

const isNeeded = (oneof: DescOneof) =>
  hasOption(oneof, oneofRules) && getOption(oneof, oneofRules).required;

const choicesOf = (oneof: DescOneof, use: MessageUse) =>
  oneof.fields.filter((field) => !hasBehavior(field, hiddenIn(use)));

const isResource = (message: DescMessage) => hasOption(message, resource);

/**
 * A create within a batch has the parent of the batch (AIP-233). Outside a batch, the parent is in the path.
 */
const isOfItsBatch = ({ name, parent }: DescField) =>
  name === "parent" && /^Create\w+Request$/.test(parent.name);

/** Responses always contain numbers and booleans without presence. They leave out other empty values. */
function isShownWhenZero(field: DescField): boolean {
  if (field.fieldKind !== "scalar" || field.oneof || field.proto.proto3Optional) return false;
  return field.scalar !== ScalarType.STRING && field.scalar !== ScalarType.BYTES;
}

/**
 * Whether every row has a value in this field: its uid, its times, and texts that the rules require. A page
 * has its total, unless a filter leaves the rows uncounted.
 */
function isAlwaysSet(field: DescField): boolean {
  const { parent, name } = field;
  if (hasOption(field, may_be_absent)) return false;
  if (name === "total_count")
    return parent.fields.some((field) => field.name === "next_page_token");
  if (!isResource(parent)) return false;
  if (["uid", "create_time", "update_time"].includes(name)) {
    return hasBehavior(field, FieldBehavior.OUTPUT_ONLY);
  }
  const { pattern, minLength } = rulesOf(field);
  const isText = field.fieldKind === "scalar" && field.scalar === ScalarType.STRING;
  const isFilled =
    minLength !== undefined || (typeof pattern === "string" && !/^\^\$/.test(pattern));
  return isText && isFilled && hasBehavior(field, FieldBehavior.REQUIRED);
}

/** Returns the sentence that a message contains only one member of a oneof. */
function oneofText(oneof: DescOneof, use: MessageUse): string {
  const fields = choicesOf(oneof, use);
  if (fields.length < 2) return "";
  const names = fields.map(({ jsonName }) => `\`${jsonName}\``).join(", ");
  return `Contains ${isNeeded(oneof) ? "exactly" : "at most"} one of ${names}.`;
}
