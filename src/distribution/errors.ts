/** Errors in the registry's own form (OCI distribution specification, "Error Codes"). */
import { Code, ConnectError } from "@connectrpc/connect";
import { requestIdOf } from "../aip/request_id.ts";
import type { Config } from "../config.ts";
import { toStatus } from "../rpc/status.ts";

/** An error for the client: `{"errors": [{code, message, detail: {requestId}}]}`. */
class RegistryError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Record<string, string>;

  constructor(status: number, code: string, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** 401: there is no credential, or it is invalid. */
export const unauthorized = (text: string) => new RegistryError(401, "UNAUTHORIZED", text);

/** 403: a valid credential without access. The text must not reveal what exists. */
export const denied = (text: string) => new RegistryError(403, "DENIED", text);

/** 404: the repository does not exist. */
export const nameUnknown = (name: string) =>
  new RegistryError(404, "NAME_UNKNOWN", `there is no repository ${name}`);

/** 400: the text cannot be the name of a repository. */
export const nameInvalid = (text: string) => new RegistryError(400, "NAME_INVALID", text);

/** 404: the repository never had a tag with this name that pointed to an image. */
export const manifestUnknown = (tag: string) =>
  new RegistryError(
    404,
    "MANIFEST_UNKNOWN",
    `no image in the repository has ever had the tag ${tag}`,
  );

/** 400: the text cannot be a tag. */
export const tagInvalid = (text: string) => new RegistryError(400, "TAG_INVALID", text);

/** 400: a query parameter is unreadable. */
export const queryInvalid = (text: string) => new RegistryError(400, "QUERY_INVALID", text);

/** 404: this registry does not serve this path of the API. */
export const unsupported = (text: string) => new RegistryError(404, "UNSUPPORTED", text);

/** 404: the path does not belong to a registry. */
export const pathNotFound = () => unsupported("this host serves only /token and /v2/");

/** 405: the path supports only GET and HEAD. */
export const methodUnsupported = (method: string) =>
  new RegistryError(405, "UNSUPPORTED", `${method} is not supported; use GET or HEAD`, {
    allow: "GET, HEAD",
  });

/**
 * Converts any thrown value to a response. A 401 contains the challenge that says where to get a token (RFC
 * 6750 section 3). Its `scope` is the scope that this request needs, if it is known.
 */
export function toRegistryErrorResponse(
  thrown: unknown,
  config: Config | undefined,
  scope: string,
  requestHeaders: Headers,
): Response {
  const error = thrown instanceof RegistryError ? thrown : toRegistryError(thrown, requestHeaders);
  const headers = new Headers(error.headers);
  headers.set("content-type", "application/json");
  if (error.status === 401 && config) {
    const needed = scope === "" ? "" : `,scope="${scope}"`;
    const challenge = `realm="${config.registryUrl}/token",service="${config.registryAudience}"`;
    headers.set("www-authenticate", `Bearer ${challenge}${needed}`);
  }
  const { code, message, status } = error;
  const detail = { requestId: requestIdOf(requestHeaders) };
  return new Response(JSON.stringify({ errors: [{ code, message, detail }] }), { status, headers });
}

/** The errors of the rest of the platform. */
function toRegistryError(thrown: unknown, requestHeaders: Headers): RegistryError {
  const error = toStatus(thrown, requestHeaders);
  const text = error.rawMessage.replace(/^[A-Z][a-z ]+: /, "");
  if (error.code === Code.Unauthenticated) return unauthorized(text);
  if (error.code === Code.PermissionDenied) return denied(text);
  // The registry's code for 429, TOOMANYREQUESTS, would make clients slow down, which does not free storage.
  const isForLater = error.code === Code.Unavailable || error.code === Code.ResourceExhausted;
  if (isForLater) return new RegistryError(503, "UNAVAILABLE", text);
  return new RegistryError(
    500,
    "UNKNOWN",
    thrown instanceof ConnectError ? text : error.rawMessage,
  );
}
