/** Reads the parameters of OAuth requests. */
import { base64url } from "jose";
import readCapabilities from "../../../schema/gen/read_capabilities.json" with { type: "json" };
import { mcpEndpoints, readScope, scopesOfAccess, writeScope } from "../../auth/scopes.ts";
import type { Config } from "../../config.ts";
import { OAuthError } from "./errors.ts";

/** An authorization request after its checks. It waits in the cookie of the login. */
export interface AuthorizationRequest {
  /** SHA-256 of the id of the client. */
  client: string;
  redirectUri: string;
  /** The PKCE challenge (RFC 7636), with the method S256. */
  challenge: string;
  /** The client's own text, which its response repeats. Empty if there is none. */
  state: string;
  /** The scopes, separated by spaces. */
  scope: string;
}

const maxLength = 1024;

/** A parameter that can appear only once (RFC 6749 section 3.1). Empty if it is missing. */
export function oneParameter(parameters: URLSearchParams, name: string, limit = maxLength): string {
  const [value = "", ...more] = parameters.getAll(name);
  if (more.length > 0) throw new OAuthError("invalid_request", `${name} is given more than once`);
  if (value.length > limit)
    throw new OAuthError("invalid_request", `${name} must have at most ${limit} characters`);
  return value;
}

/** A parameter that must be there. */
export function requiredParameter(parameters: URLSearchParams, name: string, limit?: number) {
  const value = oneParameter(parameters, name, limit);
  if (value === "") throw new OAuthError("invalid_request", `${name} is required`);
  return value;
}

/** The scopes of a request. The default is to read. Reading is part of writing. */
export function readScopes(parameters: URLSearchParams): string {
  const asked = oneParameter(parameters, "scope").split(" ").filter(Boolean);
  const unknown = asked.find((scope) => scope !== readScope && scope !== writeScope);
  if (unknown !== undefined)
    throw new OAuthError("invalid_scope", `the scopes are ${readScope} and ${writeScope}`);
  return scopesOfAccess(asked.includes(writeScope) ? "write" : "read").join(" ");
}

/** The capabilities that a token of these scopes is limited to. Undefined if there is no limit. */
export const capabilitiesOf = (scope: string): number[] | undefined =>
  scope.split(" ").includes(writeScope) ? undefined : readCapabilities;

/**
 * The addresses of the API with its audience. The API and its MCP endpoints are one resource server, so the token has
 * the audience of the API for each of them.
 */
export const apiResources = ({ baseUrl, audience }: Config) =>
  new Map(["", ...Object.keys(mcpEndpoints)].map((path) => [`${baseUrl}${path}`, audience]));

/** The audiences of the resource indicators (RFC 8707), which must be among the known addresses. */
export const readResources = (parameters: URLSearchParams, known: Map<string, string>): string[] =>
  parameters.getAll("resource").map((resource) => {
    const audience = known.get(resource.replace(/\/$/, ""));
    if (audience !== undefined) return audience;
    const text = `resource must be one of ${[...known.keys()].join(", ")}`;
    throw new OAuthError("invalid_target", text);
  });

/** Checks the resource indicators of a login, whose token is for the API. */
export function checkResources(parameters: URLSearchParams, config: Config): void {
  readResources(parameters, apiResources(config));
}

/** The PKCE challenge of a verifier. Undefined if the text is not a verifier (RFC 7636 section 4.1). */
export async function challengeOf(verifier: string): Promise<string | undefined> {
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) return undefined;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return base64url.encode(new Uint8Array(digest));
}
