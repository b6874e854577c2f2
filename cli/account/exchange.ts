/** The security token service: the addresses that an issuer publishes, and the exchange of tokens. */
import { decodeJwt } from "jose/jwt/decode";
import { readResponse } from "../../client/answer.ts";
import { withRetries } from "../../client/retry.ts";
import { Failure, toFailure, toStatusFailure, unreachableFailure } from "../failure.ts";
import { maxWaitMs, noteWait } from "./rate_limit_waits.ts";

/** The addresses of a platform as its issuer publishes them. URLs have no trailing slash. */
export type PlatformAddresses = {
  issuer: string;
  url: string;
  audience: string;
  registryUrl: string;
  registryAudience: string;
  /** The operator's name in the path of the Tag History API, `_<vendor>`. The default is `vendor`. */
  vendor?: string;
};

/** A token, and when it expires. */
export type IssuedToken = { token: string; expiry: Date };

const timeoutMs = 30_000;

/**
 * Reads `<issuer>/.well-known/openid-configuration`. Throws an UNREACHABLE Failure if nothing responds there, or if the
 * response does not describe a platform.
 */
export async function discoverPlatform(issuer: string): Promise<PlatformAddresses> {
  const address = `${issuer}/.well-known/openid-configuration`;
  const configuration = readJson(await fetchIssuerText(address, {}), address);
  const member = (name: string) => {
    const value = configuration[name];
    if (typeof value === "string" && value !== "") return value;
    throw unreachableFailure(
      `${address} has no ${name}, so ${issuer} is not the issuer of a platform.`,
    );
  };
  if (withoutTrailingSlash(member("issuer")) !== issuer) {
    throw unreachableFailure(
      `The issuer at ${issuer} says that its address is ${member("issuer")}. Use that address.`,
    );
  }
  const { platform_registry_vendor: vendor } = configuration;
  return {
    issuer,
    url: withoutTrailingSlash(member("platform_api_url")),
    audience: member("platform_api_audience"),
    registryUrl: withoutTrailingSlash(member("platform_registry_url")),
    registryAudience: member("platform_registry_audience"),
    // An earlier version of the platform does not publish it.
    ...(typeof vendor === "string" && { vendor }),
  };
}

/**
 * Exchanges a token for an access token with these audiences. The token is for the given identity, or for the identity
 * that the old token represents. Throws a Failure with the issuer's error.
 */
export async function exchangeToken(request: {
  issuer: string;
  token: string;
  audiences: string[];
  identity?: string | undefined;
}): Promise<IssuedToken> {
  const query = new URLSearchParams(request.audiences.map((audience) => ["aud", audience]));
  if (request.identity) query.set("identity", request.identity);
  const address = `${request.issuer}/sts/exchange`;
  const answer = await fetchIssuerText(`${address}?${query}`, {
    authorization: `Bearer ${request.token}`,
  });
  return tokenOf(readJson(answer, address), address);
}

/**
 * Exchanges a refresh token for an access token with these audiences and for the next refresh token. Throws a Failure
 * with the issuer's error.
 */
export async function exchangeRefreshToken(request: {
  issuer: string;
  refreshToken: string;
  audiences: string[];
}): Promise<{ access: IssuedToken; next: IssuedToken }> {
  const query = new URLSearchParams(request.audiences.map((audience) => ["aud", audience]));
  const address = `${request.issuer}/sts/exchange_refresh_token`;
  const headers = { authorization: `Bearer ${request.refreshToken}` };
  const pair = readJson(await fetchIssuerText(`${address}?${query}`, headers, "POST"), address);
  return { access: tokenOf(pair.token, address), next: tokenOf(pair.refreshToken, address) };
}

/** Revokes a refresh token and the login that it belongs to (RFC 7009). Throws a Failure. */
export async function revokeRefreshToken(issuer: string, token: string): Promise<void> {
  await fetchIssuerText(`${issuer}/oauth/revoke`, {}, "POST", new URLSearchParams({ token }));
}

/** The uid of the session that the token of a login in a browser belongs to. Undefined for other tokens. */
export const sessionOf = (token: string): string | undefined =>
  decodeJwt<{ chain?: { sid?: string }[] }>(token).chain?.[0]?.sid;

/** Ends a session, unless it has ended already. Throws a Failure. */
export async function endSession(url: string, token: string, session: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ uids: [session] });
  await fetchIssuerText(`${url}/iam/v2/sessions:end`, headers, "POST", body).catch((error) => {
    if (!(error instanceof Failure && error.code === "UNAUTHENTICATED")) throw error;
  });
}

function tokenOf(value: unknown, address: string): IssuedToken {
  const { token, expiry } = (value ?? {}) as Record<string, unknown>;
  if (typeof token !== "string" || typeof expiry !== "string") {
    throw unreachableFailure(`${address} returned a response without a token.`);
  }
  return { token, expiry: new Date(expiry) };
}

/** Returns the URL without trailing slashes. Addresses are compared in this form. */
export const withoutTrailingSlash = (url: string) => url.replace(/\/+$/, "");

/**
 * The issuer has done nothing if it refuses a request with 429, so every request is then sent again. Any other error is a
 * Failure, which is never repeated.
 */
const waiting = { retries: 1, isSafe: true, isConditional: false, maxWait: maxWaitMs };

/**
 * Returns the text of a response from the issuer, and waits for rate limits. Throws UNREACHABLE, or a Failure with the
 * issuer's error.
 */
export async function fetchIssuerText(
  address: string,
  headers: Record<string, string>,
  method = "GET",
  body: URLSearchParams | string | null = null,
): Promise<string> {
  const { origin } = new URL(address);
  const ask = async () => {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(address, { method, headers, body, signal });
    if (response.status === 429) await readResponse(response, false);
    const text = await response.text();
    if (!response.ok) throw toStatusFailure(response.status, text, origin);
    return text;
  };
  try {
    return await withRetries(ask, { ...waiting, signal: undefined, onWait: noteWait });
  } catch (error) {
    if (error instanceof Error && error.name === "TimeoutError") {
      throw unreachableFailure(`${origin} did not respond within ${timeoutMs / 1000} seconds.`);
    }
    throw toFailure(error, origin);
  }
}

function readJson(text: string, address: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // The failure below describes it.
  }
  throw unreachableFailure(`${address} returned a response that is not JSON.`);
}
