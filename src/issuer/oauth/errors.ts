/** Errors of OAuth, whose clients expect another form than that of the API (RFC 6749 section 5.2). */
import { Code, type ConnectError } from "@connectrpc/connect";
import { isRateLimited } from "../../aip/errors.ts";

/** The codes of RFC 6749, RFC 7591, RFC 8628 and RFC 8707 that the issuer returns. */
export type OAuthErrorCode =
  | "access_denied"
  | "authorization_pending"
  | "expired_token"
  | "invalid_client"
  | "invalid_client_metadata"
  | "invalid_grant"
  | "invalid_redirect_uri"
  | "invalid_request"
  | "invalid_scope"
  | "invalid_target"
  | "server_error"
  | "slow_down"
  | "temporarily_unavailable"
  | "unauthorized_client"
  | "unsupported_grant_type"
  | "unsupported_response_type";

/** A request that breaks the rules of OAuth. The message says what to change. */
export class OAuthError extends Error {
  readonly code: OAuthErrorCode;
  constructor(code: OAuthErrorCode, text: string) {
    super(text);
    this.code = code;
  }
}

/** The code of OAuth for an error of the platform. A person or a grant that is refused is PERMISSION_DENIED. */
export function oauthCodeOf(error: ConnectError): OAuthErrorCode {
  const { code } = error;
  if (isRateLimited(error)) return "temporarily_unavailable";
  if (code === Code.PermissionDenied) return "invalid_grant";
  if (code === Code.InvalidArgument) return "invalid_request";
  return code === Code.Unavailable || code === Code.Aborted
    ? "temporarily_unavailable"
    : "server_error";
}

const statuses: Partial<Record<OAuthErrorCode, number>> = {
  invalid_client: 401,
  server_error: 500,
  temporarily_unavailable: 503,
};

/** An error as JSON. */
export function oauthErrorResponse(code: OAuthErrorCode, text: string): Response {
  const body = { error: code, error_description: describable(text) };
  const headers = { "cache-control": "no-store" };
  return Response.json(body, { status: statuses[code] ?? 400, headers });
}

/** The characters that a description may have (RFC 6749 appendix A.8). */
export const describable = (text: string) => text.replace(/[^\x20-\x7e]|["\\]/g, "'");
