/** Transcodes REST calls to typed calls and back (google.api.http, contract: REST facts). */
import { isFieldSet, type Message } from "@bufbuild/protobuf";
import { EmptySchema } from "@bufbuild/protobuf/wkt";
import type { ConnectError } from "@connectrpc/connect";
import { Router } from "itty-router";
import { type HttpBody, HttpBodySchema } from "../../schema/gen/google/api/httpbody_pb.js";
import { noSuchRoute, unimplemented } from "../aip/errors.ts";
import { type EtagCondition, readEtagCondition } from "../aip/etags.ts";
import { toResponseJson } from "../aip/json.ts";
import { wireJson } from "../aip/vendor_names.ts";
import { dispatch, errorDomain, type TransportContext } from "./dispatch.ts";
import { conditionalResponse } from "./precondition.ts";
import { readRequest } from "./request.ts";
import { groupByPrefix, type Route, routesByPath, sortedRoutes } from "./routes.ts";
import { isV2, type Service } from "./service.ts";
import { completeError, toStatusResponse } from "./status.ts";

type Match = { request: Request; params: Record<string, string | undefined>; route: Route };

/**
 * Serves REST calls of the services. It is the last handler of a Worker, so it also responds with 404 and
 * 501.
 */
export function restHandler(services: Service[]) {
  const routes = sortedRoutes(services);
  const routers = new Map(
    [...groupByPrefix(routes)].map(([beginning, group]) => [beginning, newRouter(group)]),
  );
  return async (request: Request, path: string, transport: TransportContext): Promise<Response> => {
    const asked = request.method === "HEAD" ? new Request(request, { method: "GET" }) : request;
    // The router adds the parameters to the request, but the type Request has no member for them.
    const match = await routesByPath(routers, path)?.fetch(asked as never);
    if (!match) return refuseRequest(request, path, routes, transport);
    const response = await answerRoute(match.route, asked, match.params, transport);
    return request.method === "HEAD" ? new Response(null, response) : response;
  };
}

const newRouter = (routes: Route[]) =>
  Router<Request & { params: Record<string, string> }, [], Match>({
    routes: routes.map((route) => [
      route.verb,
      route.path,
      [(request) => ({ request, params: request.params, route })],
      route.template,
    ]),
  });

async function answerRoute(
  route: Route,
  request: Request,
  params: Record<string, string | undefined>,
  transport: TransportContext,
): Promise<Response> {
  const isConditional = request.method === "GET" && isV2(route.rpc);
  const { responseHeaders: headers } = transport;
  let condition: EtagCondition | undefined;
  try {
    return await dispatch(route.rpc, transport, {
      read: () => {
        if (isConditional) condition = readEtagCondition(request.headers, "if-none-match");
        return readRequest(route, request, params, transport.config.vendor);
      },
      write: (result) => {
        const bytes = toBody(route, result, transport);
        if (!isConditional || bytes === null) return new Response(bytes, { headers });
        return conditionalResponse(condition, headers, bytes);
      },
    });
  } catch (refusal) {
    // dispatch throws nothing else.
    return toStatusResponse(refusal as ConnectError, transport.responseHeaders);
  }
}

const encoder = new TextEncoder();

/** The body of a response, whose type it sets. Null if there is none. */
function toBody(
  route: Route,
  result: Message,
  { config, responseHeaders }: TransportContext,
): Uint8Array<ArrayBuffer> | null {
  const { output } = route.rpc.method;
  if (isEmpty(route, result)) return null;
  if (output.typeName === HttpBodySchema.typeName) {
    const { contentType, data } = result as HttpBody;
    responseHeaders.set("content-type", contentType);
    return data as Uint8Array<ArrayBuffer>;
  }
  responseHeaders.set("content-type", "application/json");
  const json = wireJson(output, toResponseJson(output, result), config.vendor);
  // The encoder returns a buffer of its own, which its type does not say.
  return encoder.encode(JSON.stringify(json)) as Uint8Array<ArrayBuffer>;
}

/** Whether the body stays empty: for no message, and for a delete that returns none of its fields. */
function isEmpty({ rpc, verb }: Route, result: Message): boolean {
  const { output } = rpc.method;
  if (output.typeName === EmptySchema.typeName) return true;
  return verb === "DELETE" && !output.fields.some((field) => isFieldSet(result, field));
}

/**
 * Returns UNIMPLEMENTED if the path exists with another method, and NOT_FOUND otherwise (contract: errors).
 */
function refuseRequest(
  request: Request,
  path: string,
  routes: Route[],
  transport: TransportContext,
): Response {
  const taking = routes.filter((route) => route.path.test(path));
  const verbs = [...new Set(taking.map((route) => route.verb))];
  const error =
    verbs.length > 0
      ? unimplemented(`${request.method} ${path}; this path supports ${verbs.join(", ")}`)
      : noSuchRoute(`${request.method} ${path}`);
  if (verbs.length > 0) transport.responseHeaders.set("allow", verbs.join(", "));
  const [, first] = path.split("/");
  // If the first segment is not a domain, it is the caller's text. An error must not use it as a domain.
  const known = taking[0] ?? routes.find(({ rpc }) => errorDomain(rpc) === first);
  const domain = known ? errorDomain(known.rpc) : "";
  return toStatusResponse(
    completeError(error, domain, transport.config, request.headers),
    transport.responseHeaders,
  );
}
