/** Builds one operation from an RPC and one of its REST rules. */
import {
  type DescMethod,
  getOption,
  hasOption,
  type JsonObject,
  type JsonValue,
} from "@bufbuild/protobuf";
import { commentOf, isEmptyUnlessValidating, requireField } from "../describe/protos.ts";
import { registry } from "../descriptors.ts";
import { events, iam } from "../gen/platform/annotations/v1/annotations_pb.js";
import { name as capabilityName } from "../gen/platform/capabilities/v1/capability_pb.js";
import type { HttpRule } from "../options.ts";
import { conditionParameters, etagHeader, notModifiedResponse } from "./etags.ts";
import { answerExample, bodyExample } from "./examples.ts";
import {
  content,
  type OperationObject,
  type Parameter,
  type ResponseObject,
  type Schema,
} from "./form.ts";
import { idempotencyKeyParameter, isKeyed, replayedHeaders } from "./idempotency.ts";
import type { Messages } from "./messages.ts";
import { isPathOfV1, operationIdOf, summaryOf } from "./names.ts";
import { pathParameter, queryParameters, type Variable } from "./parameters.ts";
import { refusalResponses } from "./refusal_answers.ts";
import { answersOf, type RefusalContext, refusalsOf, rpcName } from "./refusals.ts";
import { tagOf } from "./tags.ts";

/** Open RPCs that read a bearer token of another kind, and the name of that kind. */
const ownCredentials: Record<string, string> = {
  "platform.oidc.SecurityTokenService/Exchange": "upstreamToken",
  "platform.oidc.SecurityTokenService/ExchangeRefreshToken": "refreshToken",
  "platform.auth.Auth/Register": "upstreamToken",
};

/** The HTTP rule of an operation, and the names of its path's variables there. */
export type HttpBinding = {
  rule: HttpRule;
  variables: Variable[];
  names: string[];
  /** Fields that a request to this path does not set. */
  omitted?: string[];
  /** Texts that replace those of the RPC. */
  own?: { operationId: string; summary: string; comment: string; denial?: string };
};

/** Parts of a document that operations add to: schemas, and examples that many of them share. */
export type SharedParts = { messages: Messages; examples: JsonObject };

/** Returns the operation of an RPC for one of its HTTP rules. */
export function operationOf(
  method: DescMethod,
  binding: HttpBinding,
  shared: SharedParts,
): OperationObject {
  const { rule, variables, own } = binding;
  const { messages } = shared;
  const context = refusalContext(method, binding);
  const query = queryOf(method, binding, messages);
  const body = bodyOf(method, rule, variables, messages);
  const parameters: Parameter[] = [
    ...variables.map((variable, index) =>
      pathParameter(method.input, variable, binding.names[index] ?? variable.name, messages),
    ),
    ...query.map(withOrders(method)).map(withMask(body)),
    ...(isKeyed(method, context) ? [idempotencyKeyParameter] : []),
    ...conditionParameters(method, rule.verb, context.isV1),
  ];
  const credential = ownCredentials[rpcName(method)];
  return {
    operationId: own?.operationId ?? operationIdOf(method, rule.path),
    summary: own?.summary ?? summaryOf(method, rule.path),
    description: textOf(context, messages),
    tags: [tagOf(method, rule.path).name],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? { requestBody: { required: true, content: content(body.schema, body.examples) } }
      : {}),
    responses: {
      200: successOf(method, messages, {
        ...(isKeyed(method, context) ? replayedHeaders : {}),
        ...etagHeader(rule.verb, context.isV1),
      }),
      ...notModifiedResponse(rule.verb, context.isV1),
      ...refusalResponses(refusalsOf(context), shared.examples),
    },
    ...(context.isOpen ? { security: credential ? [{ [credential]: [] }] : [] } : {}),
    ...(context.capabilities.length > 0 ? { "x-capabilities": context.capabilities } : {}),
    ...(context.hasEvent ? { "x-event": eventOf(method) } : {}),
    "x-grpc": rpcName(method),
  };
}

function refusalContext(method: DescMethod, { rule, own }: HttpBinding): RefusalContext {
  const mode = hasOption(method, iam) ? getOption(method, iam).mode : undefined;
  const numbers = mode?.case === "enabled" ? mode.value.capabilities : [];
  return {
    method,
    verb: rule.verb,
    comment: own?.comment ?? commentOf(method),
    isV1: isPathOfV1(rule.path),
    isOpen: mode?.case === "disabled",
    hasOwnCredential: rpcName(method) in ownCredentials,
    capabilities: own?.denial ? [] : numbers.map(capabilityText),
    ...(own?.denial ? { denial: own.denial } : {}),
    isUnscoped: mode?.case === "enabled" && mode.value.unscoped,
    hasEvent: hasOption(method, events),
  };
}

function capabilityText(number: number): string {
  const value = registry.getEnum("platform.capabilities.v1.Capability")?.value[number];
  if (!value) throw new Error(`no capability ${number}`);
  return getOption(value, capabilityName);
}

const eventOf = (method: DescMethod) => `dev.vendor.${getOption(method, events).type}`;

/**
 * Returns the comment, followed by facts from the options: the capabilities, the event, and the name over
 * gRPC.
 */
function textOf(context: RefusalContext, messages: Messages): string {
  const { method, comment, capabilities, isOpen, hasOwnCredential, hasEvent } = context;
  const names = capabilities.map((capability) => `\`${capability}\``).join(", ");
  const scopeText = context.isUnscoped
    ? "in the groups of the rows, or on a group above them"
    : "on the resource or on a group above it";
  const needs = isOpen
    ? hasOwnCredential
      ? "a token of another kind, which the security of this operation describes"
      : "no token"
    : capabilities.length > 0
      ? `${names} ${scopeText}`
      : "any valid token";
  return [
    messages.withJsonNames(comment),
    [
      `- **Needs:** ${needs}`,
      ...(hasEvent ? [`- **Event:** \`${eventOf(method)}\``] : []),
      `- **gRPC:** \`${rpcName(method)}\``,
    ].join("\n"),
  ].join("\n\n");
}

function queryOf(
  { input }: DescMethod,
  { rule: { body }, variables, omitted = [] }: HttpBinding,
  messages: Messages,
) {
  // With `*`, no field of the request is in the query (google.api.HttpRule).
  if (body === "*") return [];
  // A variable within the field of the body, such as `repo.uid`, sets only that one field.
  const taken = variables
    .filter((variable) => variable.path.length === 1)
    .map((variable) => variable.path[0] ?? "");
  return queryParameters(input, [...taken, ...omitted, body], messages);
}

/** Adds the fields that a List can be sorted by. */
const withOrders =
  (method: DescMethod) =>
  (parameter: Parameter): Parameter => {
    const { orders } = answersOf(method);
    if (parameter.name !== "orderBy" || !orders) return parameter;
    const [example = ""] = orders.slice(1);
    return {
      ...parameter,
      description: `${parameter.description} Sortable fields: ${orders.map((order) => `\`${order}\``).join(", ")}.`,
      example: `${example || orders[0]} desc`,
    };
  };

type Body = { schema: Schema; examples: Record<string, JsonValue> };

/** Adds an example: a mask with the fields in the example of the body. */
const withMask =
  (body: Body | undefined) =>
  (parameter: Parameter): Parameter =>
    parameter.name === "updateMask"
      ? { ...parameter, example: Object.keys(body?.examples.example ?? {}).join(",") }
      : parameter;

function bodyOf(
  method: DescMethod,
  { body }: HttpRule,
  variables: Variable[],
  messages: Messages,
): Body | undefined {
  if (body === "") return undefined;
  const { input } = method;
  const schema =
    body === "*" ? wholeBody(input, variables, messages) : partOf(input, body, messages);
  const example = bodyExample(schema, messages.components) ?? answersOf(method).body;
  return { schema, examples: example === undefined ? {} : { example } };
}

const wholeBody = (input: DescMethod["input"], variables: Variable[], messages: Messages) =>
  messages.requestWithout(
    input,
    variables.map(({ path }) => path[0] ?? ""),
  );

function partOf(input: DescMethod["input"], body: string, messages: Messages): Schema {
  const isUpdate = input.fields.some(({ name }) => name === "update_mask");
  return messages.value(requireField(input.fields, body), isUpdate ? "patch" : "body");
}

function successOf(method: DescMethod, messages: Messages, ownHeaders: JsonObject): ResponseObject {
  const { output, input } = method;
  const headers = {
    ...ownHeaders,
    ...(input.fields.some(({ name }) => name === "page_token")
      ? { "page-token-expired": expiredHeader }
      : {}),
  };
  const withHeaders = Object.keys(headers).length > 0 ? { headers } : {};
  if (output.typeName === "google.protobuf.Empty")
    return { description: "Success. The body is empty.", ...withHeaders };
  if (output.typeName === "google.api.HttpBody") {
    return {
      description: "The document in the requested format.",
      content: {
        ...content({ type: "object" }, {}, "application/vnd.osv+json"),
        ...content({ type: "object" }, {}, "application/vnd.openvex+json"),
        ...content({ type: "object" }, {}, "application/csaf+json"),
      },
    };
  }
  const schema = messages.of(output, "answer");
  const example = answerExample(schema, messages.components) ?? answersOf(method).answer;
  return {
    description: isEmptyUnlessValidating(method)
      ? "Success. The body is empty, unless `validateOnly` is `true`."
      : messages.withJsonNames(commentOf(output)) || "Success.",
    ...withHeaders,
    content: content(schema, example === undefined ? {} : { example }),
  };
}

const expiredHeader = {
  description: "`true` if the page token had expired. The response is then the first page.",
  schema: { type: "string", enum: ["true"] },
};
