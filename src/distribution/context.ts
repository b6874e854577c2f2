/** One request to the registry host, from its bytes to its answer. */
import type { Database } from "../auth/call.ts";
import { type Config, configOf, type Env } from "../config.ts";
import { type Meter, openDatabase, serverTiming } from "../rpc/database.ts";
import { toRegistryErrorResponse } from "./errors.ts";

/** What a handler is given. */
export interface RegistryContext {
  readonly config: Config;
  readonly db: Database;
  readonly request: Request;
  readonly url: URL;
  /** Milliseconds since 1970 UTC, the same through the whole request. */
  readonly now: number;
  /** The scope a token needs for this request, for the challenge; empty until it is known. */
  scope: string;
}

/** What comes with a request besides itself. */
export type RouteArguments = [Env];

/** Every answer says that this is a registry, as older clients demand. */
const versionHeader = ["docker-distribution-api-version", "registry/2.0"] as const;

/**
 * A route: answers HEAD as GET without the body, whatever is thrown in the registry's shape, and
 * counts D1 where the configuration asks for it.
 */
export function registryRoute(handler: (context: RegistryContext) => Promise<Response>) {
  return async (request: Request, env: Env): Promise<Response> => {
    const url = new URL(request.url);
    let config: Config | undefined;
    let meter: Meter | undefined;
    let context: RegistryContext | undefined;
    let response: Response;
    try {
      config = configOf(env);
      const database = openDatabase(env.DB);
      meter = database.meter;
      context = { config, db: database.db, request, url, now: Date.now(), scope: "" };
      response = await handler(context);
    } catch (thrown) {
      response = toRegistryErrorResponse(thrown, config, context?.scope ?? "");
    }
    const answer = request.method === "HEAD" ? new Response(null, response) : response;
    answer.headers.set(...versionHeader);
    if (config?.meter && meter) answer.headers.set("server-timing", serverTiming(meter));
    return answer;
  };
}

/** Whether the request asks to be told something. */
export const isGetOrHead = ({ request }: RegistryContext) =>
  request.method === "GET" || request.method === "HEAD";
