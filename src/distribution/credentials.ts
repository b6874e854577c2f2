/** The credentials of a request, and how each of them is checked. */
import { isUid } from "../aip/uid_path.ts";
import { isLikeKey } from "../auth/key_secret.ts";
import { readUnverified } from "../auth/token.ts";
import { type RegistryBearer, tokenUser, verifyBearer } from "./bearer.ts";
import type { RegistryContext } from "./context.ts";
import { unauthorized } from "./errors.ts";
import { keyUser, verifyKey } from "./key_login.ts";
import { verifyWorkload } from "./workload.ts";

/** The user name of Basic credentials with the token of another issuer as their password. */
export const workloadUser = "oidc";

type Verify = (context: RegistryContext, password: string) => Promise<RegistryBearer>;

/** How the password of each user name of Basic credentials is checked. The uid of an identity is a user name too. */
export const basicUsers: Record<string, Verify> = {
  [tokenUser]: verifyBearer,
  [workloadUser]: (context, token) => verifyWorkload(context, token, ""),
  [keyUser]: verifyKey,
};

/** The users whose passwords work for every request. The others get a token at `/token`. */
const everywhere = [tokenUser, keyUser];

/** The credential that a client sent. */
export interface SentCredential {
  /** Undefined for a Bearer token. */
  user: string | undefined;
  password: string;
}

/** Checks Basic credentials, or those in a form. Throws UNAUTHORIZED for an unknown user name or an empty password. */
export async function verifyUser(
  context: RegistryContext,
  { user = "", password }: SentCredential,
): Promise<RegistryBearer> {
  const verify = Object.hasOwn(basicUsers, user) ? basicUsers[user] : undefined;
  if (isLikeKey(context.config, password) !== (user === keyUser)) throw wrongUser();
  if (password !== "" && verify) return verify(context, password);
  if (password !== "" && isUid(user)) return verifyWorkload(context, password, user);
  throw wrongUser();
}

const wrongUser = () =>
  unauthorized(
    `the user name must be ${tokenUser} for a registry token, ${workloadUser} for the token of a workload, or ${keyUser} for a key`,
  );

/** Checks the credential of a request for a token. Undefined without one, and then the network is counted. */
export async function readLogin(context: RegistryContext): Promise<RegistryBearer | undefined> {
  const sent = sentCredential(context);
  if (sent) {
    const { user, password } = sent;
    if (user !== undefined) return verifyUser(context, sent);
    if (isLikeKey(context.config, password)) throw wrongUser();
    return verifyBearer(context, password);
  }
  await context.limit.network();
  return undefined;
}

/**
 * Checks the credential of any other request: a Bearer token, or Basic with the user `_token` or `key`. Undefined without
 * the header. Throws UNAUTHORIZED if the token is invalid, DENIED if our token is not for the registry, and
 * TOOMANYREQUESTS above a rate limit.
 */
export async function readBearer(context: RegistryContext): Promise<RegistryBearer | undefined> {
  const { user = tokenUser } = sentCredential(context) ?? {};
  if (everywhere.includes(user)) return readLogin(context);
  throw unauthorized(
    `the user names ${everywhere.join(" and ")} work here; others get a token at /token`,
  );
}

/** Checks a refresh token: the key, or the token of the platform or a workload, that a client logged in with. */
export const verifyRefreshToken: Verify = async (context, text) => {
  if (isLikeKey(context.config, text)) return verifyKey(context, text);
  const isOwn = readUnverified(text).issuer === context.config.issuerUrl;
  return isOwn ? verifyBearer(context, text) : verifyWorkload(context, text, "");
};

/** The credential in the Authorization header. Undefined without one. Throws UNAUTHORIZED if it cannot be read. */
export function sentCredential({
  request,
}: Pick<RegistryContext, "request">): SentCredential | undefined {
  const header = request.headers.get("authorization");
  if (header === null) return undefined;
  const [, scheme = "", value = ""] = /^(basic|bearer) +([^\s]+)$/i.exec(header.trim()) ?? [];
  if (scheme === "") throw unauthorized("the Authorization header must be Bearer or Basic");
  if (scheme.toLowerCase() === "bearer") return { user: undefined, password: value };
  const [, user = "", password = ""] = /^([^:]*):(.*)$/s.exec(decodeBase64(value)) ?? [];
  return { user, password };
}

function decodeBase64(base64: string): string {
  try {
    return atob(base64);
  } catch {
    return "";
  }
}
