/**
 * The sources of tokens. For a platform that was started from this checkout, tokens are signed here with the platform's
 * own keys, as its owner. For any other platform, the issuer exchanges the access token of the last login.
 */
import { randomUUID } from "node:crypto";
import { decodeJwt } from "jose/jwt/decode";
import { SignJWT } from "jose/jwt/sign";
import { importJWK } from "jose/key/import";
import { exitCodes, Failure, refusedFailure, StateError, usageFailure } from "../failure.ts";
import { isCheckout } from "../project.ts";
import { readState, type State, stateDir } from "../state.ts";
import { here } from "../surroundings.ts";
import {
  exchangeRefreshToken,
  exchangeToken,
  type IssuedToken,
  type PlatformAddresses,
  withoutTrailingSlash,
} from "./exchange.ts";
import { type Login, loginEnd, readLogins, renewLogin } from "./logins.ts";

/** An identity on one platform. */
export type Account = PlatformAddresses & {
  /** The uid of the identity that tokens are for, unless the caller asks for another one. */
  identity: string;
  /** When the login ends, in RFC 3339. Undefined if tokens are signed here. */
  loginExpiry?: string;
  /** Throws a Failure if the login has expired or the issuer returns an error. */
  token(ask: { audience: string; identity?: string | undefined }): Promise<IssuedToken>;
};

/** The parts of a platform of this checkout that are needed to sign. */
export type Signer = Pick<State, "platform" | "signingKeys">;

const localUrl = "http://localhost:8787";
const lifeSeconds = 3600;

/**
 * Returns the account on PLATFORM_URL, otherwise the account on the platform of this checkout. Throws a Failure that
 * says how to log in if there is none.
 */
export async function findAccount(env: NodeJS.ProcessEnv = here().env): Promise<Account> {
  const { state, why } = await tryReadState(env);
  const url = urlOf(env, state);
  if (state?.platform.url === url) return ownerAccount(state);
  const login = (await readLogins(env))[url];
  if (login) return loginAccount(env, login);
  const start = url === localUrl && why ? `${why}\n` : "";
  throw refusedFailure(
    "NOT_LOGGED_IN",
    `${start}You are not logged in to ${url}. Run: platformctl auth login --org NAME`,
  );
}

/** Returns PLATFORM_URL, otherwise the address of this checkout's platform, otherwise the usual local address. */
export const defaultPlatformUrl = async (env: NodeJS.ProcessEnv): Promise<string> =>
  urlOf(env, (await tryReadState(env)).state);

const urlOf = (env: NodeJS.ProcessEnv, state: State | undefined) =>
  platformUrl(env) ?? state?.platform.url ?? localUrl;

/** Returns all accounts: the one of this checkout first, and then the logins. */
export async function allAccounts(env: NodeJS.ProcessEnv = here().env): Promise<Account[]> {
  const { state } = await tryReadState(env);
  const logins = Object.values(await readLogins(env)).map((login) => loginAccount(env, login));
  return state ? [ownerAccount(state), ...logins] : logins;
}

/** Returns PLATFORM_URL without a trailing slash if it is set. Throws a USAGE Failure if it is not a URL. */
export function platformUrl(env: NodeJS.ProcessEnv): string | undefined {
  if (!env.PLATFORM_URL) return undefined;
  if (!/^https?:/.test(env.PLATFORM_URL) || !URL.canParse(env.PLATFORM_URL)) {
    throw usageFailure(`PLATFORM_URL must be an http or https URL. It is: ${env.PLATFORM_URL}`);
  }
  return withoutTrailingSlash(env.PLATFORM_URL);
}

/** Returns the owner of a platform whose keys are on this machine. */
export function ownerAccount(signer: Signer): Account {
  const { owner } = signer.platform;
  return {
    ...addressesOf(signer.platform),
    identity: owner.uid,
    token: (ask) => sign(signer, ask.audience, ask.identity ?? owner.uid),
  };
}

const addressesOf = ({ vendor, ...known }: PlatformAddresses): PlatformAddresses => {
  const { url, issuer, audience, registryUrl, registryAudience } = known;
  return { url, issuer, audience, registryUrl, registryAudience, ...(vendor && { vendor }) };
};

/** In milliseconds. An access token that expires sooner than this is renewed if possible. */
const renewalMarginMs = 60_000;

function loginAccount(env: NodeJS.ProcessEnv, login: Login): Account {
  const { issuer, token } = login;
  let current = login;
  return {
    ...addressesOf(login),
    identity: decodeJwt(token).sub ?? "",
    loginExpiry: loginEnd(login),
    async token(ask) {
      current = await freshLogin(env, current);
      const { audience: wanted, identity } = ask;
      return exchangeToken({ issuer, token: current.token, audiences: [wanted], identity });
    },
  };
}

const isFresh = ({ expiry }: Login) => Date.parse(expiry) - Date.now() > renewalMarginMs;

/** Returns the login with a valid access token, and renews the token if necessary. Throws LOGIN_EXPIRED. */
async function freshLogin(env: NodeJS.ProcessEnv, login: Login): Promise<Login> {
  if (isFresh(login)) return login;
  const renewed = login.refreshToken ? await renewLogin(env, login.url, renew) : login;
  if (renewed && Date.parse(renewed.expiry) > Date.now()) return renewed;
  const { url } = login;
  const end = loginEnd(renewed ?? login);
  throw refusedFailure(
    "LOGIN_EXPIRED",
    `The login to ${url} expired at ${end}. To log in again, run: platformctl auth login --org NAME`,
  );
}

/** Uses the refresh token, unless another command has just done so. */
async function renew(login: Login): Promise<Login | undefined> {
  const { issuer, audience, refreshToken, refreshExpiry, ...others } = login;
  if (isFresh(login) || !refreshToken) return undefined;
  try {
    const audiences = [issuer, audience];
    const { access, next } = await exchangeRefreshToken({ issuer, refreshToken, audiences });
    return {
      ...login,
      token: access.token,
      expiry: access.expiry.toISOString(),
      refreshToken: next.token,
      refreshExpiry: next.expiry.toISOString(),
    };
  } catch (error) {
    // The issuer rejected the refresh token for good. Without a response, it may work next time.
    if (error instanceof Failure && error.exitCode === exitCodes.refused) {
      return { ...others, issuer, audience };
    }
    throw error;
  }
}

async function sign(
  { platform, signingKeys }: Signer,
  aud: string,
  sub: string,
): Promise<IssuedToken> {
  const [key] = signingKeys.keys;
  if (!key?.d) throw usageFailure("The platform's keys do not contain a private key to sign with.");
  const issued = Math.floor(Date.now() / 1000);
  const expires = issued + lifeSeconds;
  const alg = key.alg ?? "ES256";
  const token = await new SignJWT({ jti: randomUUID() })
    .setProtectedHeader({ alg, typ: "JWT", ...(key.kid ? { kid: key.kid } : {}) })
    .setIssuer(platform.issuer)
    .setSubject(sub)
    .setAudience(aud)
    .setIssuedAt(issued)
    .setExpirationTime(expires)
    .sign(await importJWK(key, alg));
  return { token, expiry: new Date(expires * 1000) };
}

async function tryReadState(env: NodeJS.ProcessEnv): Promise<{ state?: State; why?: string }> {
  // The package does not come with its own platform.
  if (!isCheckout && !env.PLATFORM_STATE) return {};
  try {
    return { state: await readState(stateDir(env)) };
  } catch (error) {
    if (error instanceof StateError) return { why: error.message };
    throw error;
  }
}
