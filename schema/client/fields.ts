/** The meaning of a field's rules for clients that read or write it in JSON. */
import { type DescField, getOption, hasOption, ScalarType } from "@bufbuild/protobuf";
import {
  field as fieldRules,
  Ignore,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { FieldBehavior, field_behavior } from "../gen/google/api/field_behavior_pb.js";
import { resource } from "../gen/google/api/resource_pb.js";
import { may_be_absent } from "../gen/platform/annotations/v1/annotations_pb.js";

const behaves = (field: DescField, behavior: FieldBehavior) =>
  hasOption(field, field_behavior) && getOption(field, field_behavior).includes(behavior);

/** Whether the server sets the field. The value that a client sends is ignored. */
export const isOutputOnly = (field: DescField) => behaves(field, FieldBehavior.OUTPUT_ONLY);

/** Whether the field is never shown. */
export const isInputOnly = (field: DescField) => behaves(field, FieldBehavior.INPUT_ONLY);

/** Whether leaving out the field is an error. A field that may be empty may be left out, whatever its behavior says. */
export const isRequired = (field: DescField) =>
  behaves(field, FieldBehavior.REQUIRED) && rulesOf(field)?.ignore !== Ignore.IF_ZERO_VALUE;

const rulesOf = (field: DescField) =>
  hasOption(field, fieldRules) ? getOption(field, fieldRules) : undefined;

const ofEveryResource = ["uid", "create_time", "update_time"];

/**
 * Whether every response contains the field. Numbers and booleans always appear, even if they are zero. A text appears
 * if it cannot be empty. Every resource has a uid and its times.
 */
export function isAlwaysShown(field: DescField): boolean {
  if (field.oneof || field.proto.proto3Optional || isInputOnly(field)) return false;
  if (hasOption(field, may_be_absent)) return false;
  if (hasOption(field.parent, resource) && ofEveryResource.includes(field.name)) return true;
  if (field.fieldKind !== "scalar" || field.scalar === ScalarType.BYTES) return false;
  return field.scalar !== ScalarType.STRING || (isRequired(field) && refusesEmpty(field));
}

function refusesEmpty(field: DescField): boolean {
  const rules = rulesOf(field)?.type;
  if (rules?.case !== "string") return false;
  const { pattern, minLen } = rules.value;
  return minLen > 0n || (pattern !== "" && !new RegExp(pattern).test(""));
}
