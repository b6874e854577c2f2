/** A sign-in with an authorization code and PKCE (RFC 7636), as far as the page takes part in it. */
import type { Addresses } from "./addresses.ts";

/** The fixed client id of the console at the issuer. */
export const clientId = "console";

/** Where the issuer sends the browser back. */
export const redirectUri = () => `${location.origin}/console/signed-in`;

/**
 * The data that a sign-in in progress needs when the browser comes back. It has no token, and one sign-in uses it once, so the
 * page keeps it in the storage of the tab.
 */
interface PendingSignIn {
  verifier: string;
  state: string;
  /** The identity provider or organization that the person named. */
  provider: string;
  /** The page to show after the sign-in: a path of this origin with its query and its fragment. */
  returnTo: string;
}

const pendingKey = "console.sign-in";

const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

const randomText = () => base64url(crypto.getRandomValues(new Uint8Array(32)));

/** The parts of a sign-in that the person chose. */
export interface SignInChoice {
  /** A verified organization, a group or an identity provider. Empty if the issuer has to ask. */
  provider: string;
  /** The code of an invite. */
  inviteCode?: string;
  returnTo: string;
}

/** Leaves the page for the issuer. */
export async function leaveForIssuer(
  { issuer }: Addresses,
  { provider, inviteCode, returnTo }: SignInChoice,
): Promise<void> {
  const pending: PendingSignIn = {
    verifier: randomText(),
    state: randomText(),
    provider,
    returnTo,
  };
  sessionStorage.setItem(pendingKey, JSON.stringify(pending));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(pending.verifier));
  const url = new URL("/oauth/authorize", issuer);
  url.search = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri(),
    code_challenge: base64url(new Uint8Array(digest)),
    code_challenge_method: "S256",
    state: pending.state,
    scope: "write",
    ...(provider === "" ? {} : { idp_id: provider }),
    ...(inviteCode === undefined ? {} : { invite_code: inviteCode }),
  }).toString();
  location.assign(url);
}

/** The response of the issuer that the address of the page contains. */
export type Arrival =
  | { kind: "none" }
  | { kind: "refused"; reason: string; returnTo: string }
  | { kind: "code"; code: string; verifier: string; provider: string; returnTo: string };

/** Reads the response of the issuer, and removes it from the address and the history. */
export function readArrival({ issuerName }: Addresses): Arrival {
  if (location.pathname !== "/console/signed-in") return { kind: "none" };
  const query = new URLSearchParams(location.search);
  const text = sessionStorage.getItem(pendingKey);
  sessionStorage.removeItem(pendingKey);
  const pending = text === null ? undefined : (JSON.parse(text) as PendingSignIn);
  const returnTo = safePath(pending?.returnTo);
  history.replaceState(null, "", returnTo);
  const refused = (reason: string): Arrival => ({ kind: "refused", reason, returnTo });
  if (!pending || query.get("state") !== pending.state)
    return refused("This tab has no such sign-in in progress. Sign in again.");
  // Another issuer could send a person here with its own code (RFC 9207).
  if (query.get("iss") !== issuerName) return refused("The response came from another issuer.");
  const error = query.get("error");
  if (error !== null) return refused(query.get("error_description") ?? error);
  const { verifier, provider } = pending;
  return { kind: "code", code: query.get("code") ?? "", verifier, provider, returnTo };
}

/** Only paths of the console, so that no address can send a person elsewhere. */
const safePath = (path = "") => (/^\/console(?:[/?#]|$)/.test(path) ? path : "/console");
