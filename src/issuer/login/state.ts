/**
 * Keeps a login in progress in an encrypted cookie of the browser. The platform stores nothing, and accepts a
 * provider's response only from the browser that was sent there (RFC 9700 section 4.7).
 */
import { invalidArgument } from "../../aip/errors.ts";
import { sha256 } from "../../aip/sha256.ts";
import { seal, unseal } from "../../auth/secrets.ts";
import type { Config } from "../../config.ts";
import type { LoginParameters } from "./parameters.ts";

/** The data that is needed again when the person comes back. */
export interface LoginState {
  parameters: LoginParameters;
  /** The uid of the identity provider. Empty before the person has named it. */
  provider: string;
  /** The name of the OAuth client. */
  client?: string;
  /** The `state`, `nonce` and PKCE verifier of the request to the provider. */
  state: string;
  nonce: string;
  verifier: string;
  /** The address where the provider sends the person back. Empty before they are sent there. */
  callback: string;
  /** Whether the person has confirmed the program that waits for the token, if there is one. */
  confirmed: boolean;
  /** Milliseconds since 1970 in UTC. */
  until: number;
}

/** The time that a person can take at their provider, in milliseconds. */
export const loginLifetime = 10 * 60_000;

/** The size of a cookie that every browser stores. */
const maxCookieLength = 3800;

/** Each login has its own cookie, so that one tab does not end the login in another. */
async function cookieName({ issuerUrl }: Config, state: string): Promise<string> {
  // No sibling host can set a cookie with this prefix.
  const prefix = issuerUrl.startsWith("https:") ? "__Host-" : "";
  return `${prefix}login-${(await sha256(state)).slice(0, 16)}`;
}

const attributes = ({ issuerUrl }: Config, seconds: number) =>
  `; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}` +
  (issuerUrl.startsWith("https:") ? "; Secure" : "");

/** The `set-cookie` header that stores the state. Throws INVALID_ARGUMENT if the state is too large. */
export async function stateCookie(config: Config, state: LoginState): Promise<string> {
  const sealed = await seal(config, "login", JSON.stringify(state));
  if (sealed.length > maxCookieLength) {
    throw invalidArgument(
      "request",
      "the parameters of the login are too long; send a shorter redirect or fewer scopes",
    );
  }
  const name = await cookieName(config, state.state);
  return `${name}=${sealed}${attributes(config, loginLifetime / 1000)}`;
}

/** The `set-cookie` header that stores a secret under its own name, for a page whose form has the secret too. */
export const secretCookie = async (config: Config, secret: string) =>
  `${await cookieName(config, secret)}=${secret}${attributes(config, loginLifetime / 1000)}`;

/** The `set-cookie` header that deletes the state or the secret. */
export const expiredStateCookie = async (config: Config, state: string) =>
  `${await cookieName(config, state)}=${attributes(config, 0)}`;

/** The login that the browser stores under a `state`. Undefined if there is none, or if it is too old. */
export async function readState(
  config: Config,
  request: Request,
  state: string,
  now: number,
): Promise<LoginState | undefined> {
  const sealed = await readCookie(config, request, state);
  const text = sealed && (await unseal(config, "login", sealed));
  if (!text) return undefined;
  const kept = JSON.parse(text) as LoginState;
  return kept.state === state && kept.until > now ? kept : undefined;
}

/** Whether the browser has the cookie of a secret. */
export const hasSecret = async (config: Config, request: Request, secret: string) =>
  (await readCookie(config, request, secret)) === secret;

async function readCookie(config: Config, request: Request, state: string) {
  const name = await cookieName(config, state);
  const cookies = (request.headers.get("cookie") ?? "").split(/; */);
  return cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1);
}
