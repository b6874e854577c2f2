import { type Config, configOf, type Env, namesOf } from "../config.ts";
import { openToBrowsers } from "./browsers.ts";
import { connectHandler } from "./connect.ts";
import type { Arrival } from "./dispatch.ts";
import { plainPath } from "./names.ts";
import { restHandler } from "./rest.ts";
import type { Service } from "./service.ts";
import { complete, toResponse, toStatus } from "./status.ts";
import { checkTermsMethods } from "./terms_methods.ts";

/** A Worker, as the runtime and src/platform.ts call it. */
export interface Worker {
  fetch(request: Request, env: Env): Promise<Response>;
}

const rpcPath = /^\/(?:platform|grpc)\.[a-zA-Z0-9_.]+\/[A-Za-z]+$/;

/**
 * The Worker that serves some services: Connect and gRPC-Web at `/<package>.<Service>/<Method>`,
 * REST everywhere else. `within` stands between the door, where names are made plain, and all that.
 */
export function serve(services: Service[], within = (worker: Worker) => worker): Worker {
  const connect = connectHandler(services);
  const rest = restHandler(services);
  let checked: Config | undefined;
  const answerTo = async (request: Request, env: Env): Promise<Response> => {
    const answer = new Headers();
    try {
      const config = configOf(env);
      if (checked !== config) checkTermsMethods(config, services);
      checked = config;
      const arrival: Arrival = { env, config, headers: request.headers, answer };
      const { pathname } = new URL(request.url);
      const response = rpcPath.test(pathname) && (await connect(request, pathname, arrival));
      if (response) return response;
      return await rest(request, pathname, arrival);
    } catch (thrown) {
      return toResponse(complete(toStatus(thrown), "", namesOf(env)), answer);
    }
  };
  const inner = within({ fetch: answerTo });
  return { fetch: openToBrowsers((request, env: Env) => inner.fetch(plain(request, env), env)) };
}

/** The request with the names of the protos in its path. */
function plain(request: Request, { VENDOR }: Env): Request {
  const url = new URL(request.url);
  const path = plainPath(url.pathname, VENDOR);
  if (path === url.pathname) return request;
  url.pathname = path;
  return new Request(url, request);
}
