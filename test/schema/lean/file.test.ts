import {
  type DescEnumValue,
  type DescExtension,
  type DescField,
  type DescMessage,
  type DescMethod,
  getOption,
  hasOption,
} from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { registry } from "../../../schema/descriptors.ts";
import { http } from "../../../schema/gen/google/api/annotations_pb.js";
import { FieldBehavior, field_behavior } from "../../../schema/gen/google/api/field_behavior_pb.js";
import {
  Audience,
  events,
  iam,
  left_out,
  query_form,
  vendor_named,
} from "../../../schema/gen/platform/annotations/v1/annotations_pb.js";
import {
  name as capabilityName,
  internal_only,
} from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { fieldParts, methodParts, valueParts } from "../../../schema/lean/descriptor.ts";
import { lean, leanFiles, messagesIn } from "./modules.ts";

/** What the whole protos say of the files that are lean, those of others too. */
const files = leanFiles.map(({ proto }) => {
  const file = registry.getFile(proto.name);
  if (!file) throw new Error(`${proto.name} is not among the protos`);
  return file;
});

/**
 * All that a codec, a mask or a handler can ask of a field; what is about options is decoded. That a field is
 * deprecated is for readers of the proto, and left out.
 */
function facts({ proto, parent, oneof, message, enum: ofEnum, ...others }: DescField) {
  const {
    getDefaultValue: _,
    toString: __,
    deprecated: ___,
    ...plain
  } = others as Record<string, unknown>;
  return {
    ...plain,
    ...{ parent: parent.typeName, oneof: oneof?.localName },
    ...{ message: message?.typeName, enum: ofEnum?.typeName },
    isOptional: proto.proto3Optional ?? false,
  };
}

/** What the options of the whole proto say, in the words of the lean one. */
const optionsOf = (field: DescField) => ({
  ...(hasOption(field, field_behavior) &&
  getOption(field, field_behavior).includes(FieldBehavior.OUTPUT_ONLY)
    ? { outputOnly: true }
    : {}),
  ...(hasOption(field, vendor_named) ? { vendorNamed: getOption(field, vendor_named) } : {}),
  ...(hasOption(field, query_form) ? { queryForm: getOption(field, query_form) } : {}),
});

const shape = (message: DescMessage) => ({
  name: message.typeName,
  fields: message.fields.map(facts),
  members: message.members.map((member) => member.localName),
  oneofs: message.oneofs.map((oneof) => [oneof.name, oneof.fields.map((field) => field.name)]),
  enums: message.nestedEnums.map((one) => one.typeName),
  messages: message.nestedMessages.map((one) => one.typeName),
});

test.each(files.flatMap((file) => messagesIn(file.messages)).map((one) => [one.typeName, one]))(
  "%s has every field of its proto",
  (name, whole) => {
    const found = lean.getMessage(name as string);
    expect(found && shape(found)).toEqual(shape(whole as DescMessage));
    for (const field of (whole as DescMessage).fields) {
      const { outputOnly, vendorNamed, queryForm } = fieldParts(
        found?.field[field.localName] as DescField,
      );
      expect({ outputOnly, vendorNamed, queryForm }, field.name).toEqual(optionsOf(field));
    }
  },
);

test("every enum has every value, with its number and what it is called", () => {
  const wholes = files.flatMap((file) => [
    ...file.enums,
    ...messagesIn(file.messages).flatMap((one) => one.nestedEnums),
  ]);
  expect(wholes.length).toBeGreaterThan(20);
  for (const whole of wholes) {
    const told = ({ name, number, localName }: DescEnumValue) => ({ name, number, localName });
    const found = lean.getEnum(whole.typeName)?.values ?? [];
    expect(found.map((value) => ({ ...told(value), ...valueParts(value) }))).toEqual(
      whole.values.map((value) => ({
        ...told(value),
        ...(hasOption(value, capabilityName) ? { word: getOption(value, capabilityName) } : {}),
        ...(getOption(value, internal_only) ? { internal: true } : {}),
      })),
    );
  }
});

/** As {@link optionsOf}, of a method. */
function methodOptions(method: DescMethod) {
  const rule = getOption(method, http);
  const { mode } = getOption(method, iam);
  const demands = mode.case === "enabled" ? mode.value : { capabilities: [], unscoped: false };
  const { type, audience } = getOption(method, events);
  return {
    ...(hasOption(method, http)
      ? {
          http: [rule, ...rule.additionalBindings].map(({ pattern, body }) => [
            ...[pattern.case?.toUpperCase(), pattern.value, body],
          ]),
        }
      : {}),
    ...{ open: mode.case === "disabled", unscoped: demands.unscoped },
    capabilities: demands.capabilities,
    ...(hasOption(method, left_out) ? { leftOut: getOption(method, left_out) } : {}),
    ...(hasOption(method, events)
      ? { event: { type, audience: audience === Audience.CUSTOMER ? "customer" : "internal" } }
      : {}),
  };
}

test("every method has its types, its address, what it demands and its event", () => {
  const methods = files.flatMap((file) => file.services.flatMap((service) => service.methods));
  expect(methods.length).toBeGreaterThan(200);
  for (const whole of methods) {
    const told = ({ name, localName, methodKind, idempotency, input, output }: DescMethod) => ({
      ...{ name, localName, methodKind, idempotency },
      ...{ input: input.typeName, output: output.typeName },
    });
    const found = lean.getService(whole.parent.typeName)?.method[whole.localName] as DescMethod;
    expect(told(found)).toEqual(told(whole));
    const { capabilities = [], open = false, unscoped = false, ...rest } = methodParts(found);
    expect({ ...rest, capabilities, open, unscoped }, whole.name).toEqual(methodOptions(whole));
  }
});

// But for `packed`, which google.api.field_behavior has its own way: no Worker writes an option.
test("every extension has the name, number and type of its proto", () => {
  const told = ({ typeName, number, jsonName, presence, extendee, ...type }: DescExtension) => ({
    ...{ typeName, number, jsonName, presence, extendee: extendee.typeName },
    ...{ fieldKind: type.fieldKind, scalar: type.scalar },
    listKind: type.fieldKind === "list" ? type.listKind : undefined,
    ...{ message: type.message?.typeName, enum: type.enum?.typeName },
  });
  const wholes = files.flatMap((file) => file.extensions);
  expect(wholes.length).toBeGreaterThan(5);
  for (const whole of wholes) {
    const found = lean.getExtension(whole.typeName);
    expect(found && told(found)).toEqual(told(whole));
  }
});
