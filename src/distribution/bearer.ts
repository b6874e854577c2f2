/** Who shows a token to the registry (contract: registry token endpoint). */
import type { Credential } from "../auth/call.ts";
import type { OwnClaims } from "../auth/claims.ts";
import { credentialOf, isFor, peek, verifyOwn, wrongAudience } from "../auth/token.ts";
import { denied, unauthorized } from "./errors.ts";
import type { Visit } from "./visit.ts";

/** What a registry token opens (the `access` claim of the distribution token specification). */
export interface Access {
  type: "repository";
  name: string;
  actions: string[];
}

/** Claims of a registry token of ours. */
export type Claims = OwnClaims & { access?: Access[] };

/** A verified token for the registry. */
export interface Bearer {
  claims: Claims;
  /** Undefined for a token that was given to nobody in particular. */
  credential: Credential | undefined;
  /** Undefined for a token of the security token service, which is not bound to one image. */
  access: Access[] | undefined;
  /** Milliseconds since 1970 UTC. */
  until: number;
}

/** The `sub` of tokens that anyone gets. */
export const anonymous = "anonymous";

/** The user name of Basic credentials whose password is a token. */
const tokenUser = "_token";

/**
 * The token of the Authorization header, verified: Bearer, or Basic with the user `_token`.
 * Undefined without the header. Throws UNAUTHORIZED for a token that proves nothing, DENIED for one
 * of ours that is not for the registry.
 */
export async function readBearer(visit: Visit): Promise<Bearer | undefined> {
  const header = visit.request.headers.get("authorization");
  if (header === null) return undefined;
  const { config, now } = visit;
  const token = tokenOf(header);
  if (peek(token).issuer !== config.issuerUrl) {
    throw unauthorized(`the registry takes tokens of ${config.issuerUrl}: exchange this one there`);
  }
  const claims: Claims = await verifyOwn(config, token, now);
  if (!isFor(claims, config.registryAudience)) throw denied(wrongAudience(config.registryAudience));
  const until = claims.exp * 1000;
  if (until <= now) throw unauthorized("the token is expired");
  const credential = claims.sub === anonymous ? undefined : credentialOf(claims);
  return { claims, credential, access: claims.access, until };
}

function tokenOf(header: string): string {
  const [, scheme = "", value = ""] = /^(basic|bearer) +([^\s]+)$/i.exec(header.trim()) ?? [];
  if (scheme === "") throw unauthorized("the Authorization header is neither Bearer nor Basic");
  if (scheme.toLowerCase() === "bearer") return value;
  const [, user, password] = /^([^:]*):(.*)$/s.exec(decoded(value)) ?? [];
  if (user !== tokenUser || !password) {
    throw unauthorized(`log in with the user name ${tokenUser} and a registry token as password`);
  }
  return password;
}

function decoded(base64: string): string {
  try {
    return atob(base64);
  } catch {
    return "";
  }
}
