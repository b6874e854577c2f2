/** REST to typed call and back (google.api.http transcoding, contract: REST facts). */
import type { Message } from "@bufbuild/protobuf";
import { EmptySchema } from "@bufbuild/protobuf/wkt";
import type { ConnectError } from "@connectrpc/connect";
import { Router } from "itty-router";
import { type HttpBody, HttpBodySchema } from "../../schema/gen/google/api/httpbody_pb.js";
import { noSuchRoute, unimplemented } from "../aip/errors.ts";
import { toAnswer } from "../aip/json.ts";
import { wireJson } from "../aip/vendor_names.ts";
import { type Arrival, dispatch, domainOf } from "./dispatch.ts";
import { readRequest } from "./request.ts";
import { byBeginning, lookUp, type Route, routesOf } from "./routes.ts";
import type { Service } from "./service.ts";
import { complete, toResponse } from "./status.ts";

type Match = { request: Request; params: Record<string, string | undefined>; route: Route };

/** Answers REST calls of the services; the last resort of a Worker, so it also says 404 and 501. */
export function restHandler(services: Service[]) {
  const routes = routesOf(services);
  const routers = new Map(
    [...byBeginning(routes)].map(([beginning, some]) => [beginning, routerOf(some)]),
  );
  return async (request: Request, path: string, arrival: Arrival): Promise<Response> => {
    const asked = request.method === "HEAD" ? new Request(request, { method: "GET" }) : request;
    const match = await lookUp(routers, path)?.fetch(asked as never);
    if (!match) return refuse(request, path, routes, arrival);
    const response = await answer(match.route, asked, match.params, arrival);
    return request.method === "HEAD" ? new Response(null, response) : response;
  };
}

const routerOf = (routes: Route[]) =>
  Router<Request & { params: Record<string, string> }, [], Match>({
    routes: routes.map((route) => [
      route.verb,
      route.path,
      [(request) => ({ request, params: request.params, route })],
      route.template,
    ]),
  });

async function answer(
  route: Route,
  request: Request,
  params: Record<string, string | undefined>,
  arrival: Arrival,
): Promise<Response> {
  try {
    return await dispatch(route.rpc, arrival, {
      read: () => readRequest(route, request, params, arrival.config.vendor),
      write: (result) => success(route, result, arrival),
    });
  } catch (refusal) {
    // Nothing else is thrown by dispatch.
    return toResponse(refusal as ConnectError, arrival.answer);
  }
}

function success(route: Route, result: Message, { config, answer: headers }: Arrival): Response {
  const { output } = route.rpc.method;
  if (output.typeName === EmptySchema.typeName) return new Response(null, { status: 200, headers });
  if (output.typeName === HttpBodySchema.typeName) {
    const { contentType, data } = result as HttpBody;
    headers.set("content-type", contentType);
    return new Response(data as Uint8Array<ArrayBuffer>, { headers });
  }
  headers.set("content-type", "application/json");
  const json = wireJson(output, toAnswer(output, result), config.vendor);
  return new Response(JSON.stringify(json), { headers });
}

/** A path of ours with another verb is UNIMPLEMENTED, any other path NOT_FOUND (contract: errors). */
function refuse(request: Request, path: string, routes: Route[], arrival: Arrival): Response {
  const taking = routes.filter((route) => route.path.test(path));
  const verbs = [...new Set(taking.map((one) => one.verb))];
  const error =
    verbs.length > 0
      ? unimplemented(`${request.method} ${path}; this path answers ${verbs.join(", ")}`)
      : noSuchRoute(`${request.method} ${path}`);
  if (verbs.length > 0) arrival.answer.set("allow", verbs.join(", "));
  const [, first] = path.split("/");
  // A word of the path that is no domain is the caller's, and not to be told as ours.
  const known = taking[0] ?? routes.find(({ rpc }) => domainOf(rpc) === first);
  const domain = known ? domainOf(known.rpc) : "";
  return toResponse(complete(error, domain, arrival.config), arrival.answer);
}
