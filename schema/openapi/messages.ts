/** Messages of the protos as JSON Schema, as the platform reads and writes them (proto JSON). */
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
 * What a message is for. An answer has what the server sets and shows numbers and booleans always; a
 * body has neither, and what a create needs; a patch needs nothing, down to where a list begins.
 */
export type MessageUse = "answer" | "body" | "patch";

/** Messages that stand in JSON as something else (protobuf.dev, "ProtoJSON Format"). */
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

/** Collects the schemas of what is asked for, each under a name of its own. */
export class Messages {
  /** By name. */
  readonly components: Record<string, Schema> = {};
  readonly #names: Map<string, string>;
  readonly #answered: Set<string>;
  readonly #owners = new Map<string, string>();
  readonly #known = new Map<string, { name: string; schema: Schema }>();

  /** `names` are those of {@link jsonNames}; `answers` the messages that operations answer. */
  constructor(names: Map<string, string>, answers: DescMessage[]) {
    this.#names = names;
    this.#answered = new Set();
    for (const one of answers) this.#addAnswered(one);
  }

  #addAnswered(message: DescMessage): void {
    if (this.#answered.has(message.typeName)) return;
    this.#answered.add(message.typeName);
    for (const field of message.fields) if (field.message) this.#addAnswered(field.message);
  }

  /** A text of the protos in words of JSON. */
  withJsonNames = (text: string) => withJsonFieldNames(text, this.#names);

  /** The schema of a message, as a reference where it has a name. */
  of(message: DescMessage, use: MessageUse): Schema {
    const plain = wellKnown[message.typeName];
    if (plain) return plain;
    const { name, schema } = this.#named(message, use);
    this.#add(name, message.typeName, schema);
    return ref("schemas", name);
  }

  /** The request as a body without some of its fields, which stand in the path. */
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
      throw new Error(`${of} and ${owner} would both be called ${name} in the OpenAPI document`);
    }
    this.#owners.set(name, of);
    this.components[name] = schema;
  }

  /** A name without a suffix where the message is the same for every use. */
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
    const texts = [commentOf(message), ...message.oneofs.map((one) => oneofText(one, use))];
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

  /** The schema of a field's value, without its text. */
  value(field: DescField, use: MessageUse): Schema {
    const rules = rulesOf(field);
    // What is in a list or a map is replaced as one, and has to be whole.
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

  /** A reference to an enum: its values by name, without the one that says nothing. */
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

/** The one member of a oneof that must be set. */
const isOnlyChoice = ({ oneof }: DescField, use: MessageUse) =>
  oneof !== undefined && isNeeded(oneof) && choicesOf(oneof, use).length === 1;

const isNeeded = (oneof: DescOneof) =>
  hasOption(oneof, oneofRules) && getOption(oneof, oneofRules).required;

const choicesOf = (oneof: DescOneof, use: MessageUse) =>
  oneof.fields.filter((field) => !hasBehavior(field, hiddenIn(use)));

const isResource = (message: DescMessage) => hasOption(message, resource);

/** A create within a batch has the parent of the batch (AIP-233); alone, it has it in its path. */
const isOfItsBatch = ({ name, parent }: DescField) =>
  name === "parent" && /^Create\w+Request$/.test(parent.name);

/** Numbers and booleans without presence are in every answer; what else is empty is left out. */
function isShownWhenZero(field: DescField): boolean {
  if (field.fieldKind !== "scalar" || field.oneof || field.proto.proto3Optional) return false;
  return field.scalar !== ScalarType.STRING && field.scalar !== ScalarType.BYTES;
}

/** What every row has: uid and times, and what its rules let nobody leave empty; a page its total. */
function isAlwaysSet(field: DescField): boolean {
  const { parent, name } = field;
  if (name === "total_count") return parent.fields.some((one) => one.name === "next_page_token");
  if (!isResource(parent) || hasOption(field, may_be_absent)) return false;
  if (["uid", "create_time", "update_time"].includes(name)) {
    return hasBehavior(field, FieldBehavior.OUTPUT_ONLY);
  }
  const { pattern, minLength } = rulesOf(field);
  const isText = field.fieldKind === "scalar" && field.scalar === ScalarType.STRING;
  const isFilled =
    minLength !== undefined || (typeof pattern === "string" && !/^\^\$/.test(pattern));
  return isText && isFilled && hasBehavior(field, FieldBehavior.REQUIRED);
}

/** Which members of a oneof go together: none. */
function oneofText(oneof: DescOneof, use: MessageUse): string {
  const fields = choicesOf(oneof, use);
  if (fields.length < 2) return "";
  const names = fields.map(({ jsonName }) => `\`${jsonName}\``).join(", ");
  return `${isNeeded(oneof) ? "Exactly" : "At most"} one of ${names}.`;
}
