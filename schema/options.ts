/** Reads the options of the protos, for the Workers and the generators. Each is decoded once. */
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
  iam_scope,
  query_form,
  unimplemented_reason,
  vendor_named,
} from "./gen/platform/annotations/v1/annotations_pb.js";
import {
  name as capability_name,
  internal_only,
} from "./gen/platform/capabilities/v1/capability_pb.js";

/**
 * Caches a result for each descriptor. protobuf-es stores options as bytes and decodes them on each read. The
 * annotation lets a bundler drop the readers that a Worker does not call.
 */
/* @__NO_SIDE_EFFECTS__ */
function kept<Desc extends object, Value>(read: (desc: Desc) => Value): (desc: Desc) => Value {
  const known = new WeakMap<Desc, { value: Value }>();
  return (desc) => {
    const entry = known.get(desc) ?? { value: read(desc) };
    known.set(desc, entry);
    return entry.value;
  };
}

/** The rules of a field (buf.validate.field). Undefined if it has none. */
export const fieldRules = kept((field: DescField) =>
  hasOption(field, field_rules) ? getOption(field, field_rules) : undefined,
);

/** Whether one field of a oneof is required (buf.validate.oneof). */
export const isRequiredOneof = kept((oneof: DescOneof) => getOption(oneof, oneof_rules).required);

/** Only the server sets the field (AIP-203). */
export const isOutputOnly = kept((field: DescField) =>
  getOption(field, field_behavior).includes(FieldBehavior.OUTPUT_ONLY),
);

/** Only the caller sets the field, and no answer has it (AIP-203). */
export const isInputOnly = kept((field: DescField) =>
  getOption(field, field_behavior).includes(FieldBehavior.INPUT_ONLY),
);

/** The field contains the uid where the caller needs the capabilities, or the message with that uid. */
export const isScopeField = kept((field: DescField) => getOption(field, iam_scope));

/** The field has the vendor's name on the wire. */
export const isVendorNamed = kept((field: DescField) => getOption(field, vendor_named));

/** The regular expression for the text that a query can contain instead of JSON. Empty if there is none. */
export const queryForm = kept((field: DescField) => getOption(field, query_form));

/** The dotted name of a capability, such as `repo.list`. Empty for a value without one. */
export const capabilityName = kept((value: DescEnumValue) => getOption(value, capability_name));

/** Whether only the operator can have a capability. */
export const isInternalOnly = kept((value: DescEnumValue) => getOption(value, internal_only));

/**
 * A REST rule: the method, the path with its variables as in the proto, and the request field that is the
 * body. `*` is the whole request, and an empty text means that there is no body.
 */
export type HttpRule = { verb: string; path: string; body: string };

/**
 * The REST rules of a method, the main one first. Empty if the method is only available over gRPC and
 * Connect.
 */
export const httpRules = kept((method: DescMethod): HttpRule[] => {
  if (!hasOption(method, http)) return [];
  const rule = getOption(method, http);
  return [rule, ...rule.additionalBindings].map(({ pattern, body }) => ({
    verb: pattern.case ?? "",
    path: typeof pattern.value === "string" ? pattern.value : "",
    body,
  }));
});

/** The requirements of a method for its caller. */
export interface Demands {
  /** The method requires no credential. */
  open: boolean;
  /** The numbers of the capabilities. The caller needs all of them. */
  capabilities: number[];
  /** The call names no resource where the capabilities would be required. */
  unscoped: boolean;
}

export const demandsOf = kept((method: DescMethod): Demands => {
  const { mode } = getOption(method, iam);
  const { capabilities = [], unscoped = false } = mode.case === "enabled" ? mode.value : {};
  return { open: mode.case === "disabled", capabilities, unscoped };
});

/** The reason why a method is UNIMPLEMENTED. Undefined if it is served. */
export const unimplementedReason = kept((method: DescMethod) =>
  hasOption(method, unimplemented_reason) ? getOption(method, unimplemented_reason) : undefined,
);

/** The type of the event of a method, without `dev.<vendor>.`. Undefined if there is none. */
export const eventAttributes = kept(
  (method: DescMethod): { type: string; audience: "customer" | "internal" } | undefined => {
    if (!hasOption(method, events)) return undefined;
    const { type, audience } = getOption(method, events);
    return { type, audience: audience === Audience.CUSTOMER ? "customer" : "internal" };
  },
);

/**
 * Whether a method of version 2 supports `If-Match`: it changes or deletes one resource, and its message has the update
 * time that is part of the etag.
 */
export function takesIfMatch({ name, output }: DescMethod): boolean {
  if (name.startsWith("Delete")) return true;
  return name.startsWith("Update") && output.fields.some((field) => field.name === "update_time");
}
