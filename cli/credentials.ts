/**
 * Where tokens come from. A platform started from this checkout: signed here with its own keys, as
 * its owner. Any other: the access token of the last login, exchanged at its issuer.
 */
import { randomUUID } from "node:crypto";
import { decodeJwt, importJWK, SignJWT } from "jose";
import { type Addresses, exchange, type Token, trimmed } from "./exchange.ts";
import { refused, usage } from "./failure.ts";
import { type Login, readLogins } from "./logins.ts";
import { readState, type State, StateError, stateDir } from "./state.ts";

/** Somebody on one platform. */
export type Account = Addresses & {
  /** Uid of the identity that tokens are for, unless another is asked for. */
  identity: string;
  /** When the login ends, RFC 3339; undefined where tokens are signed here. */
  loginExpiry?: string;
  /** Throws a Failure when the login has expired or the issuer refuses. */
  token(ask: { audience: string; identity?: string | undefined }): Promise<Token>;
};

/** What signs for a platform of this checkout. */
export type Signer = Pick<State, "platform" | "signingKeys">;

const localUrl = "http://localhost:8787";
const lifeSeconds = 3600;

/**
 * The account on PLATFORM_URL; without it, on the platform of this checkout. Throws a Failure that
 * says how to log in when there is none.
 */
export async function findAccount(env: NodeJS.ProcessEnv = process.env): Promise<Account> {
  const { state, why } = await stateIfAny(env);
  const url = platformUrl(env) ?? state?.platform.url ?? localUrl;
  if (state?.platform.url === url) return localAccount(state);
  const login = (await readLogins(env))[url];
  if (login) return loginAccount(login);
  const start = url === localUrl && why ? `${why}\n` : "";
  throw refused(
    "NOT_LOGGED_IN",
    `${start}Not logged in to ${url}. Run: platformctl auth login --token-file FILE`,
  );
}

/** Every account there is: that of this checkout first, then the logins. */
export async function everyAccount(env: NodeJS.ProcessEnv = process.env): Promise<Account[]> {
  const { state } = await stateIfAny(env);
  const logins = Object.values(await readLogins(env)).map(loginAccount);
  return state ? [localAccount(state), ...logins] : logins;
}

/** PLATFORM_URL without a trailing slash, if it is set. Throws a USAGE Failure if it is no URL. */
export function platformUrl(env: NodeJS.ProcessEnv): string | undefined {
  if (!env.PLATFORM_URL) return undefined;
  if (!/^https?:/.test(env.PLATFORM_URL) || !URL.canParse(env.PLATFORM_URL)) {
    throw usage(`PLATFORM_URL is not an http or https URL: ${env.PLATFORM_URL}`);
  }
  return trimmed(env.PLATFORM_URL);
}

/** The owner of a platform whose keys are at hand. */
export function localAccount(signer: Signer): Account {
  const { url, issuer, audience, registryUrl, registryAudience, owner } = signer.platform;
  return {
    ...{ url, issuer, audience, registryUrl, registryAudience },
    identity: owner.uid,
    token: (ask) => sign(signer, ask.audience, ask.identity ?? owner.uid),
  };
}

function loginAccount(login: Login): Account {
  const { url, issuer, audience, registryUrl, registryAudience, token } = login;
  return {
    ...{ url, issuer, audience, registryUrl, registryAudience },
    identity: decodeJwt(token).sub ?? "",
    loginExpiry: login.expiry,
    async token(ask) {
      if (Date.parse(login.expiry) <= Date.now()) {
        throw refused(
          "LOGIN_EXPIRED",
          `The login to ${url} expired at ${login.expiry}. Log in again: platformctl auth login --token-file FILE`,
        );
      }
      return exchange({ issuer, token, audiences: [ask.audience], identity: ask.identity });
    },
  };
}

async function sign({ platform, signingKeys }: Signer, aud: string, sub: string): Promise<Token> {
  const [key] = signingKeys.keys;
  if (!key?.d) throw usage("The platform's keys hold no private key to sign with.");
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

async function stateIfAny(env: NodeJS.ProcessEnv): Promise<{ state?: State; why?: string }> {
  try {
    return { state: await readState(stateDir(env)) };
  } catch (error) {
    if (error instanceof StateError) return { why: error.message };
    throw error;
  }
}
