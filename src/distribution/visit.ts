/** One request to the registry host, from its bytes to its answer. */
import type { Database } from "../auth/call.ts";
import { type Config, configOf, type Env } from "../config.ts";
import { type Meter, meterText, openDatabase } from "../rpc/database.ts";
import { toAnswer } from "./errors.ts";

/** What a handler is given. */
export interface Visit {
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
export type Handled = [Env];

/** Every answer says that this is a registry, as older clients demand. */
const versionHeader = ["docker-distribution-api-version", "registry/2.0"] as const;

/**
 * A route: answers HEAD as GET without the body, whatever is thrown in the registry's shape, and
 * counts D1 where the configuration asks for it.
 */
export function handled(handler: (visit: Visit) => Promise<Response>) {
  return async (request: Request, env: Env): Promise<Response> => {
    const url = new URL(request.url);
    let config: Config | undefined;
    let meter: Meter | undefined;
    let visit: Visit | undefined;
    let response: Response;
    try {
      config = configOf(env);
      const database = openDatabase(env.DB);
      meter = database.meter;
      visit = { config, db: database.db, request, url, now: Date.now(), scope: "" };
      response = await handler(visit);
    } catch (thrown) {
      response = toAnswer(thrown, config, visit?.scope ?? "");
    }
    const answer = request.method === "HEAD" ? new Response(null, response) : response;
    answer.headers.set(...versionHeader);
    if (config?.meter && meter) answer.headers.set("server-timing", meterText(meter));
    return answer;
  };
}

/** Whether the request asks to be told something. */
export const isRead = ({ request }: Visit) => request.method === "GET" || request.method === "HEAD";
