/** The security token service: what an issuer says of its platform, and tokens for tokens. */
import { toFailure, toStatusFailure, unreachableFailure } from "../failure.ts";

/** A platform as its issuer describes it. URLs have no trailing slash. */
export type PlatformAddresses = {
  issuer: string;
  url: string;
  audience: string;
  registryUrl: string;
  registryAudience: string;
  /** The word in the path of the Tag History API, `_<vendor>`; `vendor` unless told. */
  vendor?: string;
};

/** A token, and when it stops working. */
export type IssuedToken = { token: string; expiry: Date };

const timeoutMs = 30_000;

/**
 * Reads `<issuer>/.well-known/openid-configuration`. Throws an UNREACHABLE Failure if nobody
 * answers there or the answer tells of no platform.
 */
export async function discoverPlatform(issuer: string): Promise<PlatformAddresses> {
  const at = `${issuer}/.well-known/openid-configuration`;
  const found = readJson(await fetchIssuerText(at, {}), at);
  const member = (name: string) => {
    const value = found[name];
    if (typeof value === "string" && value !== "") return value;
    throw unreachableFailure(`${at} has no ${name}: ${issuer} is not the issuer of a platform.`);
  };
  if (withoutTrailingSlash(member("issuer")) !== issuer) {
    throw unreachableFailure(
      `The issuer at ${issuer} calls itself ${member("issuer")}. Use that address.`,
    );
  }
  const { platform_registry_vendor: vendor } = found;
  return {
    issuer,
    url: withoutTrailingSlash(member("platform_api_url")),
    audience: member("platform_api_audience"),
    registryUrl: withoutTrailingSlash(member("platform_registry_url")),
    registryAudience: member("platform_registry_audience"),
    // A platform of an earlier version does not tell.
    ...(typeof vendor === "string" && { vendor }),
  };
}

/**
 * Exchanges a token for an access token with these audiences, as the given identity or else as
 * the one that the token stands for. Throws a Failure with the issuer's refusal.
 */
export async function exchangeToken(request: {
  issuer: string;
  token: string;
  audiences: string[];
  identity?: string | undefined;
}): Promise<IssuedToken> {
  const query = new URLSearchParams(request.audiences.map((audience) => ["aud", audience]));
  if (request.identity) query.set("identity", request.identity);
  const at = `${request.issuer}/sts/exchange`;
  const answer = await fetchIssuerText(`${at}?${query}`, {
    authorization: `Bearer ${request.token}`,
  });
  return tokenOf(readJson(answer, at), at);
}

/**
 * Uses up a refresh token: an access token with these audiences, and the next refresh token. Throws
 * a Failure with the issuer's refusal.
 */
export async function exchangeRefreshToken(request: {
  issuer: string;
  refreshToken: string;
  audiences: string[];
}): Promise<{ access: IssuedToken; next: IssuedToken }> {
  const query = new URLSearchParams(request.audiences.map((audience) => ["aud", audience]));
  const at = `${request.issuer}/sts/exchange_refresh_token`;
  const headers = { authorization: `Bearer ${request.refreshToken}` };
  const pair = readJson(await fetchIssuerText(`${at}?${query}`, headers, "POST"), at);
  return { access: tokenOf(pair.token, at), next: tokenOf(pair.refreshToken, at) };
}

/** Ends a refresh token and the login it comes from (RFC 7009). Throws a Failure. */
export async function revokeRefreshToken(issuer: string, token: string): Promise<void> {
  await fetchIssuerText(`${issuer}/oauth/revoke`, {}, "POST", new URLSearchParams({ token }));
}

function tokenOf(value: unknown, at: string): IssuedToken {
  const { token, expiry } = (value ?? {}) as Record<string, unknown>;
  if (typeof token !== "string" || typeof expiry !== "string") {
    throw unreachableFailure(`${at} answered without a token.`);
  }
  return { token, expiry: new Date(expiry) };
}

/** The URL without trailing slashes, as addresses are compared here. */
export const withoutTrailingSlash = (url: string) => url.replace(/\/+$/, "");

/** The text that an address of the issuer answers. Throws a Failure with its refusal, or UNREACHABLE. */
export async function fetchIssuerText(
  at: string,
  headers: Record<string, string>,
  method = "GET",
  body: URLSearchParams | null = null,
): Promise<string> {
  const { origin } = new URL(at);
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(at, { method, headers, body, signal });
    const text = await response.text();
    if (!response.ok) throw toStatusFailure(response.status, text, origin);
    return text;
  } catch (error) {
    if (error instanceof Error && error.name === "TimeoutError") {
      throw unreachableFailure(`${origin} did not answer within ${timeoutMs / 1000} seconds.`);
    }
    throw toFailure(error, origin);
  }
}

function readJson(text: string, at: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // Falls through to the failure.
  }
  throw unreachableFailure(`${at} answered with something that is not JSON.`);
}
