/** Signs the access tokens of our issuer. */
import type { JWTPayload } from "jose";
import { signToken } from "../auth/keys.ts";
import type { Config } from "../config.ts";

/** The longest lifetime of an access token, in milliseconds. */
export const tokenLifetime = 3600 * 1000;

/**
 * Signs an access token with these claims. It is valid for an hour, but no longer than `expiresBy`. `expires`
 * is in milliseconds since 1970 in UTC, rounded to whole seconds like the claim.
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
