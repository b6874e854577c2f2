/**
 * A login under way, kept by the browser in a sealed cookie: nothing is stored here, and an answer
 * of a provider is taken only from the browser that was sent there (RFC 9700 section 4.7).
 */
import { invalidArgument } from "../../aip/errors.ts";
import { sha256 } from "../../aip/sha256.ts";
import { seal, unseal } from "../../auth/secrets.ts";
import type { Config } from "../../config.ts";
import type { LoginParameters } from "./parameters.ts";

/** What has to be known again when the person comes back. */
export interface LoginState {
  parameters: LoginParameters;
  /** Uid of the identity provider. */
  provider: string;
  /** The `state`, `nonce` and PKCE verifier of the request to it. */
  state: string;
  nonce: string;
  verifier: string;
  /** Where the provider sends the person back; empty before they are sent there. */
  callback: string;
  /** Whether the person said yes to the program that waits, where one does. */
  confirmed: boolean;
  /** Milliseconds since 1970 UTC. */
  until: number;
}

/** How long a person may take at their provider, in milliseconds. */
export const loginLifetime = 10 * 60_000;

/** What browsers surely keep of one cookie. */
const maxCookieLength = 3800;

/** Each login has a cookie of its own, so that one tab does not end the login of another. */
async function cookieName({ issuerUrl }: Config, state: string): Promise<string> {
  // No sibling host can set a cookie of this prefix.
  const prefix = issuerUrl.startsWith("https:") ? "__Host-" : "";
  return `${prefix}login-${(await sha256(state)).slice(0, 16)}`;
}

const attributes = ({ issuerUrl }: Config, seconds: number) =>
  `; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}` +
  (issuerUrl.startsWith("https:") ? "; Secure" : "");

/** The `set-cookie` that keeps it. Throws INVALID_ARGUMENT when there is too much to keep. */
export async function stateCookie(config: Config, state: LoginState): Promise<string> {
  const sealed = await seal(config, "login", JSON.stringify(state));
  if (sealed.length > maxCookieLength) {
    throw invalidArgument("request", "the parameters of the login are too long");
  }
  const name = await cookieName(config, state.state);
  return `${name}=${sealed}${attributes(config, loginLifetime / 1000)}`;
}

/** The `set-cookie` that forgets it. */
export const expiredStateCookie = async (config: Config, state: string) =>
  `${await cookieName(config, state)}=${attributes(config, 0)}`;

/** The login that the browser keeps under a `state`; undefined without one, or when it is too old. */
export async function readState(
  config: Config,
  request: Request,
  state: string,
  now: number,
): Promise<LoginState | undefined> {
  const name = await cookieName(config, state);
  const cookies = (request.headers.get("cookie") ?? "").split(/; */);
  const sealed = cookies.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);
  const text = sealed && (await unseal(config, "login", sealed));
  if (!text) return undefined;
  const kept = JSON.parse(text) as LoginState;
  return kept.state === state && kept.until > now ? kept : undefined;
}
