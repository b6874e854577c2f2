/** Requests for tokens: to the token endpoint of the issuer, and to `npm start` on this machine. */
import type { Addresses } from "./addresses.ts";
import { clientId, redirectUri } from "./pkce.ts";

/** A token and what can renew it. Both stay in the memory of the page. */
export interface Grant {
  token: string;
  /** Milliseconds since 1970 UTC. */
  expires: number;
  refreshToken?: string;
}

/** The grant is over: only a new sign-in gives tokens. */
export class GrantEnded extends Error {
  override name = "GrantEnded";
}

interface TokenResponse {
  access_token?: string;
  expires_in?: number;
  refresh_token?: string;
  error?: string;
  error_description?: string;
}

/** Statuses of a refusal that remains. A rate limit and a fault of the issuer pass. */
const finalStatuses = [400, 401, 403];

async function requestGrant(url: string, init: RequestInit): Promise<Grant> {
  const response = await fetch(url, { method: "POST", ...init });
  const body = (await response.json().catch(() => ({}))) as TokenResponse;
  if (!response.ok || !body.access_token) {
    const reason = body.error_description ?? `The issuer responded with HTTP ${response.status}.`;
    throw finalStatuses.includes(response.status) ? new GrantEnded(reason) : new Error(reason);
  }
  const { access_token: token, expires_in: seconds = 0, refresh_token: refreshToken } = body;
  return {
    token,
    expires: Date.now() + seconds * 1000,
    ...(refreshToken === undefined ? {} : { refreshToken }),
  };
}

const requestToken = ({ issuer }: Addresses, form: Record<string, string>) =>
  requestGrant(`${issuer}/oauth/token`, {
    body: new URLSearchParams({ ...form, client_id: clientId }),
  });

/** Redeems an authorization code. Throws GrantEnded if the issuer refuses it. */
export const redeemCode = (addresses: Addresses, code: string, verifier: string) =>
  requestToken(addresses, {
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri(),
    code_verifier: verifier,
  });

/** Renews a grant. Throws GrantEnded if that is not possible any more. */
export function renewGrant(addresses: Addresses, { refreshToken }: Grant): Promise<Grant> {
  if (refreshToken === undefined) throw new GrantEnded("The session has ended.");
  return requestToken(addresses, { grant_type: "refresh_token", refresh_token: refreshToken });
}

/**
 * Ends a grant at the issuer, also if the person closes the page meanwhile. Its access token ends with it. A grant
 * without a refresh token is only forgotten. Returns whether the issuer responded.
 */
export async function revokeGrant(
  { issuer }: Addresses,
  { refreshToken }: Grant,
): Promise<boolean> {
  if (refreshToken === undefined) return true;
  const body = new URLSearchParams({ token: refreshToken });
  const request = fetch(`${issuer}/oauth/revoke`, { method: "POST", body, keepalive: true });
  return request.then(
    ({ ok }) => ok,
    () => false,
  );
}

/** The owner of the sample organization of `npm start`. */
export interface LocalOwner {
  organization: { uid: string; name: string };
  owner: { uid: string; name: string };
}

const localOwnerPath = "/console/local-owner";

/** Whether `npm start` on this machine serves the page, and who owns its organization. */
export async function findLocalOwner(): Promise<LocalOwner | undefined> {
  if (!/^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(location.hostname)) return undefined;
  const response = await fetch(localOwnerPath, { headers: { accept: "application/json" } });
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  return response.ok && isJson ? ((await response.json()) as LocalOwner) : undefined;
}

/** A token of that owner. */
export const requestLocalOwner = () => requestGrant(localOwnerPath, {});
