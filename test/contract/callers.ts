/**
 * Sends one request over each transport, and returns the outcomes in one form, so that they can be compared.
 */
import { Buffer } from "node:buffer";
import {
  create,
  createRegistry,
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonObject,
  type JsonValue,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import * as grpc from "@grpc/grpc-js";
import { HttpBodySchema } from "../../schema/gen/google/api/httpbody_pb.js";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  PreconditionFailureSchema,
  RequestInfoSchema,
  ResourceInfoSchema,
} from "../../schema/gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "../../schema/gen/google/rpc/status_pb.js";
import { type Answer, callRest, requestId, transports, vendor } from "../world/platform.ts";
import type { ContractRpc } from "./rpcs.ts";

/** A detail of an error in JSON, with its `@type`. */
export type ErrorDetail = JsonObject & { "@type": string };

/** The outcome of a call. `code` is 0 for success, and `message` is then the response in proto JSON. */
export interface CallOutcome {
  code: number;
  text: string;
  details: ErrorDetail[];
  message?: JsonValue;
  headers: Headers;
}

export type CallRpc = (
  rpc: ContractRpc,
  request: JsonObject,
  token?: string,
  headers?: Record<string, string>,
) => Promise<CallOutcome>;

const registry = createRegistry(
  ErrorInfoSchema,
  BadRequestSchema,
  ResourceInfoSchema,
  PreconditionFailureSchema,
  RequestInfoSchema,
);

const success = (headers: Headers, message: JsonValue): CallOutcome => ({
  code: 0,
  text: "",
  details: [],
  message,
  headers,
});

/** The method, the path with its query, and the body of the RPC's REST call. */
export function restCall(rpc: ContractRpc, request: JsonObject) {
  const left = structuredClone(request);
  const path = rpc.template.replaceAll(/\{([a-z_.]+)(?:=[^}]*)?\}/g, (_, name: string) =>
    take(rpc.method.input, left, name.split(".")),
  );
  const field = rpc.method.input.fields.find((one) => one.name === rpc.body);
  const body = rpc.body === "*" ? left : field && (left[field.jsonName] ?? {});
  if (field) delete left[field.jsonName];
  const query = rpc.body === "*" ? "" : queryOf(left).toString();
  const asked = { method: rpc.verb, ...(body === undefined ? {} : { body }) };
  return { path: path + (query === "" ? "" : `?${query}`), asked };
}

function take(desc: DescMessage, json: JsonObject, steps: string[]): string {
  const field = desc.fields.find((one) => one.name === steps[0]);
  if (!field) throw new Error(`${desc.typeName} has no ${steps[0]}`);
  if (steps.length > 1 && field.fieldKind === "message") {
    return take(field.message, (json[field.jsonName] ?? {}) as JsonObject, steps.slice(1));
  }
  const value = json[field.jsonName] ?? "";
  delete json[field.jsonName];
  return String(value);
}

const itemText = (item: JsonValue) =>
  typeof item === "object" ? JSON.stringify(item) : String(item);

function queryOf(json: JsonObject, prefix = ""): URLSearchParams {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(json)) {
    if (Array.isArray(value)) for (const one of value) query.append(prefix + key, itemText(one));
    else if (typeof value === "object" && value !== null) {
      for (const [name, inner] of queryOf(value, `${prefix}${key}.`)) query.append(name, inner);
    } else query.append(prefix + key, String(value));
  }
  return query;
}

/** Calls the RPC over REST, and returns the response exactly as received. */
export function askRest(
  rpc: ContractRpc,
  request: JsonObject,
  token?: string,
  headers?: Record<string, string>,
): Promise<Answer> {
  const { path, asked } = restCall(rpc, request);
  return callRest(path, { ...asked, token, ...(headers ? { headers } : {}) });
}

const overRest: CallRpc = async (rpc, request, token, sent) => {
  const { status, body, headers } = await askRest(rpc, request, token, sent);
  if (status !== 200) {
    return { code: body.code, text: body.message, details: body.details, headers };
  }
  const { output } = rpc.method;
  if (output.typeName === HttpBodySchema.typeName) {
    // The body is the data itself (google.api.HttpBody).
    const data = new TextEncoder().encode(JSON.stringify(body));
    const contentType = headers.get("content-type") ?? "";
    return success(headers, toJson(output, create(HttpBodySchema, { contentType, data })));
  }
  return success(headers, toJson(output, fromJson(output, body ?? {})));
};

function toOutcome(error: ConnectError): CallOutcome {
  const details = error.details.flatMap((one): ErrorDetail[] => {
    if (!("type" in one)) return [];
    return [detailOf(one.type, one.value)];
  });
  const { code, rawMessage: text, metadata: headers } = error;
  return { code, text, details, headers };
}

function detailOf(type: string, bytes: Uint8Array): ErrorDetail {
  const desc = registry.getMessage(type);
  if (!desc) throw new Error(`a detail of unknown type ${type}`);
  const json = toJson(desc, fromBinary(desc, bytes)) as JsonObject;
  return { "@type": `type.googleapis.com/${type}`, ...json };
}

/** A caller that uses one of the transports for browsers. */
const over =
  (name: "connect" | "connectJson" | "grpcWeb"): CallRpc =>
  async ({ method }, request, token, sent) => {
    const transport: Transport = transports(token)[name];
    const message = fromJson(method.input, request);
    try {
      const answer = await transport.unary(
        method as never,
        undefined,
        undefined,
        sent,
        message as never,
      );
      const headers = new Headers([...answer.header, ...answer.trailer]);
      return success(headers, toJson(method.output, answer.message as never));
    } catch (error) {
      return toOutcome(ConnectError.from(error));
    }
  };

/** A caller of native gRPC at `host:port`, with the vendor's name in front of the package. */
export function overGrpc(address: string): CallRpc & { close(): void } {
  const client = new grpc.Client(address, grpc.credentials.createInsecure());
  const ask: CallRpc = ({ method }, request, token) =>
    new Promise((resolve, reject) => {
      const metadata = new grpc.Metadata();
      metadata.set("x-request-id", requestId);
      if (token) metadata.set("authorization", `Bearer ${token}`);
      const path = `/${vendor}.${method.parent.typeName}/${method.name}`;
      const bytes = Buffer.from(toBinary(method.input, fromJson(method.input, request)));
      const pass = (it: Buffer) => it;
      const headers = new Headers();
      const call = client.makeUnaryRequest(path, pass, pass, bytes, metadata, (error, answer) => {
        if (error) collect(error.metadata, headers);
        if (error) resolve(ofServiceError(error, headers));
        else if (answer) {
          resolve(success(headers, toJson(method.output, fromBinary(method.output, answer))));
        } else reject(new Error("neither answer nor error"));
      });
      call.on("metadata", (metadata: grpc.Metadata) => collect(metadata, headers));
    });
  return Object.assign(ask, { close: () => client.close() });
}

function collect(metadata: grpc.Metadata, headers: Headers): void {
  for (const [name, value] of Object.entries(metadata.getMap())) {
    if (typeof value === "string") headers.set(name, value);
  }
}

function ofServiceError(error: grpc.ServiceError, headers: Headers): CallOutcome {
  const [bytes] = error.metadata.get("grpc-status-details-bin");
  const status =
    bytes instanceof Uint8Array ? fromBinary(StatusSchema, bytes) : create(StatusSchema);
  const details = status.details.map(({ typeUrl, value }) =>
    detailOf(typeUrl.slice(typeUrl.lastIndexOf("/") + 1), value),
  );
  return { code: error.code, text: error.details, details, headers };
}

/** The transports that need no bridge. */
export const callers = {
  REST: overRest,
  Connect: over("connect"),
  "Connect JSON": over("connectJson"),
  "gRPC-Web": over("grpcWeb"),
} satisfies Record<string, CallRpc>;

/** The members of the one detail of that kind. Undefined if there is none. */
export const detail = ({ details }: CallOutcome, kind: string): ErrorDetail | undefined =>
  details.find((one) => one["@type"] === `type.googleapis.com/google.rpc.${kind}`);

/** The fields in the BadRequest of an outcome. */
export const violatedFields = (outcome: CallOutcome): string[] =>
  ((detail(outcome, "BadRequest")?.fieldViolations ?? []) as { field: string }[]).map(
    ({ field }) => field,
  );

export { Code };
