/**
 * Authorization codes. A code is the first refresh token of a login, encrypted together with what it is bound to, and
 * valid for a minute. It can thus be used once, and a second use within that minute ends everything that came from it
 * (RFC 9700 section 4.14.2). A refresh token of OAuth is encrypted too, because it is bound to its client.
 */
import { seal, unseal } from "../../auth/secrets.ts";
import type { Config } from "../../config.ts";
import type { LoginContext } from "../login/context.ts";
import { newTokenFamily, storeStatements } from "../refresh_token.ts";
import type { LoginClaims } from "../sign_in.ts";
import type { AuthorizationRequest } from "./parameters.ts";

/** The lifetime of a code, in milliseconds. */
const codeLifetime = 60_000;

const codePurpose = "oauth_code";
const refreshPurpose = "oauth_refresh_token";

/** The content of a code: the request that it answers, and the refresh token. */
export type CodeContent = Omit<AuthorizationRequest, "state"> & { token: string };

/** The content of a refresh token of OAuth. `client` is the SHA-256 of the id of the client. */
export interface RefreshContent {
  client: string;
  scope: string;
  token: string;
}

/** Creates a code for a login, and the statements that store it. */
export async function newCode(
  { config, db, now }: LoginContext,
  { state: _, ...bound }: AuthorizationRequest,
  claims: LoginClaims,
) {
  const fresh = await newTokenFamily(claims, now, codeLifetime);
  const content: CodeContent = { ...bound, token: fresh.token };
  const code = await seal(config, codePurpose, JSON.stringify(content));
  return { code, statements: storeStatements(db, fresh, now), lifetime: codeLifetime };
}

/** Reads a code. Undefined if the issuer did not make it. */
export const openCode = (config: Config, code: string) =>
  open<CodeContent>(config, codePurpose, code);

export const sealRefreshToken = (config: Config, content: RefreshContent) =>
  seal(config, refreshPurpose, JSON.stringify(content));

/** Reads a refresh token of OAuth. Undefined if the issuer did not make it. */
export const openRefreshToken = (config: Config, token: string) =>
  open<RefreshContent>(config, refreshPurpose, token);

async function open<T>(config: Config, purpose: string, sealed: string): Promise<T | undefined> {
  const text = await unseal(config, purpose, sealed);
  return text === undefined ? undefined : (JSON.parse(text) as T);
}
