/** The access tokens we make. */
import type { JWTPayload } from "jose";
import { signToken } from "../auth/keys.ts";
import type { Config } from "../config.ts";

/** Greatest life of an access token, in milliseconds. */
const tokenLifetime = 3600 * 1000;

/**
 * An access token with these claims, for an hour at most and no longer than `expiresBy`. `expires` is
 * milliseconds since 1970 UTC, in whole seconds as the claim has it.
 */
export async function signAccessToken(
  { config, now }: { config: Config; now: number },
  claims: JWTPayload,
  audiences: string[],
  expiresBy = Number.POSITIVE_INFINITY,
): Promise<{ token: string; expires: number }> {
  const [only, ...more] = audiences;
  const aud = more.length === 0 && only ? only : audiences;
  const expires = Math.floor(Math.min(now + tokenLifetime, expiresBy) / 1000) * 1000;
  const token = await signToken(config, { ...claims, aud }, { issued: now, expires });
  return { token, expires };
}
