/** E-mail addresses that somebody vouches for. */
import { isAtOrAbove, parentOf } from "../aip/uid_path.ts";
import type { Config } from "../config.ts";
import type { Credential } from "./call.ts";

/** An address that an issuer says it has verified. Whether that is believed is another question. */
export interface VerifiedEmail {
  /** As {@link foldAddressCase} writes it. */
  address: string;
  /** The `iss` of the token that says so. */
  issuer: string;
  /** Uid of the identity provider that its owner signed in through, where that was the way. */
  identityProvider?: string;
}

/**
 * The form in which addresses are compared: A to Z in lower case. Other letters stay as they are,
 * since some of them become a to z in lower case (U+212A becomes k).
 */
export const foldAddressCase = (address: string) =>
  address.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** The address that the bearer's token vouches for; undefined where it does for none. */
export function verifiedEmail({ email, act, login }: Credential): VerifiedEmail | undefined {
  if (!email?.isVerified || !act.iss) return undefined;
  const address = foldAddressCase(email.address);
  const through = login ? { identityProvider: login.identityProvider } : {};
  return { address, issuer: act.iss, ...through };
}

/** Whether the operator trusts the issuer to verify addresses (TRUSTED_EMAIL_ISSUERS). */
export const isTrustedEmailIssuer = ({ trustedEmailIssuers }: Config, { issuer }: VerifiedEmail) =>
  trustedEmailIssuers.includes(issuer);

/** As {@link isTrustedEmailIssuer}, or whether the address comes from an identity provider of the group or above. */
export const isTrustedEmailAt = (config: Config, group: string, email: VerifiedEmail) =>
  isTrustedEmailIssuer(config, email) ||
  (email.identityProvider !== undefined && isAtOrAbove(parentOf(email.identityProvider), group));
