/** Connect and gRPC-Web: Connect-ES calls the same handlers as REST. */
import { fromBinary, type JsonValue, type Message } from "@bufbuild/protobuf";
import {
  type ConnectError,
  type ConnectRouter,
  createConnectRouter,
  createContextKey,
  createContextValues,
  type HandlerContext,
} from "@connectrpc/connect";
import {
  type UniversalHandler,
  universalServerRequestFromFetch,
  universalServerResponseToFetch,
} from "@connectrpc/connect/protocol";
import { invalidArgument } from "../aip/errors.ts";
import { requireTexts } from "../aip/text.ts";
import { hasVendorName, plainJson } from "../aip/vendor_names.ts";
import { toWellFormed } from "../aip/well_formed.ts";
import { dispatch, type TransportContext } from "./dispatch.ts";
import { decodeUtf8, readBody } from "./request.ts";
import { bodyOf, type RpcBody, readRpcBody, responseWithVendorNames } from "./rpc_bodies.ts";
import type { Rpc, Service } from "./service.ts";
import { withWireDetailNames } from "./status.ts";

/** If there is no message, `refusal` is thrown. */
type CarriedContext = { transport: TransportContext; refusal?: unknown };

const carriedKey = createContextKey<CarriedContext | undefined>(undefined);

/** The service, with `dispatch` behind every method. */
function registerService(router: ConnectRouter, { desc, rpcs }: Service): void {
  const methods = Object.fromEntries(rpcs.map((rpc) => [rpc.method.localName, newHandler(rpc)]));
  // A cast, because a list of methods does not keep the type of their service.
  router.service(desc, methods as never);
}

function copyHeaders(from: Headers, to: Headers): void {
  for (const [name, value] of from) to.set(name, value);
}

const newHandler = (rpc: Rpc) => async (request: Message, context: HandlerContext) => {
  const carried = context.values.get(carriedKey);
  if (!carried) throw new Error("a call came in without its transport context");
  try {
    const answer = await dispatch(rpc, carried.transport, {
      read() {
        if (carried.refusal) throw carried.refusal;
        return request;
      },
      write: toWellFormed,
    });
    copyHeaders(carried.transport.responseHeaders, context.responseHeader);
    return answer;
  } catch (error) {
    const failed = withWireDetailNames(error as ConnectError);
    // Connect-ES would add them to those of the response.
    copyHeaders(carried.transport.responseHeaders, failed.metadata);
    throw failed;
  }
};

/** A method without an RPC belongs to a service that this Worker does not serve. Connect-ES reports that. */
type RpcEndpoint = { handle: UniversalHandler; rpc: Rpc | undefined };

/** The methods of the services and their handlers, by path. */
function endpointsOf(services: Service[]): Map<string, RpcEndpoint> {
  const router = createConnectRouter({ grpc: false });
  for (const service of services) registerService(router, service);
  const rpcs = new Map(
    services.flatMap((service) => service.rpcs.map((rpc) => [rpc.method, rpc] as const)),
  );
  return new Map(
    router.handlers.map((handle) => [handle.requestPath, { handle, rpc: rpcs.get(handle.method) }]),
  );
}

/** Serves Connect and gRPC-Web calls at `/<package>.<Service>/<Method>`. */
export function connectHandler(services: Service[]) {
  // Created with the first such call. A Worker that only serves REST starts without it.
  let endpoints: ReturnType<typeof endpointsOf> | undefined;
  return async (
    request: Request,
    path: string,
    transport: TransportContext,
  ): Promise<Response | undefined> => {
    endpoints ??= endpointsOf(services);
    const endpoint = endpoints.get(path);
    if (!endpoint) return undefined;
    const { handle, rpc } = endpoint;
    const { whole, refusal } = await limitBody(request, transport, rpc, path);
    const carried: CarriedContext = refusal ? { transport, refusal } : { transport };
    const universal = universalServerRequestFromFetch(whole, { httpVersion: "2" });
    const contextValues = createContextValues().set(carriedKey, carried);
    const answer = universalServerResponseToFetch(await handle({ ...universal, contextValues }));
    return rpc
      ? responseWithVendorNames(answer, rpc.method.output, transport.config.vendor)
      : answer;
  };
}

/**
 * Reads the body up to the limit of all transports. An empty message replaces a body that is too large, has
 * an unknown compression, or is not a message. Its handler then fails with the same error as over REST.
 */
async function limitBody(
  request: Request,
  transport: TransportContext,
  rpc: Rpc | undefined,
  path: string,
) {
  if (request.method !== "POST") return { whole: request };
  const url = `https://platform.invalid${path}`;
  try {
    const sent = await readRpcBody(request.headers, await readBody(request));
    const body = rpc ? checkedBody(rpc, request.headers, sent, transport.config.vendor) : sent.body;
    return { whole: new Request(url, { method: "POST", headers: unpackedHeaders(request), body }) };
  } catch (thrown) {
    if (!rpc) throw thrown;
    return { whole: withoutBody(request, url), refusal: thrown };
  }
}

/** Connect-ES reports bytes that are not a message as INTERNAL, but they are the caller's mistake. */
function checkBinary({ method: { input } }: Rpc, bytes: Uint8Array): void {
  try {
    fromBinary(input, bytes);
  } catch {
    throw invalidArgument("body", `body must be a binary message of the type ${input.typeName}`);
  }
}

/**
 * The body for Connect-ES, with the names of the protos in its JSON. Connect-ES replaces bytes that are not
 * UTF-8, and names no field for half of a surrogate pair, so both are refused here. JSON that is nested too
 * deeply to be written again is refused too.
 */
function checkedBody(rpc: Rpc, headers: Headers, sent: RpcBody, vendor: string): RpcBody["body"] {
  const { bytes, isJson, body } = sent;
  if (!bytes) return body;
  if (!isJson) {
    checkBinary(rpc, bytes);
    return body;
  }
  const { input } = rpc.method;
  const text = decodeUtf8(bytes);
  const isNamed = hasVendorName(input);
  if (!isNamed && !/\\u[dD0]/.test(text)) return body;
  const json = parsed(text);
  // Connect-ES reports the mistake.
  if (json === undefined) return body;
  requireTexts(input, json, rpc.resource);
  return isNamed ? bodyOf(headers, plainJson(input, json, vendor)) : body;
}

/** Parses a text as JSON. Returns undefined if it is not JSON. */
function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function unpackedHeaders(request: Request): Headers {
  const headers = new Headers(request.headers);
  for (const name of ["content-length", "content-encoding", "grpc-encoding"]) headers.delete(name);
  return headers;
}

function withoutBody(request: Request, url: string): Request {
  const headers = unpackedHeaders(request);
  const type = headers.get("content-type") ?? "";
  const framed = type.startsWith("application/grpc");
  const body = framed ? new Uint8Array(5) : type.includes("json") ? "{}" : new Uint8Array();
  return new Request(url, { method: "POST", headers, body });
}
