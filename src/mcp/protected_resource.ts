/**
 * The MCP endpoints as protected resources of OAuth: their metadata (RFC 9728), and the responses that refuse a caller
 * (RFC 6750). They are part of the API, so a token for the audience of the API is a token for them.
 */

import { noSuchRoute, permissionDenied, unimplemented } from "../aip/errors.ts";
import { readScope, writeScope } from "../auth/scopes.ts";
import type { Config } from "../config.ts";
import { completeError, toStatusResponse } from "../rpc/status.ts";

export const metadataPath = "/.well-known/oauth-protected-resource";

/** The paths of the endpoints, and the tools that each of them has. */
export const endpoints: Record<string, "read" | "write"> = {
  "/mcp": "read",
  "/mcp/write": "write",
};

const scopesOf = (access: "read" | "write") =>
  access === "read" ? [readScope] : [readScope, writeScope];

/** How long clients may keep the metadata, in seconds. */
const lifetime = 300;

/** Returns the metadata of an endpoint, or of the whole API, whose path in the metadata's path is empty. */
export function showMetadata(request: Request, path: string, config: Config): Response {
  const resource = path.slice(metadataPath.length);
  const access = resource === "" ? "write" : endpoints[resource];
  if (access === undefined)
    return refuse(request, noSuchRoute(`${request.method} ${path}`), config);
  if (request.method !== "GET" && request.method !== "HEAD")
    return methodNotAllowed(request, path, "GET, HEAD", config);
  const metadata = {
    resource: `${config.baseUrl}${resource}`,
    authorization_servers: [config.issuerUrl],
    scopes_supported: scopesOf(access),
    bearer_methods_supported: ["header"],
    resource_name: "Platform API",
    resource_documentation: `${config.baseUrl}/docs/mcp`,
  };
  return new Response(request.method === "HEAD" ? null : JSON.stringify(metadata), {
    headers: { "content-type": "application/json", "cache-control": `public, max-age=${lifetime}` },
  });
}

export function refuse(
  { headers }: Request,
  error: Parameters<typeof completeError>[0],
  config: Pick<Config, "serviceDomain" | "vendor">,
): Response {
  return toStatusResponse(completeError(error, "mcp", config, headers), new Headers());
}

export function methodNotAllowed(request: Request, path: string, allow: string, config: Config) {
  const error = unimplemented(`${request.method} ${path}; this path supports ${allow}`);
  const { body, headers } = refuse(request, error, config);
  headers.set("allow", allow);
  return new Response(body, { status: 405, headers });
}

/** Adds to a 401 where a client learns how to get a token (RFC 9728 section 5.1). */
export function withChallenge(response: Response, path: string, config: Config): Response {
  const { body, status } = response;
  const headers = new Headers(response.headers);
  const given = headers.get("www-authenticate") ?? "Bearer";
  const scope = scopesOf(endpoints[path] ?? "read").join(" ");
  const separator = given === "Bearer" ? " " : ", ";
  headers.set(
    "www-authenticate",
    `${given}${separator}scope="${scope}", resource_metadata="${config.baseUrl}${metadataPath}${path}"`,
  );
  return new Response(body, { status, headers });
}

/** Refuses a call whose token was limited to fewer capabilities than the tool needs (RFC 6750 section 3.1). */
export function insufficientScope(
  request: Request,
  path: string,
  access: "read" | "write",
  config: Config,
): Response {
  const scope = scopesOf(access).join(" ");
  const text = `the token is limited to capabilities that do not include those of the tool; get a token with the scope ${scope}`;
  const response = refuse(request, permissionDenied(text), config);
  response.headers.set(
    "www-authenticate",
    `Bearer error="insufficient_scope", scope="${scope}", resource_metadata="${config.baseUrl}${metadataPath}${path}"`,
  );
  return response;
}
