import { type Config, configOf, type Env } from "../config.ts";
import { openToBrowsers } from "./browsers.ts";
import { connectHandler } from "./connect.ts";
import type { Arrival } from "./dispatch.ts";
import { restHandler } from "./rest.ts";
import type { Service } from "./service.ts";
import { complete, toResponse, toStatus } from "./status.ts";
import { checkTermsMethods } from "./terms_methods.ts";

/** A Worker, as the runtime and src/platform.ts call it. */
export interface Worker {
  fetch(request: Request, env: Env): Promise<Response>;
}

const rpcPath = /^\/(?:([a-z0-9-]+)\.)?(platform\.[a-zA-Z0-9_.]+\/[A-Za-z]+)$/;

/**
 * The Worker that serves some services: Connect and gRPC-Web at `/<package>.<Service>/<Method>`,
 * where the configured vendor name may stand before the package; REST everywhere else.
 */
export function serve(services: Service[]): Worker {
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
      const [, prefix, path] = rpcPath.exec(pathname) ?? [];
      if (path && (prefix === undefined || prefix === config.vendor)) {
        const response = await connect(request, `/${path}`, arrival);
        if (response) return response;
      }
      return await rest(request, pathname, arrival);
    } catch (thrown) {
      return toResponse(complete(toStatus(thrown), "", env.SERVICE_DOMAIN), answer);
    }
  };
  return { fetch: openToBrowsers(answerTo) };
}
