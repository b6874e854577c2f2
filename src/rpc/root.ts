/** `/` of each of the platform's hosts: a page at the API's, the way to it at the others. */
import { unimplemented } from "../aip/errors.ts";
import type { Config } from "../config.ts";
import { completeError, toStatusResponse } from "./status.ts";

const verbs = ["GET", "HEAD"];

/** The 405 of a request for `/` that is neither GET nor HEAD; undefined for one that is. */
export function methodNotAllowed({ method }: Request, config: Config): Response | undefined {
  if (verbs.includes(method)) return undefined;
  const allow = verbs.join(", ");
  const error = completeError(unimplemented(`${method} /; this path answers ${allow}`), "", config);
  const { body, headers } = toStatusResponse(error, new Headers({ allow }));
  return new Response(body, { status: 405, headers });
}

/** The way from a host of its own (`own` is its origin) to the API's; undefined where both are one. */
export function redirectToApiHost(own: string, { baseUrl }: Config): Response | undefined {
  if (own === baseUrl) return undefined;
  return new Response(null, { status: 302, headers: { location: `${baseUrl}/` } });
}
