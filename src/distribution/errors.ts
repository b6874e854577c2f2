/** Errors in the registry's own shape (OCI distribution specification, "Error Codes"). */
import { Code, ConnectError } from "@connectrpc/connect";
import type { Config } from "../config.ts";
import { toStatus } from "../rpc/status.ts";

/** An error on its way to the client: `{"errors": [{code, message}]}`. */
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

/** 401: no credential, or one that proves nothing. */
export const unauthorized = (text: string) => new RegistryError(401, "UNAUTHORIZED", text);

/** 403: a good credential that does not reach here. The text must not tell what exists. */
export const denied = (text: string) => new RegistryError(403, "DENIED", text);

/** 404: no such repository. */
export const nameUnknown = (name: string) =>
  new RegistryError(404, "NAME_UNKNOWN", `there is no repository ${name}`);

/** 400: what cannot be the name of a repository. */
export const nameInvalid = (text: string) => new RegistryError(400, "NAME_INVALID", text);

/** 404: no such tag of the repository has ever pointed to an image. */
export const manifestUnknown = (tag: string) =>
  new RegistryError(
    404,
    "MANIFEST_UNKNOWN",
    `no tag ${tag} of the repository has ever pointed to an image`,
  );

/** 400: what cannot be a tag. */
export const tagInvalid = (text: string) => new RegistryError(400, "TAG_INVALID", text);

/** 400: a query parameter that cannot be read. */
export const queryInvalid = (text: string) => new RegistryError(400, "QUERY_INVALID", text);

/** 404: a path of the registry's API that is not served here. */
export const unsupported = (text: string) => new RegistryError(404, "UNSUPPORTED", text);

/** 404: a path that is not the registry's at all. */
export const pathNotFound = () => unsupported("this host serves /token and /v2/ only");

/** 405: a path that answers GET and HEAD. */
export const methodUnsupported = (method: string) =>
  new RegistryError(405, "UNSUPPORTED", `${method} is not supported here`, { allow: "GET, HEAD" });

/**
 * Any thrown value as the answer. A 401 carries the challenge that tells clients where to get a
 * token (RFC 6750 section 3): `scope`, where it is known, is the scope that this request needs.
 */
export function toRegistryErrorResponse(
  thrown: unknown,
  config: Config | undefined,
  scope: string,
): Response {
  const error = thrown instanceof RegistryError ? thrown : toRegistryError(thrown);
  const headers = new Headers(error.headers);
  headers.set("content-type", "application/json");
  if (error.status === 401 && config) {
    const needed = scope === "" ? "" : `,scope="${scope}"`;
    const challenge = `realm="${config.registryUrl}/token",service="${config.registryAudience}"`;
    headers.set("www-authenticate", `Bearer ${challenge}${needed}`);
  }
  const { code, message, status } = error;
  return new Response(JSON.stringify({ errors: [{ code, message }] }), { status, headers });
}

/** What the rest of the platform throws. */
function toRegistryError(thrown: unknown): RegistryError {
  const error = toStatus(thrown);
  const text = error.rawMessage.replace(/^[A-Z][a-z ]+: /, "");
  if (error.code === Code.Unauthenticated) return unauthorized(text);
  if (error.code === Code.PermissionDenied) return denied(text);
  // The registry's word for 429, TOOMANYREQUESTS, would have clients slow down, which frees no storage.
  const isForLater = error.code === Code.Unavailable || error.code === Code.ResourceExhausted;
  if (isForLater) return new RegistryError(503, "UNAVAILABLE", text);
  return new RegistryError(
    500,
    "UNKNOWN",
    thrown instanceof ConnectError ? text : error.rawMessage,
  );
}
