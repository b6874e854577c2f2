/** Writes messages and enums as TypeScript, for responses and for requests. */
import type { DescEnum, DescField, DescMessage } from "@bufbuild/protobuf";
import { ScalarType } from "@bufbuild/protobuf";
import type { CommentWriter } from "./comments.ts";
import { isAlwaysShown, isInputOnly, isOutputOnly, isRequired } from "./fields.ts";

/** Whether the platform returns the message or receives it. */
export type Direction = "answer" | "input";

/** The JSON types of well-known messages (ProtoJSON). */
const wellKnown: Record<string, string> = {
  "google.protobuf.Timestamp": "string",
  "google.protobuf.Duration": "string",
  "google.protobuf.FieldMask": "string",
  "google.protobuf.Struct": "JsonObject",
  "google.api.HttpBody": "JsonObject",
};

const numbers = [
  ScalarType.DOUBLE,
  ScalarType.FLOAT,
  ScalarType.INT32,
  ScalarType.UINT32,
  ScalarType.SINT32,
  ScalarType.FIXED32,
  ScalarType.SFIXED32,
];

/** Returns the name of a message or enum without package and dots, such as `CustomOverlayAccounts`. */
const nameInPackage = ({ typeName, file }: DescMessage | DescEnum) =>
  typeName.slice(file.proto.package.length + 1).replaceAll(".", "");

/** Writes the declarations of messages and enums and of everything that they refer to. Each appears once. */
export class Declarations {
  readonly #comments: CommentWriter;
  readonly #texts = new Map<string, string>();
  readonly #names = new Map<string, string>();
  readonly #owners = new Map<string, string>();

  constructor(comments: CommentWriter, spoken: Iterable<DescMessage | DescEnum>) {
    this.#comments = comments;
    for (const desc of spoken) this.#baptize(desc);
  }

  /** Two messages with the same name get their domain as a prefix: `AdvisorySeverity`. */
  #baptize(desc: DescMessage | DescEnum): void {
    const name = nameInPackage(desc);
    const other = this.#owners.get(name);
    if (other === undefined || other === desc.typeName) {
      this.#owners.set(name, desc.typeName);
      this.#names.set(desc.typeName, name);
      return;
    }
    this.#names.set(other, domainName(other, name));
    this.#names.set(desc.typeName, domainName(desc.typeName, name));
  }

  #nameOf(desc: DescMessage | DescEnum): string {
    return this.#names.get(desc.typeName) ?? nameInPackage(desc);
  }

  /** Returns all declarations, sorted by name. */
  text(): string {
    const entries = [...this.#texts].sort(([a], [b]) => (a < b ? -1 : 1));
    return entries.map(([, text]) => text).join("\n");
  }

  /** Declares a message and returns the name of its type. */
  message(desc: DescMessage, direction: Direction): string {
    const plain = wellKnown[desc.typeName];
    if (plain) return plain;
    const suffix = direction === "input" && !desc.name.endsWith("Request") ? "Input" : "";
    const name = `${this.#nameOf(desc)}${suffix}`;
    if (this.#texts.has(name)) return name;
    this.#texts.set(name, "");
    const fields = desc.fields.filter((field) =>
      direction === "input" ? !isOutputOnly(field) : !isInputOnly(field),
    );
    const members = fields.map((field) => this.member(field, direction));
    const body = members.length === 0 ? "Record<string, never>" : undefined;
    this.#texts.set(
      name,
      body
        ? `${this.#comments(desc)}export type ${name} = ${body};\n`
        : `${this.#comments(desc)}export interface ${name} {\n${members.join("")}}\n`,
    );
    return name;
  }

  /** Declares an interface with these members. */
  declare(name: string, text: string): void {
    this.#texts.set(name, text);
  }

  /** Returns one member of an interface, with its comment. */
  member(field: DescField, direction: Direction, type = this.type(field, direction)): string {
    const isThere = direction === "input" ? isRequired(field) : isAlwaysShown(field);
    const siblings = field.oneof?.fields.filter((other) => other !== field) ?? [];
    const others = siblings.map(({ jsonName }) => `\`${jsonName}\``).join(", ");
    const more = others === "" || direction === "answer" ? "" : `Instead of ${others}.`;
    const unset = direction === "input" && !isThere ? " | undefined" : "";
    const comment = this.#comments(field, "  ", more);
    return `${comment}  ${field.jsonName}${isThere ? "" : "?"}: ${type}${unset};\n`;
  }

  /** Returns the type of a field's value. */
  type(field: DescField, direction: Direction): string {
    const valueType = this.#valueType(field, direction);
    if (field.fieldKind === "map") return `Record<string, ${valueType}>`;
    if (field.fieldKind !== "list") return valueType;
    const item = valueType.includes(" ") ? `(${valueType})` : valueType;
    return direction === "input" ? `readonly ${item}[]` : `${item}[]`;
  }

  #valueType({ message, enum: values, scalar }: DescField, direction: Direction): string {
    if (message) return this.message(message, direction);
    if (values) return this.#enum(values);
    if (scalar === ScalarType.BOOL) return "boolean";
    // The JSON of 64-bit integers is a string, because they do not fit a number. The JSON of bytes is a string in
    // base64.
    return scalar && numbers.includes(scalar) ? "number" : "string";
  }

  #enum(desc: DescEnum): string {
    const name = this.#nameOf(desc);
    if (this.#texts.has(name)) return name;
    const lines = desc.values.map((value) => `${this.#comments(value, "  ")}  | "${value.name}"`);
    this.#texts.set(name, `${this.#comments(desc)}export type ${name} =\n${lines.join("\n")};\n`);
    return name;
  }
}

function domainName(typeName: string, name: string): string {
  const [, domain = ""] = typeName.split(".");
  return `${domain.charAt(0).toUpperCase()}${domain.slice(1)}${name}`;
}

/** Returns the message and everything that it refers to. */
export function referencedTypes(
  message: DescMessage,
  types = new Set<DescMessage | DescEnum>(),
): Set<DescMessage | DescEnum> {
  if (types.has(message) || message.typeName in wellKnown) return types;
  types.add(message);
  for (const field of message.fields) {
    if (field.enum) types.add(field.enum);
    if (field.message) referencedTypes(field.message, types);
  }
  return types;
}
