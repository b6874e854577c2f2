/**
 * A proto file as schema/gen has it. It holds what a running Worker reads and nothing else: neither comments
 * nor options that only generators and reflection ask for (those are in schema/gen/descriptors.binpb).
 * Written by schema/lean/write.ts, made a descriptor by descriptor.ts.
 */
import type { FieldRules } from "./rules.ts";

/** What a field has beside its spec. */
export interface FieldParts {
  /** Index of the oneof it belongs to. */
  oneof?: number;
  /** Where the JSON name is not the one that follows from the name. */
  json?: string;
  /** Of an extension: the message that it extends. */
  extends?: string;
  /** Only the server sets it (google.api.field_behavior, AIP-203). */
  outputOnly?: boolean;
  /** Called by the vendor's name on the wire (platform.annotations.v1.vendor_named). */
  vendorNamed?: boolean;
  /** What a query may have instead of JSON (platform.annotations.v1.query_form). */
  queryForm?: string;
  /** buf.validate.field. */
  rules?: FieldRules;
}

/** What a value of an enum has beside its spec: of a capability, how it is called and whether it is internal. */
export interface ValueParts {
  word?: string;
  internal?: boolean;
}

/** What a method has beside its spec: the options of platform.annotations.v1, and google.api.http. */
export interface MethodParts {
  /** The REST rules, the main one first; `body` is `*` for the whole request, empty for none. */
  http?: [verb: string, template: string, body: string][];
  /** Anybody may call it. */
  open?: boolean;
  /** Numbers of the capabilities that are needed, all of them. */
  capabilities?: number[];
  /** The call names no place at which they would be needed. */
  unscoped?: boolean;
  /** Why it answers UNIMPLEMENTED. */
  leftOut?: string;
  event?: { type: string; audience: "customer" | "internal" };
}

/**
 * `uid 1 string`, `tags 2 repeated platform.registry.v2.Tag`, `kind 3 enum platform.iam.v2.OrgKind`,
 * `email 4 optional string`, `limits 5 map string int32`: name, number and type, as a proto has them.
 */
export type LeanField = string | [spec: string, parts: FieldParts];

export interface LeanMessage {
  name: string;
  fields?: LeanField[];
  /** Names; one that must be set ends in `!` (buf.validate.oneof.required). */
  oneofs?: string[];
  messages?: LeanMessage[];
  enums?: LeanEnum[];
}

/** Values are `NAME number`. */
export interface LeanEnum {
  name: string;
  /** `org_kind_`, where every value begins so; local names leave it out. */
  prefix?: string;
  values: (string | [spec: string, parts: ValueParts])[];
}

/** Methods are `Name input output`; `stream` stands before a type that is streamed. */
export interface LeanService {
  name: string;
  methods: (string | [spec: string, parts: MethodParts])[];
}

export interface LeanFile {
  /** `platform/iam/v2/groups.proto`. */
  path: string;
  package: string;
  messages?: LeanMessage[];
  enums?: LeanEnum[];
  services?: LeanService[];
  extensions?: LeanField[];
}
