/** What the options of the protos say, for the Workers and for the generators. Each is decoded once. */
import {
  type DescEnumValue,
  type DescField,
  type DescMethod,
  type DescOneof,
  getOption,
  hasOption,
} from "@bufbuild/protobuf";
import {
  field as field_rules,
  oneof as oneof_rules,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { http } from "./gen/google/api/annotations_pb.js";
import { FieldBehavior, field_behavior } from "./gen/google/api/field_behavior_pb.js";
import {
  Audience,
  events,
  iam,
  query_form,
  unimplemented_reason,
  vendor_named,
} from "./gen/platform/annotations/v1/annotations_pb.js";
import {
  name as capability_name,
  internal_only,
} from "./gen/platform/capabilities/v1/capability_pb.js";

/**
 * Keeps what is read of a descriptor: protobuf-es has options as bytes, and decodes them for every question.
 * The annotation lets a bundler drop the questions that a Worker does not ask.
 */
/* @__NO_SIDE_EFFECTS__ */
function kept<Desc extends object, Value>(read: (desc: Desc) => Value): (desc: Desc) => Value {
  const known = new WeakMap<Desc, { value: Value }>();
  return (desc) => {
    const found = known.get(desc) ?? { value: read(desc) };
    known.set(desc, found);
    return found.value;
  };
}

/** The rules of a field (buf.validate.field); undefined where it has none. */
export const fieldRules = kept((field: DescField) =>
  hasOption(field, field_rules) ? getOption(field, field_rules) : undefined,
);

/** Whether one of a oneof's fields must be set (buf.validate.oneof). */
export const isRequiredOneof = kept((oneof: DescOneof) => getOption(oneof, oneof_rules).required);

/** Only the server sets it (AIP-203). */
export const isOutputOnly = kept((field: DescField) =>
  getOption(field, field_behavior).includes(FieldBehavior.OUTPUT_ONLY),
);

/** It has the vendor's name on the wire. */
export const isVendorNamed = kept((field: DescField) => getOption(field, vendor_named));

/** The regular expression of what a query may have instead of JSON, empty for none. */
export const queryForm = kept((field: DescField) => getOption(field, query_form));

/** The dotted name of a capability, `repo.list`; empty for a value that has none. */
export const capabilityName = kept((value: DescEnumValue) => getOption(value, capability_name));

/** Whether a capability is the operator's. */
export const isInternalOnly = kept((value: DescEnumValue) => getOption(value, internal_only));

/**
 * A REST rule: `get`, the path with its variables as it stands in the proto, and the request field that is the
 * body, `*` for the whole request, empty for none.
 */
export type HttpRule = { verb: string; path: string; body: string };

/** The REST rules of a method, the main one first; none if it is called over gRPC and Connect only. */
export const httpRules = kept((method: DescMethod): HttpRule[] => {
  if (!hasOption(method, http)) return [];
  const rule = getOption(method, http);
  return [rule, ...rule.additionalBindings].map(({ pattern, body }) => ({
    verb: pattern.case ?? "",
    path: typeof pattern.value === "string" ? pattern.value : "",
    body,
  }));
});

/** What a caller must hold. */
export interface Demands {
  /** No credential is asked for. */
  open: boolean;
  /** Capability numbers, all of which must be held. */
  capabilities: number[];
  /** The call names no place at which they would be needed. */
  unscoped: boolean;
}

export const demandsOf = kept((method: DescMethod): Demands => {
  const { mode } = getOption(method, iam);
  const { capabilities = [], unscoped = false } = mode.case === "enabled" ? mode.value : {};
  return { open: mode.case === "disabled", capabilities, unscoped };
});

/** Why a method answers UNIMPLEMENTED; undefined where it is served. */
export const unimplementedReason = kept((method: DescMethod) =>
  hasOption(method, unimplemented_reason) ? getOption(method, unimplemented_reason) : undefined,
);

/** The event that a method emits, its type without `dev.<vendor>.`; undefined for none. */
export const eventAttributes = kept(
  (method: DescMethod): { type: string; audience: "customer" | "internal" } | undefined => {
    if (!hasOption(method, events)) return undefined;
    const { type, audience } = getOption(method, events);
    return { type, audience: audience === Audience.CUSTOMER ? "customer" : "internal" };
  },
);
