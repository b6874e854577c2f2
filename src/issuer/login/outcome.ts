/** Ends a login: with a redirect that carries tokens or an error, or with a page. */

import type { Config } from "../../config.ts";
import { describable, type OAuthErrorCode } from "../oauth/errors.ts";
import type { AuthorizationRequest } from "../oauth/parameters.ts";
import type { LoginContext } from "./context.ts";
import { type LoginRefusal, noStoreHeaders, showRefusal, showSignedIn } from "./pages.ts";

/** Reports a failed login: `error` and `status_code` (contract) in the redirect, or a page. */
export function deliverRefusal(
  { request }: LoginContext,
  redirect: string,
  refusal: LoginRefusal,
): Response {
  const { status, reason } = refusal;
  if (redirect === "") return showRefusal(refusal, request.headers);
  return redirectBack(redirect, { error: reason, status_code: String(status) });
}

/**
 * Hands over the tokens: `token` and `refresh_token` (contract) in the redirect, or a page without a redirect
 * address.
 */
export function deliverTokens(
  redirect: string,
  tokens: { token: string; refreshToken: string },
  displayName: string,
): Response {
  if (redirect === "") return showSignedIn(displayName);
  const { token, refreshToken } = tokens;
  return redirectBack(redirect, {
    token,
    ...(refreshToken === "" ? {} : { refresh_token: refreshToken }),
  });
}

/** Where a client of OAuth gets its response, and its own text. */
type Receiver = Pick<AuthorizationRequest, "redirectUri" | "state">;

/** Hands over a code (RFC 6749 section 4.1.2). `iss` names the issuer, so that clients notice a mix-up (RFC 9207). */
export const deliverCode = (config: Config, { redirectUri, state }: Receiver, code: string) =>
  redirectBack(redirectUri, { code, ...stateOf(state), iss: config.issuerUrl });

/** Reports to the client that there is no code (RFC 6749 section 4.1.2.1). */
export const deliverOAuthError = (
  config: Config,
  { redirectUri, state }: Receiver,
  error: OAuthErrorCode,
  text: string,
) => {
  const members = { error, error_description: describable(text) };
  return redirectBack(redirectUri, { ...members, ...stateOf(state), iss: config.issuerUrl });
};

const stateOf = (state: string) => (state === "" ? {} : { state });

const ownMembers = [
  "token",
  "refresh_token",
  "error",
  "status_code",
  "code",
  "state",
  "iss",
  "error_description",
];

/**
 * 303, so that the browser follows with a GET. The address has only our values for the members that we fill.
 */
function redirectBack(redirect: string, members: Record<string, string>): Response {
  const url = new URL(redirect);
  for (const name of ownMembers) url.searchParams.delete(name);
  for (const [name, value] of Object.entries(members)) url.searchParams.set(name, value);
  const headers = { ...noStoreHeaders, location: url.href };
  return new Response(null, { status: 303, headers });
}
