/**
 * Lean files as the descriptors that protobuf-es works with. protobuf-es would make every field of every message
 * when a Worker starts, whatever it is asked then; here a message's fields are made when one is first asked for.
 * That they are what protobuf-es would have made is tested (test/schema/lean/file.test.ts).
 */
import type {
  AnyDesc,
  DescEnum,
  DescEnumValue,
  DescExtension,
  DescField,
  DescFile,
  DescMessage,
  DescMethod,
  DescOneof,
  DescService,
} from "@bufbuild/protobuf";
import { nestedTypes, protoCamelCase, safeObjectProperty } from "@bufbuild/protobuf/reflect";
import { fieldDesc, split } from "./field.ts";
import type {
  FieldParts,
  LeanEnum,
  LeanFile,
  LeanMessage,
  LeanService,
  MethodParts,
  ValueParts,
} from "./file.ts";

/** Where a part of a descriptor made here keeps what options would say of it elsewhere. */
const kept = Symbol("parts");

type Parts = FieldParts & ValueParts & MethodParts;

const none: Parts = {};

const partsOf = ({ proto }: { proto: object }) => (proto as { [kept]?: Parts })[kept] ?? none;

/** What the proto says of a field beside its type. */
export const fieldParts = (field: DescField): FieldParts => partsOf(field);

/** What the proto says of a value of an enum. */
export const valueParts = (value: DescEnumValue): ValueParts => partsOf(value);

/** What the proto says of a method. */
export const methodParts = (method: DescMethod): MethodParts => partsOf(method);

/** Whether one of a oneof's fields must be set (buf.validate.oneof.required). */
export const isRequiredOneof = ({ proto }: DescOneof): boolean => "required" in proto;

/** Number of proto3 among google.protobuf.Edition. */
const proto3 = 999;

const types = new Map<string, AnyDesc>();

/** Files that were not made here, such as those of protobuf-es, as far as nobody asked for their types. */
const others = new Set<DescFile>();

/** The descriptor of a lean file; `imports` are those of the files whose types it names. */
export function fileOf(lean: LeanFile, imports: DescFile[] = []): DescFile {
  for (const one of imports) if (!("lean" in one)) others.add(one);
  const file = {
    kind: "file",
    proto: { name: lean.path, package: lean.package, syntax: "proto3" },
    ...{ deprecated: false, edition: proto3, dependencies: imports, lean: true },
    name: lean.path.replace(/\.proto$/, ""),
    ...{ messages: [], enums: [], services: [], extensions: [] },
    toString: () => `file ${lean.path}`,
  } as unknown as DescFile & { lean: true };
  for (const one of lean.enums ?? []) file.enums.push(enumDesc(one, file, undefined));
  for (const one of lean.messages ?? []) file.messages.push(messageDesc(one, file, undefined));
  for (const one of lean.services ?? []) file.services.push(serviceDesc(one, file));
  for (const one of lean.extensions ?? []) {
    const desc = fieldDesc(one, { file }, typeOf, kept) as DescExtension;
    types.set(desc.typeName, desc);
    file.extensions.push(desc);
  }
  return file;
}

/** The message or enum of that name. Throws where no file has it that was made or imported so far. */
function typeOf(name: string): DescMessage | DescEnum {
  for (const file of types.has(name) ? [] : others) {
    for (const type of nestedTypes(file)) types.set(type.typeName, type);
    others.delete(file);
  }
  const found = types.get(name);
  if (found?.kind !== "message" && found?.kind !== "enum") throw new Error(`no type ${name}`);
  return found;
}

/** Names itself, and can be found by its name. */
function known<Desc extends DescMessage | DescEnum | DescService>(desc: object): Desc {
  const made = desc as Desc;
  types.set(made.typeName, made);
  return made;
}

const within = (name: string, file: DescFile, parent: DescMessage | undefined) =>
  `${parent ? parent.typeName : file.proto.package}.${name}`;

function messageDesc(
  lean: LeanMessage,
  file: DescFile,
  parent: DescMessage | undefined,
): DescMessage {
  const { name } = lean;
  const typeName = within(name, file, parent);
  const desc = known<DescMessage>({
    ...{ kind: "message", proto: { name }, deprecated: false, file, parent, name, typeName },
    ...{ nestedEnums: [], nestedMessages: [], nestedExtensions: [] },
    toString: () => `message ${typeName}`,
  });
  for (const member of ["fields", "field", "oneofs", "members"] as const) {
    Object.defineProperty(desc, member, {
      ...{ configurable: true, enumerable: true },
      get: () => fill(desc, lean)[member],
    });
  }
  for (const one of lean.enums ?? []) desc.nestedEnums.push(enumDesc(one, file, desc));
  for (const one of lean.messages ?? []) desc.nestedMessages.push(messageDesc(one, file, desc));
  return desc;
}

/** Makes the fields of a message, in the place of what would make them. */
function fill(desc: DescMessage, lean: LeanMessage): DescMessage {
  const oneofs = (lean.oneofs ?? []).map((text) => oneofDesc(text, desc));
  const fields: DescField[] = [];
  const members: (DescField | DescOneof)[] = [];
  const field: Record<string, DescField> = {};
  for (const one of lean.fields ?? []) {
    const made = fieldDesc(one, { parent: desc, oneofs }, typeOf, kept) as DescField;
    fields.push(made);
    field[made.localName] = made;
    if (!made.oneof) members.push(made);
    else if (made.oneof.fields.push(made) === 1) members.push(made.oneof);
  }
  for (const [name, value] of Object.entries({ fields, field, oneofs, members })) {
    Object.defineProperty(desc, name, { value, enumerable: true });
  }
  return desc;
}

function oneofDesc(text: string, parent: DescMessage): DescOneof {
  const name = text.replace("!", "");
  return {
    kind: "oneof",
    proto: { name, ...(text.endsWith("!") ? { required: true } : {}) },
    ...{ deprecated: false, parent, fields: [], name },
    localName: safeObjectProperty(protoCamelCase(name)),
    toString: () => `oneof ${parent.typeName}.${name}`,
  } as unknown as DescOneof;
}

function enumDesc(lean: LeanEnum, file: DescFile, parent: DescMessage | undefined): DescEnum {
  const { name, prefix } = lean;
  const typeName = within(name, file, parent);
  const desc = known<DescEnum>({
    ...{
      kind: "enum",
      proto: { name },
      deprecated: false,
      file,
      parent,
      open: true,
      name,
      typeName,
    },
    ...{ value: {}, values: [], sharedPrefix: prefix },
    toString: () => `enum ${typeName}`,
  });
  for (const one of lean.values) {
    const [spec, parts] = split(one);
    const [own = "", text] = spec.split(" ");
    const number = Number(text);
    const value = {
      ...{ kind: "enum_value", proto: { name: own, number, [kept]: parts }, deprecated: false },
      ...{ parent: desc, name: own, number, jsonName: own },
      localName: safeObjectProperty(prefix ? own.slice(prefix.length) : own),
      toString: () => `enum value ${typeName}.${own}`,
    } as unknown as DescEnumValue;
    desc.values.push(value);
    desc.value[number] ??= value;
  }
  return desc;
}

function serviceDesc({ name, methods }: LeanService, file: DescFile): DescService {
  const typeName = within(name, file, undefined);
  const desc = known<DescService>({
    ...{ kind: "service", proto: { name }, deprecated: false, file, name, typeName },
    ...{ methods: [], method: {} },
    toString: () => `service ${typeName}`,
  });
  for (const one of methods) {
    const method = methodDesc(one, desc);
    desc.methods.push(method);
    desc.method[method.localName] = method;
  }
  return desc;
}

function methodDesc(lean: LeanService["methods"][number], parent: DescService): DescMethod {
  const [spec, parts] = split(lean);
  const [name = "", ...words] = spec.split(" ");
  const [input = "", output = ""] = words.filter((word) => word !== "stream");
  const streams = [words[0] === "stream", words.at(-2) === "stream"].map(Number).join("");
  const kinds = { "00": "unary", "10": "client_streaming", "01": "server_streaming" };
  return {
    ...{ kind: "rpc", proto: { name, [kept]: parts }, deprecated: false, parent, name },
    localName: safeObjectProperty(name.charAt(0).toLowerCase() + name.slice(1)),
    methodKind: kinds[streams as keyof typeof kinds] ?? "bidi_streaming",
    ...{ input: typeOf(input), output: typeOf(output), idempotency: 0 },
    toString: () => `rpc ${parent.typeName}.${name}`,
  } as unknown as DescMethod;
}
