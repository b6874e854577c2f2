/** Serves `/` on each host of the platform: a page on the API host, and a redirect to it on the others. */
import type { Config } from "../config.ts";
import { methodNotAllowed } from "./status.ts";

const verbs = ["GET", "HEAD"];

/** Returns 405 for a request for `/` that is neither GET nor HEAD. Returns undefined for GET and HEAD. */
export function refuseMethod(request: Request, config: Config): Response | undefined {
  if (verbs.includes(request.method)) return undefined;
  return methodNotAllowed(request, "/", verbs.join(", "), "", config);
}

/**
 * Redirects from another host, whose origin is `own`, to the API host. Returns undefined if both are the same
 * host.
 */
export function redirectToApiHost(own: string, { baseUrl }: Config): Response | undefined {
  if (own === baseUrl) return undefined;
  return new Response(null, { status: 302, headers: { location: `${baseUrl}/` } });
}
