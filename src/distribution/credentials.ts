/** The credentials of a request, and how each of them is checked. */
import { isUid } from "../aip/uid_path.ts";
import { readUnverified } from "../auth/token.ts";
import { type RegistryBearer, tokenUser, verifyBearer } from "./bearer.ts";
import type { RegistryContext } from "./context.ts";
import { unauthorized } from "./errors.ts";
import { verifyWorkload } from "./workload.ts";

/** The user name of Basic credentials with the token of another issuer as their password. */
export const workloadUser = "oidc";

type Verify = (context: RegistryContext, password: string) => Promise<RegistryBearer>;

/** How the password of each user name of Basic credentials is checked. The uid of an identity is a user name too. */
export const basicUsers: Record<string, Verify> = {
  [tokenUser]: verifyBearer,
  [workloadUser]: (context, token) => verifyWorkload(context, token, ""),
};

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
  if (password !== "" && verify) return verify(context, password);
  if (password !== "" && isUid(user)) return verifyWorkload(context, password, user);
  throw unauthorized(
    `log in with the user name ${tokenUser} and a registry token as the password, or with ${workloadUser} and the token of a CI job or another workload`,
  );
}

/** Checks the credential of a request for a token. Undefined without one, and then the network is counted. */
export async function readLogin(context: RegistryContext): Promise<RegistryBearer | undefined> {
  const sent = sentCredential(context);
  if (sent) {
    const { user, password } = sent;
    return user === undefined ? verifyBearer(context, password) : verifyUser(context, sent);
  }
  await context.limit.network();
  return undefined;
}

/**
 * Checks the credential of any other request: a Bearer token, or Basic with the user `_token`. Undefined without the
 * header. Throws UNAUTHORIZED if the token is invalid, DENIED if our token is not for the registry, and
 * TOOMANYREQUESTS above a rate limit.
 */
export async function readBearer(context: RegistryContext): Promise<RegistryBearer | undefined> {
  const { user = tokenUser } = sentCredential(context) ?? {};
  if (user === tokenUser) return readLogin(context);
  throw unauthorized(`the user name ${tokenUser} works here; others get a token at /token`);
}

/** Checks a refresh token: the token that a client logged in with, of the platform or of a workload. */
export const verifyRefreshToken: Verify = async (context, token) =>
  readUnverified(token).issuer === context.config.issuerUrl
    ? verifyBearer(context, token)
    : verifyWorkload(context, token, "");

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
