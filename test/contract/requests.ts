/** The smallest valid requests, built from the descriptors, as proto JSON. */
import {
  type DescField,
  type DescMessage,
  getOption,
  hasOption,
  type JsonObject,
  type JsonValue,
  ScalarType,
} from "@bufbuild/protobuf";
import { field as fieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { FieldBehavior, field_behavior } from "../../schema/gen/google/api/field_behavior_pb.js";
import { samplePublicKey } from "../world/sample_key.ts";
import { csafDocument, openVexDocument } from "../world/vex_documents.ts";
import type { ContractRpc } from "./rpcs.ts";
import { v1Requests } from "./v1_requests.ts";

/** The smallest SPDX document with a name, in the form of a request. */
export const sbomContent = (name: string) =>
  Buffer.from(
    JSON.stringify({
      spdxVersion: "SPDX-2.3",
      SPDXID: "SPDXRef-DOCUMENT",
      name,
      packages: [{ SPDXID: "SPDXRef-1", name: "openssl", versionInfo: "3.0.11" }],
      creationInfo: { created: "2026-01-01T00:00:00Z", creators: ["Tool: sample-1.0"] },
    }),
  ).toString("base64");

/** Values for patterns. The first match is used. */
const samples = [
  "sample",
  "latest",
  `sha256:${"0".repeat(64)}`,
  "0".repeat(40),
  "https://sample.example",
  "000000000000",
];

/** Values for messages of google.protobuf. */
const wellKnown: Record<string, JsonValue> = {
  "google.protobuf.Duration": "3600s",
  "google.protobuf.Timestamp": "2026-01-01T00:00:00.000Z",
};

const emptyManifest = btoa(JSON.stringify({ config: { size: 1 }, layers: [] }));

const emptyReport = btoa(
  JSON.stringify({ matches: [], descriptor: { name: "grype", timestamp: "2026-01-01T00:00:00Z" } }),
);

/** Fields for which the proto gives no rule. */
const values: Record<string, JsonValue> = {
  "platform.iam.v2.EndSessionsRequest.uids": [`${"0".repeat(40)}/${"0".repeat(16)}`],
  "platform.registry.v2.Manifest.content": emptyManifest,
  "platform.registry.v2.VulnReport.content": emptyReport,
  "platform.registry.v2.Manifest.media_type": "application/vnd.oci.image.manifest.v1+json",
  "platform.registry.v2.TagRule.include_tags": ["kept-sample"],
  "platform.registry.v2.TrustPolicy.public_keys": [samplePublicKey],
  "platform.registry.v2.Sbom.content": sbomContent("sample"),
  "platform.iam.v2.AcceptTermsRequest.document_ids": ["sfdpa.v1"],
  "platform.iam.v2.LookupIdentityRequest.issuer": "https://sample.example",
  "platform.events.v2.Subscription.sink": "https://sample.example",
  "platform.iam.quotas.v2.UpdateQuotaRequest.limit": "9000000",
  "platform.iam.quotas.v2.UpdateDefaultQuotaRequest.limit": "9000000",
  "platform.iam.v2.IdentityProvider.OIDC.issuer": "https://sample.example",
  "platform.vulnerabilities.v2.ExportAdvisoryRequest.format": "osv",
  "platform.vulnerabilities.v2.ImportOpenVexDocumentsRequest.documents": [
    openVexDocument("CVE-2026-1001"),
  ],
  "platform.vulnerabilities.v2.ImportCsafDocumentsRequest.documents": [
    csafDocument("CVE-2026-1002"),
  ],
  "platform.vulnerabilities.v2.ImportOsvRecordsRequest.records": [
    {
      id: "SAMPLE-1",
      modified: "2026-01-01T00:00:00Z",
      affected: [{ package: { ecosystem: "PyPI", name: "sample" } }],
    },
  ],
};

/** Filters for Lists that would otherwise return the data of all other tests. */
const narrowed: Record<string, JsonObject> = {
  "SecurityAdvisoryService/ListDocuments": { id: "sample" },
};

/** The kind of a tag rule. */
const rulePaths = ["tag_rule.keep", "tag_rule.keep.write_once"];

/** Fields that a Create requires, although their messages do not say so because other RPCs use them too. */
const needed: Record<string, string[]> = {
  "RoleBindingsService/CreateRoleBinding": ["role_binding.identity_uid", "role_binding.role_uid"],
  "RoleBindingsService/BatchCreateRoleBindings": [
    "requests.role_binding.identity_uid",
    "requests.role_binding.role_uid",
  ],
  "RolesService/CreateRole": ["role.capabilities"],
  "IdentityProvidersService/CreateIdentityProvider": ["identity_provider.oidc"],
  "TagRulesService/CreateTagRule": rulePaths,
  "TagRulesService/PreviewTagRule": rulePaths,
  "TagRulesService/CheckTag": ["delete"],
  "TrustPoliciesService/CreateTrustPolicy": ["trust_policy.public_keys"],
  "QuotasService/UpdateQuota": ["limit"],
  "QuotasService/UpdateDefaultQuota": ["limit"],
  "SecurityTokenService/Exchange": ["aud"],
  "SecurityTokenService/ExchangeRefreshToken": ["aud"],
};

/** Fields marked as REQUIRED that can be empty, and the source of that. */
const mayBeEmpty = [
  // In a batch the parent of an item may be left to the batch (v2-operations: open question).
  "BatchCreateRoleBindings:requests.parent",
  // An organization is a group without a parent (v2-operations: CreateGroup).
  "CreateGroup:parent",
  // False is off.
  "SetScimEnabled:enabled",
];

const behaves = (field: DescField, behavior: FieldBehavior) =>
  hasOption(field, field_behavior) && getOption(field, field_behavior).includes(behavior);

/** The pattern in the proto for a string, or for the strings of a list. */
export function patternOf(field: DescField): string | undefined {
  if (!hasOption(field, fieldRules)) return undefined;
  const { type } = getOption(field, fieldRules);
  const rules = type.case === "repeated" ? (type.value.items?.type ?? type) : type;
  return rules.case === "string" && rules.value.pattern !== "" ? rules.value.pattern : undefined;
}

function sample(field: DescField, path: string): JsonValue {
  const known = values[`${field.parent.typeName}.${field.name}`];
  if (known !== undefined) return known;
  const kind = field.fieldKind === "list" ? field.listKind : field.fieldKind;
  const plain = field.message && wellKnown[field.message.typeName];
  if (plain !== undefined) return plain;
  if (kind === "scalar" && field.scalar === ScalarType.BOOL) return true;
  if (kind === "enum" && field.enum) return field.enum.values[1]?.name ?? "";
  if (kind === "scalar" && field.scalar === ScalarType.STRING) {
    const pattern = new RegExp(patternOf(field) ?? "");
    const fit = samples.find((one) => pattern.test(one));
    if (fit !== undefined) return fit;
  }
  throw new Error(`no sample for ${path}: add one to requests.ts`);
}

const isUpdate = ({ method }: ContractRpc) =>
  method.input.fields.some((field) => field.name === "update_mask");

/** Whether a request without the field is refused. A partial update requires no field of its resource. */
/** Fields that a request has although it need not: rules that match no tag of another test. */
const given = ["tag_rule.include_tags"];

function isNeeded(rpc: ContractRpc, field: DescField, path: string): boolean {
  if (mayBeEmpty.includes(`${rpc.method.name}:${path}`)) return false;
  if (needed[rpc.name]?.includes(path)) return true;
  if (isUpdate(rpc) && path.includes(".")) return rpc.scope?.includes(field) ?? false;
  return behaves(field, FieldBehavior.REQUIRED);
}

/** A required field of a request: its proto path (`role.name`) and its name in a violation. */
export interface RequiredField {
  path: string[];
  /** The name in a violation. Within the resource it is relative to the resource. */
  violationField: string;
}

/** Every field that a request of the RPC requires. */
export const requiredFields = (rpc: ContractRpc): RequiredField[] =>
  collectRequired(rpc, rpc.method.input, [], "");

function collectRequired(
  rpc: ContractRpc,
  desc: DescMessage,
  above: string[],
  violationField: string,
): RequiredField[] {
  return desc.fields.flatMap((field): RequiredField[] => {
    const path = [...above, field.name];
    if (!isNeeded(rpc, field, path.join("."))) return [];
    const within = above.length === 0 && field.name === rpc.body;
    const here = violationField === "" ? field.name : `${violationField}.${field.name}`;
    // A missing oneof is reported by the name of the oneof.
    const oneof = field.oneof && here.replace(/[^.]+$/, field.oneof.name);
    const one = { path, violationField: oneof ?? here };
    if (field.fieldKind === "message" && !isWellKnown(field.message)) {
      return [one, ...collectRequired(rpc, field.message, path, within ? "" : here)];
    }
    if (field.fieldKind === "list" && field.listKind === "message" && !isWellKnown(field.message)) {
      return [one, ...collectRequired(rpc, field.message, path, `${here}[0]`)];
    }
    return [one];
  });
}

const isWellKnown = (desc: DescMessage) => desc.typeName.startsWith("google.protobuf.");

/** The smallest request that meets the RPC's rules, for `scope`. */
export function minimalRequest(rpc: ContractRpc, scope: string): JsonObject {
  const json = rpc.isV1
    ? structuredClone(v1Requests[rpc.name] ?? {})
    : { ...fill(rpc, rpc.method.input, ""), ...narrowed[rpc.name] };
  if (rpc.scope) setFieldAt(json, rpc.scope, scope);
  return json;
}

function fill(rpc: ContractRpc, desc: DescMessage, above: string): JsonObject {
  const json: JsonObject = {};
  for (const field of desc.fields) {
    const path = above === "" ? field.name : `${above}.${field.name}`;
    if (!isNeeded(rpc, field, path) && !given.includes(path)) continue;
    const message = "message" in field && field.message ? field.message : undefined;
    const plain = message === undefined || isWellKnown(message);
    const value = plain ? sample(field, path) : fill(rpc, message, path);
    json[field.jsonName] = field.fieldKind === "list" && !Array.isArray(value) ? [value] : value;
  }
  return json;
}

/** Sets a field in the JSON of a request. */
export function setFieldAt(json: JsonObject, path: readonly DescField[], value: JsonValue): void {
  const [field, ...rest] = path;
  if (!field) return;
  if (rest.length === 0) {
    json[field.jsonName] = value;
    return;
  }
  const inner = (json[field.jsonName] ?? {}) as JsonObject;
  json[field.jsonName] = inner;
  setFieldAt(inner, rest, value);
}

/** The request without one field. In a list, the first item loses the field. */
export function withoutField(json: JsonObject, desc: DescMessage, path: string[]): JsonObject {
  const [name = "", ...rest] = path;
  const field = desc.fields.find((one) => one.name === name);
  if (!field) throw new Error(`${desc.typeName} has no ${name}`);
  const { [field.jsonName]: value, ...others } = json;
  if (rest.length === 0 || !("message" in field) || !field.message) return others;
  const { message } = field;
  const inner = Array.isArray(value)
    ? value.map((item) => withoutField(item as JsonObject, message, rest))
    : withoutField(value as JsonObject, message, rest);
  return { ...others, [field.jsonName]: inner };
}

/** An update with the mask that REST reads from the body. */
export function masked(rpc: ContractRpc, request: JsonObject): JsonObject {
  const { uid: _, ...resource } = (Object.values(request)[0] ?? {}) as JsonObject;
  const isWhole =
    !rpc.method.input.fields.some(({ name }) => name === "update_mask") ||
    rpc.verb !== "PATCH" ||
    Object.keys(resource).length === 0 ||
    request.updateMask !== undefined;
  const paths = Object.entries(resource).flatMap(([name, value]) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.keys(value).map((inner) => `${name}.${inner}`)
      : [name],
  );
  return isWhole ? request : { ...request, updateMask: paths.join(",") };
}
