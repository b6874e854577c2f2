/** Identifies the bearer of a token at the registry (contract: registry token endpoint). */
import { rootOf } from "../aip/uid_path.ts";
import { type Credential, callerUid, uidOfCaller } from "../auth/call.ts";
import type { OwnClaims } from "../auth/claims.ts";
import { isLikeKey } from "../auth/key_secret.ts";
import {
  credentialOf,
  isForAudience,
  readUnverified,
  tokenCheck,
  verifyOwn,
  wrongAudienceText,
} from "../auth/token.ts";
import type { Config } from "../config.ts";
import { inSpan } from "../telemetry/trace.ts";
import type { RegistryContext } from "./context.ts";
import { denied, unauthorized } from "./errors.ts";
import { keyUser, requireNetwork, verifyKey } from "./key_login.ts";

/**
 * A part of the access that a registry token gives (the `access` claim of the distribution token specification): to an
 * image, or to the list of all images.
 */
export interface RegistryAccess {
  type: "repository" | "registry";
  name: string;
  actions: string[];
}

/** The access to the list of all images, which a token has for the scope `registry:catalog:*`. */
export const catalogAccess: RegistryAccess = { type: "registry", name: "catalog", actions: ["*"] };
/** The scope of that access. */
export const catalogScope = "registry:catalog:*";

/** The claims of our registry token. `networks` are those of the key that it came from. */
export type RegistryClaims = OwnClaims & { access?: RegistryAccess[]; networks?: string[] };

/** A verified token for the registry. */
export interface RegistryBearer {
  claims: RegistryClaims;
  /** Undefined for a token that anyone can get. */
  credential: Credential | undefined;
  /** Undefined for a token of the security token service, which is not limited to one image. */
  access: RegistryAccess[] | undefined;
  /** The actions of a key, which is not limited to one image. Undefined for all. */
  actions?: readonly string[];
  /** Milliseconds since 1970 in UTC. */
  expires: number;
}

/** The `sub` of tokens that anyone can get. */
export const anonymousSubject = "anonymous";

/** The user name of Basic credentials with a token as their password. */
export const tokenUser = "_token";

/**
 * Verifies the token in the Authorization header: Bearer, or Basic with the user `_token`. With the user `key`, it
 * verifies a key. Undefined without the header. Throws UNAUTHORIZED if the token is invalid, DENIED if our token is not for the registry, and
 * TOOMANYREQUESTS above a rate limit.
 */
export async function readBearer(context: RegistryContext): Promise<RegistryBearer | undefined> {
  const header = context.request.headers.get("authorization");
  if (header !== null) return verifyBearer(context, tokenOf(header, context.config));
  await context.limit.network();
  return undefined;
}

/** Verifies a token or a key, and counts the request. Throws the errors of {@link readBearer}. */
export async function verifyBearer(
  context: RegistryContext,
  token: string,
): Promise<RegistryBearer> {
  const { config, databases, now, limit } = context;
  const { trace } = databases;
  if (isLikeKey(config, token)) return verifyKey(context, token);
  if (readUnverified(token).issuer !== config.issuerUrl) {
    throw unauthorized(
      `the registry accepts only tokens from ${config.issuerUrl}; exchange this token there`,
    );
  }
  const claims: RegistryClaims = await inSpan(trace, tokenCheck, () =>
    verifyOwn(config, token, now),
  );
  if (!isForAudience(claims, config.registryAudience))
    throw denied(wrongAudienceText(config.registryAudience));
  const expires = claims.exp * 1000;
  if (expires <= now) throw unauthorized("the token is expired; get a new one");
  requireNetwork(context, claims);
  const credential = claims.sub === anonymousSubject ? undefined : credentialOf(claims);
  await (credential ? limit.caller(credential, "") : limit.network());
  trace?.note({ caller: callerUid(credential), organization: rootOf(uidOfCaller({ credential })) });
  return { claims, credential, access: claims.access, expires };
}

/** The token or the key in the value of an Authorization header. */
export function tokenOf(header: string, config: Config): string {
  const [, scheme = "", value = ""] = /^(basic|bearer) +([^\s]+)$/i.exec(header.trim()) ?? [];
  if (scheme === "") throw unauthorized("the Authorization header must be Bearer or Basic");
  if (scheme.toLowerCase() === "bearer") {
    if (isLikeKey(config, value)) throw wrongUser();
    return value;
  }
  const [, user, password] = /^([^:]*):(.*)$/s.exec(decodeBase64(value)) ?? [];
  return passwordOf(config, user, password);
}

/** The password of a user: a key of the user `key`, or a token of the user `_token`. Throws UNAUTHORIZED. */
export function passwordOf(
  config: Config,
  user: string | null | undefined,
  password: string | null | undefined,
): string {
  const wanted = isLikeKey(config, password ?? "") ? keyUser : tokenUser;
  if (user !== wanted || !password) throw wrongUser();
  return password;
}

const wrongUser = () =>
  unauthorized(
    `log in with the user name ${tokenUser} and a registry token as the password, or with the user name ${keyUser} and a key`,
  );

function decodeBase64(base64: string): string {
  try {
    return atob(base64);
  } catch {
    return "";
  }
}
