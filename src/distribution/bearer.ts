/** Identifies the bearer of a token at the registry (contract: registry token endpoint). */
import type { BatchItem } from "drizzle-orm/batch";
import { rootOf } from "../aip/uid_path.ts";
import { type Credential, callerUid, uidOfCaller } from "../auth/call.ts";
import type { OwnClaims } from "../auth/claims.ts";
import {
  credentialOf,
  isForAudience,
  readUnverified,
  tokenCheck,
  verifyOwn,
  wrongAudienceText,
} from "../auth/token.ts";
import { inSpan } from "../telemetry/trace.ts";
import type { RegistryContext } from "./context.ts";
import { denied, unauthorized } from "./errors.ts";
import { requireNetwork } from "./key_login.ts";

type Statement = BatchItem<"sqlite">;

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
  /** The writes of a login, in the batch that reads the grants of the caller. */
  noted?: readonly Statement[];
}

/** The lifetime of a registry token for images, in milliseconds. */
export const registryTokenLifetime = 5 * 60 * 1000;

/** The `sub` of tokens that anyone can get. */
export const anonymousSubject = "anonymous";

/** The user name of Basic credentials with a token as their password. */
export const tokenUser = "_token";

/**
 * Verifies a token of the platform, and counts the request. Throws UNAUTHORIZED if it is invalid, DENIED if it is not for
 * the registry, and TOOMANYREQUESTS above a rate limit.
 */
export async function verifyBearer(
  context: RegistryContext,
  token: string,
): Promise<RegistryBearer> {
  const { config, databases, now, limit } = context;
  const { trace } = databases;
  if (readUnverified(token).issuer !== config.issuerUrl) {
    throw unauthorized(
      `the registry accepts only tokens from ${config.issuerUrl}; exchange this token there, or log in with it as the password of the user oidc`,
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
