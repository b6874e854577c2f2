/** Verifies that a trusted certificate issued that of a signer, directly or through others (RFC 5280 section 6). */
import { type Certificate, isIssuedBy, mayIssue, pathLengthOf } from "./certificate.ts";
import { verifiesCertificate } from "./public_key.ts";

/** The most certificates between that of the signer and the trusted one. */
const maxBetween = 3;

const isValidAt = ({ notBefore, notAfter }: Certificate, time: number) =>
  notBefore <= time && time <= notAfter;

/** Whether `issuer` may have issued the certificate, with `between` others below it, and did. Throws DerError. */
async function hasIssued(
  issuer: Certificate,
  certificate: Certificate,
  between: number,
  time: number,
): Promise<boolean> {
  if (!isIssuedBy(certificate, issuer) || !isValidAt(issuer, time)) return false;
  if (!mayIssue(issuer) || pathLengthOf(issuer) < between) return false;
  const { algorithm, signature, signed } = certificate;
  return verifiesCertificate(issuer.key, algorithm, signature, signed);
}

/**
 * Whether the certificate of a signer comes from one of the trusted ones, which were valid at the time. `others` are
 * certificates that came with the signature. No one trusts them by themselves. `time` is in milliseconds since 1970 in UTC.
 * Throws DerError.
 */
export async function isFromTrusted(
  signer: Certificate,
  others: readonly Certificate[],
  trusted: readonly Certificate[],
  time: number,
): Promise<boolean> {
  let current = signer;
  for (let between = 0; between <= maxBetween; between += 1) {
    for (const anchor of trusted) if (await hasIssued(anchor, current, between, time)) return true;
    let next: Certificate | undefined;
    for (const other of others)
      if (other !== current && (await hasIssued(other, current, between, time))) next ??= other;
    if (!next) return false;
    current = next;
  }
  return false;
}
