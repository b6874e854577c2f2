/** A field or an extension of a lean file as a descriptor. */
import type {
  DescEnum,
  DescExtension,
  DescField,
  DescFile,
  DescMessage,
  DescOneof,
} from "@bufbuild/protobuf";
import { protoCamelCase, safeObjectProperty } from "@bufbuild/protobuf/reflect";
import type { FieldParts, LeanField } from "./file.ts";

/** Numbers of google.protobuf.FieldDescriptorProto.Type. */
const scalars: Record<string, number> = {
  ...{ double: 1, float: 2, int64: 3, uint64: 4, int32: 5, fixed64: 6, fixed32: 7, bool: 8 },
  ...{ string: 9, bytes: 12, uint32: 13, sfixed32: 15, sfixed64: 16, sint32: 17, sint64: 18 },
};

/** Numbers of google.protobuf.FeatureSet.FieldPresence: whether a field tells set from zero. */
const explicit = 1;
export const implicit = 2;

/** A field's message, or an extension's file. */
type Place =
  | { parent: DescMessage; oneofs: DescOneof[]; file?: undefined }
  | { file: DescFile; parent?: undefined };

type TypeOf = (name: string) => DescMessage | DescEnum;

/** A spec and what stands beside it, if anything does. */
export const split = <Part>(lean: string | [string, Part]): [string, Part?] =>
  typeof lean === "string" ? [lean] : lean;

/** `kept` is where the proto of a field keeps its parts. */
export function fieldDesc(
  lean: LeanField,
  place: Place,
  typeOf: TypeOf,
  kept: symbol,
): DescField | DescExtension {
  const [spec, parts = {}] = split(lean);
  const [name = "", number = "", ...words] = spec.split(" ");
  const isOptional = words[0] === "optional";
  const kind = kindOf(isOptional ? words.slice(1) : words, typeOf);
  const isExplicit = isOptional || parts.oneof !== undefined || place.file || kind.message;
  const isMany = kind.fieldKind === "list" || kind.fieldKind === "map";
  const isSingular = !isMany && { getDefaultValue: () => undefined };
  return {
    ...{ kind: "field", deprecated: false, name, number: Number(number) },
    proto: { name, number: Number(number), proto3Optional: isOptional, [kept]: parts },
    presence: isExplicit && !isMany ? explicit : implicit,
    ...{ utf8Validation: true, longAsString: false, getDefaultValue: undefined },
    ...{ listKind: undefined, mapKind: undefined, mapKey: undefined },
    ...{ delimitedEncoding: undefined, packed: undefined },
    ...{ scalar: undefined, message: undefined, enum: undefined },
    ...kind,
    ...isSingular,
    ...(place.file ? ofFile(name, place.file, parts, typeOf) : ofMessage(name, place, parts)),
  } as unknown as DescField | DescExtension;
}

function ofMessage(
  name: string,
  { parent, oneofs }: Place & { oneofs: DescOneof[] },
  parts: FieldParts,
) {
  const camel = name.includes("_") ? protoCamelCase(name) : name;
  const oneof = parts.oneof === undefined ? undefined : oneofs[parts.oneof];
  return {
    ...{ parent, oneof },
    localName: oneof ? camel : safeObjectProperty(camel),
    jsonName: parts.json ?? camel,
    toString: () => `field ${parent?.typeName}.${name}`,
  };
}

function ofFile(name: string, file: DescFile, parts: FieldParts, typeOf: TypeOf) {
  const typeName = `${file.proto.package}.${name}`;
  return {
    ...{ kind: "extension", file, parent: undefined, oneof: undefined, typeName },
    ...{ jsonName: `[${typeName}]`, extendee: typeOf(parts.extends ?? "") },
    toString: () => `extension ${typeName}`,
  };
}

/** What a field holds, of the words that say so: `repeated enum platform.iam.v2.OrgKind`. */
function kindOf(words: string[], typeOf: TypeOf) {
  const [first = "", second = ""] = words;
  if (first === "map") {
    const { fieldKind, ...value } = single(words.slice(2), typeOf);
    const mapKey = scalars[second];
    return { ...value, fieldKind: "map", mapKind: fieldKind, mapKey, delimitedEncoding: false };
  }
  if (first !== "repeated") return single(words, typeOf);
  const { fieldKind, ...item } = single(words.slice(1), typeOf);
  const packed = fieldKind !== "message" && second !== "string" && second !== "bytes";
  return { ...item, fieldKind: "list", listKind: fieldKind, packed };
}

function single([first = "", second = ""]: string[], typeOf: TypeOf) {
  if (first === "enum") return { fieldKind: "enum", enum: typeOf(second) as DescEnum };
  const scalar = scalars[first];
  if (scalar !== undefined) return { fieldKind: "scalar", scalar };
  const message = typeOf(first) as DescMessage;
  return { fieldKind: "message", message, delimitedEncoding: false };
}
