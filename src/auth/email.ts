/** Email addresses that an issuer or a provider has verified. */
import { isAtOrAbove, parentOf } from "../aip/uid_path.ts";
import type { Config } from "../config.ts";
import type { Credential } from "./call.ts";

/** An address that an issuer says it has verified. Another check decides whether to trust the issuer. */
export interface VerifiedEmail {
  /** In the form that {@link foldAddressCase} returns. */
  address: string;
  /** The `iss` of the token with the address. */
  issuer: string;
  /** The uid of the identity provider that the owner logged in through, if there was one. */
  identityProvider?: string;
}

/**
 * The form for comparing addresses: A to Z in lowercase. Other letters stay unchanged, because some of them
 * have a lowercase form from a to z (U+212A becomes k).
 */
export const foldAddressCase = (address: string) =>
  address.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** The verified address in the bearer's token. Undefined if it has none. */
export function verifiedEmail({ email, act, login }: Credential): VerifiedEmail | undefined {
  if (!email?.isVerified || !act.iss) return undefined;
  const address = foldAddressCase(email.address);
  const through = login ? { identityProvider: login.identityProvider } : {};
  return { address, issuer: act.iss, ...through };
}

/** Whether the operator trusts the issuer to verify addresses (TRUSTED_EMAIL_ISSUERS). */
export const isTrustedEmailIssuer = ({ trustedEmailIssuers }: Config, { issuer }: VerifiedEmail) =>
  trustedEmailIssuers.includes(issuer);

/**
 * Like {@link isTrustedEmailIssuer}. Also true if the address comes from an identity provider of the group or
 * of a group above it.
 */
export const isTrustedEmailAt = (config: Config, group: string, email: VerifiedEmail) =>
  isTrustedEmailIssuer(config, email) ||
  (email.identityProvider !== undefined && isAtOrAbove(parentOf(email.identityProvider), group));
