/**
 * The MCP endpoints as protected resources of OAuth: their metadata (RFC 9728), and the responses that refuse a caller
 * (RFC 6750). They are part of the API, so a token for the audience of the API is a token for them.
 */

import { noSuchRoute, permissionDenied } from "../aip/errors.ts";
import { type McpAccess, mcpEndpoints, scopesOfAccess } from "../auth/scopes.ts";
import type { Config } from "../config.ts";
import { completeError, methodNotAllowed, toStatusResponse } from "../rpc/status.ts";

export const metadataPath = "/.well-known/oauth-protected-resource";

/** How long clients may keep the metadata, in seconds. */
const lifetime = 300;

/** Returns the metadata of an endpoint, or of the whole API, whose path in the metadata's path is empty. */
export function showMetadata(request: Request, path: string, config: Config): Response {
  const resource = path.slice(metadataPath.length);
  const access = resource === "" ? "write" : mcpEndpoints[resource];
  if (access === undefined)
    return refuse(request, noSuchRoute(`${request.method} ${path}`), config);
  if (request.method !== "GET" && request.method !== "HEAD")
    return methodNotAllowed(request, path, "GET, HEAD", "mcp", config);
  const metadata = {
    resource: `${config.baseUrl}${resource}`,
    authorization_servers: [config.issuerUrl],
    scopes_supported: scopesOfAccess(access),
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

/** The parameters of a challenge: the scopes to ask for, and the address of the metadata of the endpoint. */
const challengeOf = (path: string, access: McpAccess, { baseUrl }: Config) =>
  `scope="${scopesOfAccess(access).join(" ")}", resource_metadata="${baseUrl}${metadataPath}${path}"`;

/** Adds to a 401 where a client learns how to get a token (RFC 9728 section 5.1). */
export function withChallenge(response: Response, path: string, config: Config): Response {
  const { body, status } = response;
  const headers = new Headers(response.headers);
  const existingChallenge = headers.get("www-authenticate") ?? "Bearer";
  const separator = existingChallenge === "Bearer" ? " " : ", ";
  const challenge = challengeOf(path, mcpEndpoints[path] ?? "read", config);
  headers.set("www-authenticate", `${existingChallenge}${separator}${challenge}`);
  return new Response(body, { status, headers });
}

/** Refuses a call whose token was limited to fewer capabilities than the tool needs (RFC 6750 section 3.1). */
export function insufficientScope(
  request: Request,
  path: string,
  access: McpAccess,
  config: Config,
): Response {
  const scope = scopesOfAccess(access).join(" ");
  const text = `the token is limited to capabilities that do not include those of the tool; get a token with the scope ${scope}`;
  const response = refuse(request, permissionDenied(text), config);
  const challenge = challengeOf(path, access, config);
  response.headers.set("www-authenticate", `Bearer error="insufficient_scope", ${challenge}`);
  return response;
}
