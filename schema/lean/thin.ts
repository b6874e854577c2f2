/** A descriptor as a lean file: what a running Worker reads of it. */
import {
  type AnyDesc,
  type DescEnum,
  type DescEnumValue,
  type DescExtension,
  type DescField,
  type DescFile,
  type DescMessage,
  type DescMethod,
  type DescOneof,
  type DescService,
  type ExtensionValueShape,
  getOption,
  hasOption,
  ScalarType,
  toJson,
} from "@bufbuild/protobuf";
import { protoCamelCase } from "@bufbuild/protobuf/reflect";
import {
  FieldRulesSchema,
  field as fieldRules,
  message as messageRules,
  oneof as oneofRules,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { http } from "../gen/google/api/annotations_pb.js";
import { FieldBehavior, field_behavior } from "../gen/google/api/field_behavior_pb.js";
import type { HttpRule } from "../gen/google/api/http_pb.js";
import {
  Audience,
  events,
  iam,
  left_out,
  query_form,
  vendor_named,
} from "../gen/platform/annotations/v1/annotations_pb.js";
import {
  name as capabilityName,
  internal_only,
} from "../gen/platform/capabilities/v1/capability_pb.js";
import type {
  LeanEnum,
  LeanField,
  LeanFile,
  LeanMessage,
  LeanService,
  MethodParts,
  ValueParts,
} from "./file.ts";
import { type FieldRules, known } from "./rules.ts";

/** Throws where a proto says what a lean file has no word for. */
export function leanFile(file: DescFile): LeanFile {
  if (file.proto.syntax !== "proto3") throw new Error(`${file.name} is not proto3`);
  return {
    path: file.proto.name,
    package: file.proto.package,
    ...some("messages", file.messages.map(leanMessage)),
    ...some("enums", file.enums.map(leanEnum)),
    ...some("services", file.services.map(leanService)),
    ...some("extensions", file.extensions.map(leanField)),
  };
}

/** A member, where there is something to put in it. */
const some = <Name extends string, One>(name: Name, list: One[]) =>
  (list.length > 0 ? { [name]: list } : {}) as { [K in Name]?: One[] };

function leanMessage(message: DescMessage): LeanMessage {
  if (hasOption(message, messageRules)) throw new Error(`${message} has rules of its own`);
  if (message.nestedExtensions.length > 0) throw new Error(`${message} has extensions within`);
  return {
    name: message.name,
    ...some("fields", message.fields.map(leanField)),
    ...some("oneofs", message.oneofs.map(oneofText)),
    ...some("messages", message.nestedMessages.map(leanMessage)),
    ...some("enums", message.nestedEnums.map(leanEnum)),
  };
}

function oneofText(oneof: DescOneof, at: number): string {
  // Those of `optional` fields stand behind all others, and are left out.
  if (oneof.parent.proto.oneofDecl[at] !== oneof.proto) throw new Error(`${oneof} is out of order`);
  const isRequired = hasOption(oneof, oneofRules) && getOption(oneof, oneofRules).required;
  return isRequired ? `${oneof.name}!` : oneof.name;
}

const leanEnum = ({ name, sharedPrefix, values }: DescEnum): LeanEnum => ({
  name,
  ...(sharedPrefix ? { prefix: sharedPrefix } : {}),
  values: values.map((value) => withParts(`${value.name} ${value.number}`, valuePartsOf(value))),
});

const leanService = ({ name, methods }: DescService): LeanService => ({
  name,
  methods: methods.map((method) => withParts(methodText(method), methodPartsOf(method))),
});

function methodText({ name, proto, input, output, idempotency }: DescMethod): string {
  if (idempotency) throw new Error(`${name} has an idempotency level`);
  const type = (isStream: boolean, { typeName }: DescMessage) =>
    isStream ? `stream ${typeName}` : typeName;
  return `${name} ${type(proto.clientStreaming, input)} ${type(proto.serverStreaming, output)}`;
}

const withParts = <Parts extends object>(spec: string, parts: Parts): string | [string, Parts] =>
  Object.keys(parts).length > 0 ? [spec, parts] : spec;

/** The option's value, or undefined where the proto does not give it. */
const given = <Extension extends DescExtension>(desc: AnyDesc, option: Extension) =>
  hasOption(desc as never, option as never)
    ? (getOption(desc as never, option as never) as ExtensionValueShape<Extension>)
    : undefined;

function valuePartsOf(value: DescEnumValue): ValueParts {
  const word = given(value, capabilityName);
  return {
    ...(word === undefined ? {} : { word }),
    ...(given(value, internal_only) ? { internal: true } : {}),
  };
}

function methodPartsOf(method: DescMethod): MethodParts {
  const rule = given(method, http);
  const mode = given(method, iam)?.mode;
  const leftOut = given(method, left_out);
  const event = given(method, events);
  const audience = event?.audience === Audience.CUSTOMER ? "customer" : "internal";
  return {
    ...(rule ? { http: [rule, ...rule.additionalBindings].map(httpText) } : {}),
    ...(mode?.case === "disabled" ? { open: true } : {}),
    ...(mode?.case === "enabled" ? some("capabilities", mode.value.capabilities) : {}),
    ...(mode?.case === "enabled" && mode.value.unscoped ? { unscoped: true } : {}),
    ...(leftOut === undefined ? {} : { leftOut }),
    ...(event ? { event: { type: event.type, audience } } : {}),
  };
}

function httpText({ pattern, body }: HttpRule): [string, string, string] {
  if (pattern.case === undefined || pattern.case === "custom")
    throw new Error("a rule has no verb");
  return [pattern.case.toUpperCase(), pattern.value, body];
}

function leanField(field: DescField | DescExtension): LeanField {
  const { name, number, proto } = field;
  const rules = rulesIn(field);
  const isOther = field.kind === "field" && field.jsonName !== protoCamelCase(name);
  const parts = {
    ...(field.oneof ? { oneof: proto.oneofIndex } : {}),
    ...(isOther ? { json: field.jsonName } : {}),
    ...(field.kind === "extension" ? { extends: field.extendee.typeName } : {}),
    ...(given(field, field_behavior)?.includes(FieldBehavior.OUTPUT_ONLY)
      ? { outputOnly: true }
      : {}),
    ...(given(field, vendor_named) ? { vendorNamed: true } : {}),
    ...(given(field, query_form) ? { queryForm: given(field, query_form) } : {}),
    ...(rules ? { rules } : {}),
  };
  const optional = proto.proto3Optional && field.kind === "field" ? "optional " : "";
  const spec = `${name} ${number} ${optional}${typeText(field)}`;
  return withParts(spec, parts);
}

function typeText(field: DescField | DescExtension): string {
  const { packed, jstype, features } = field.proto.options ?? {};
  if (packed || jstype || features) throw new Error(`${field} is written in a way of its own`);
  if (field.fieldKind === "map") return `map ${scalarText(field.mapKey)} ${single(field)}`;
  return field.fieldKind === "list" ? `repeated ${single(field)}` : single(field);
}

function single({ message, enum: ofEnum, scalar }: DescField | DescExtension): string {
  if (message) return message.typeName;
  return ofEnum ? `enum ${ofEnum.typeName}` : scalarText(scalar);
}

const scalarText = (scalar: ScalarType | undefined) => ScalarType[scalar ?? 0]?.toLowerCase() ?? "";

function rulesIn(field: DescField | DescExtension): FieldRules | undefined {
  if (field.kind !== "field" || !hasOption(field, fieldRules)) return undefined;
  const rules = toJson(FieldRulesSchema, getOption(field, fieldRules)) as FieldRules;
  // They are compared with ===.
  if (rules.repeated?.unique && (field.message || field.scalar === ScalarType.BYTES)) {
    throw new Error(`${field} is to have unique messages or bytes`);
  }
  return numbered(rules, `${field}`);
}

/**
 * Throws for a pattern that RE2 and JavaScript read differently: classes of letters beyond ASCII, a dot, flags.
 * `[\\S ]` is known to schema/lean/values.ts.
 */
function checkPattern(pattern: string, where: string): void {
  const rest = pattern.replaceAll("[\\S ]", "").replace(/\\[^a-zA-Z]/g, "");
  const outside = rest.replace(/\[[^\]]*\]/g, "");
  if (/\\|\[\[:/.test(rest) || /\.|\(\?/.test(outside)) {
    throw new Error(`${where}: JavaScript may read ${pattern} in another way than RE2`);
  }
}

/** The rules with numbers where JSON has them as strings. Throws for a rule that is not known. */
function numbered({ required, ignore, ...byType }: FieldRules, where: string): FieldRules {
  if (ignore && ignore !== "IGNORE_IF_ZERO_VALUE") throw new Error(`${where}: ${ignore}`);
  const entries = Object.entries(byType).map(([type, rules]) => {
    const members = Object.entries(rules).map(([name, value]: [string, unknown]) => {
      if (!known[type]?.includes(name)) throw new Error(`${where}: no rule ${type}.${name}`);
      if (["items", "keys", "values"].includes(name)) {
        const inner = numbered(value as FieldRules, where);
        if (inner.required || inner.ignore) throw new Error(`${where}: ${name} may be left out`);
        return [name, inner];
      }
      if (name === "pattern") checkPattern(String(value), where);
      const isNumber = typeof value === "string" && type !== "string" && /^-?\d+$/.test(value);
      return [name, isNumber || /^m..(Len|Bytes)$/.test(name) ? Number(value) : value];
    });
    return [type, Object.fromEntries(members)];
  });
  return {
    ...(required ? { required } : {}),
    ...(ignore ? { ignore } : {}),
    ...Object.fromEntries(entries),
  };
}
