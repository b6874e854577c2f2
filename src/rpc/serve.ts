import { type Config, configOf, type Env, errorNamesOf } from "../config.ts";
import { withCors } from "./browsers.ts";
import { connectHandler } from "./connect.ts";
import type { TransportContext } from "./dispatch.ts";
import { plainPath } from "./names.ts";
import { urlOf } from "./request_url.ts";
import { restHandler } from "./rest.ts";
import type { Execution, Worker } from "./runtime.ts";
import type { Service } from "./service.ts";
import { completeError, toStatus, toStatusResponse } from "./status.ts";
import { checkTermsMethods } from "./terms_methods.ts";

const rpcPathPattern = /^\/(?:platform|grpc)\.[a-zA-Z0-9_.]+\/[A-Za-z]+$/;

/**
 * Creates the Worker that serves some services: Connect and gRPC-Web at `/<package>.<Service>/<Method>`, and
 * REST at every other path. The names in a path are translated first. `wrap` can then handle the request
 * before the services do.
 */
export function serve(services: Service[], wrap = (worker: Worker) => worker): Worker {
  const connect = connectHandler(services);
  const rest = restHandler(services);
  let checked: Config | undefined;
  const answerRequest: Worker["fetch"] = async (request, env, execution) => {
    const responseHeaders = new Headers();
    try {
      const config = configOf(env);
      if (checked !== config) checkTermsMethods(config, services);
      checked = config;
      const transport: TransportContext = {
        env,
        execution,
        config,
        headers: request.headers,
        responseHeaders,
      };
      const { pathname } = urlOf(request);
      const response =
        rpcPathPattern.test(pathname) && (await connect(request, pathname, transport));
      if (response) return response;
      return await rest(request, pathname, transport);
    } catch (thrown) {
      return toStatusResponse(
        completeError(toStatus(thrown, request.headers), "", errorNamesOf(env), request.headers),
        responseHeaders,
      );
    }
  };
  const inner = wrap({ fetch: answerRequest });
  return {
    fetch: withCors((request, env: Env, execution: Execution) =>
      inner.fetch(withPlainPath(request, env), env, execution),
    ),
  };
}

/** The request with the names of the protos in its path. */
function withPlainPath(request: Request, { VENDOR }: Env): Request {
  const { pathname } = urlOf(request);
  const path = plainPath(pathname, VENDOR);
  if (path === pathname) return request;
  const url = new URL(request.url);
  url.pathname = path;
  return new Request(url, request);
}
