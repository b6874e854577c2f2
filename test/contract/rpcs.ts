/** Every RPC with the data of its descriptor. The loops in this folder use it. */
import { type DescField, type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import { services } from "../../schema/descriptors.ts";
import { http } from "../../schema/gen/google/api/annotations_pb.js";
import {
  type EventAttributes,
  events,
  iam,
  iam_scope,
  unimplemented_reason,
} from "../../schema/gen/platform/annotations/v1/annotations_pb.js";
import { tiers } from "../world/tiers.ts";

/** The HTTP rules of a method, including its additional bindings. */
export function httpRulesOf(method: DescMethod): { verb: string; path: string; body: string }[] {
  if (!hasOption(method, http)) return [];
  const rule = getOption(method, http);
  return [rule, ...rule.additionalBindings].map(({ pattern, body }) => ({
    verb: pattern.case?.toUpperCase() ?? "",
    path: typeof pattern.value === "string" ? pattern.value : "",
    body,
  }));
}

/** One RPC, with the requirements and properties in its options. */
export interface ContractRpc {
  /** `GroupsService/GetGroup`. In version 1 `iam.Groups/List`, because some names there occur twice. */
  name: string;
  /** Whether it belongs to version 1. */
  isV1: boolean;
  method: DescMethod;
  verb: string;
  /** `/iam/v2/groups/{group.uid=**}`. */
  template: string;
  /** The request field that is the REST body. `*` is the whole request, and an empty text stands for none. */
  body: string;
  /** Whether it is called without a token. */
  open: boolean;
  capabilities: number[];
  /** Whether it is marked as unscoped: the caller's grants limit the rows. */
  unscoped: boolean;
  /**
   * The path of the field with the uid that decides about access. For an unscoped RPC, the uid or parent that
   * its handler checks by hand (contract: GetRole, CreateGroup), if there is one.
   */
  scope: DescField[] | undefined;
  event: EventAttributes | undefined;
}

function scopeOf(fields: readonly DescField[]): DescField[] | undefined {
  const field = fields.find((one) => getOption(one, iam_scope));
  if (!field) return undefined;
  if (field.fieldKind !== "message") return [field];
  return [field, ...(scopeOf(field.message.fields) ?? [])];
}

function handChecked({ input }: DescMethod): DescField[] | undefined {
  // A filter may hold a uid, but asks for no place. In version 1 it is the request itself.
  if (input.fields.some(({ name }) => name === "uidp") && /Filter$/.test(input.name)) {
    return undefined;
  }
  const field = input.fields.find(({ name }) => name === "uid" || name === "parent");
  return field && [field];
}

/** The packages of version 1 have no version in their name, except one (contract: v1-operations). */
const isOfV1 = ({ parent }: DescMethod) =>
  !/\.v2$|\.oidc$/.test(parent.file.proto.package) && !parent.typeName.startsWith("grpc.");

function nameOf({ parent, name }: DescMethod): string {
  const service = parent.typeName.replace(/^platform\./, "");
  return isOfV1({ parent } as DescMethod) ? `${service}/${name}` : `${parent.name}/${name}`;
}

/** RPCs that share their request with an RPC about a uid, but use a name. */
const atNoPlace = ["iam.GroupInvites/CreateWithGroup"];

function toRpc(method: DescMethod): ContractRpc {
  const [rule] = httpRulesOf(method);
  const mode = hasOption(method, iam) ? getOption(method, iam).mode : undefined;
  const rules = mode?.case === "enabled" ? mode.value : undefined;
  return {
    name: nameOf(method),
    isV1: isOfV1(method),
    method,
    verb: rule?.verb ?? "",
    template: rule?.path ?? "",
    body: rule?.body ?? "",
    open: mode?.case === "disabled",
    capabilities: rules?.capabilities ?? [],
    unscoped: rules?.unscoped ?? false,
    scope: atNoPlace.includes(nameOf(method))
      ? undefined
      : (scopeOf(method.input.fields) ?? handChecked(method)),
    event: hasOption(method, events) ? getOption(method, events) : undefined,
  };
}

const isUnimplemented = (method: DescMethod) => hasOption(method, unimplemented_reason);
const methods = services.flatMap((service) => service.methods);

/** Every RPC of every service that the platform serves. */
export const rpcs: ContractRpc[] = methods.filter((method) => !isUnimplemented(method)).map(toRpc);

/** Every RPC of the contract that is not served, and the reason. */
export const unimplementedRpcs = methods
  .filter(isUnimplemented)
  .map((method) => ({ ...toRpc(method), reason: getOption(method, unimplemented_reason) }));

/** Open RPCs that read their own kind of credential. */
export const ownCredentialRpcs = [
  "SecurityTokenService/Exchange",
  "SecurityTokenService/ExchangeRefreshToken",
  "auth.Auth/Register",
];

/** RPCs without a path (contract: v1-operations). */
export const notOverRest = ["iam.GroupInvites/CreateWithGroup"];

/** RPCs only for people, who belong to no organization and have no access at first. */
export const peopleRpcs = ["iam.GroupInvites/CreateWithGroup"];

/** RPCs about one group, which can require documents (TERMS). The RPCs that accept documents cannot. */
export const termsRpcs = rpcs.filter(
  ({ name, open, unscoped, capabilities }) =>
    !open && !unscoped && capabilities.length > 0 && !name.endsWith("/AcceptTerms"),
);

/** The RPC with that name. */
export function rpcOf(name: string): ContractRpc {
  const found = rpcs.find((one) => one.name === name);
  if (!found) throw new Error(`no RPC ${name}`);
  return found;
}

/** A List whose caller can choose the scope. Not all Lists of version 1 have pages. */
export const isList = ({ method, isV1 }: ContractRpc) =>
  scopeOf(method.input.fields) === undefined &&
  (isV1
    ? method.name.startsWith("List")
    : method.input.fields.some((field) => field.name === "page_token"));

/** RPCs of one class take the same way through the code that all RPCs share. */
export const classOf = (rpc: ContractRpc): string =>
  [rpc.isV1, rpc.verb, isList(rpc), rpc.scope !== undefined, rpc.unscoped, rpc.open].join();

/** RPCs with their names by tier. The quick tier has one of each class. */
export const eachRpc = (some: readonly ContractRpc[]) =>
  tiers(
    some.map((rpc): [string, ContractRpc] => [rpc.name, rpc]),
    ([, rpc]) => classOf(rpc),
  );
