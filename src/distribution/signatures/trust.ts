/**
 * Verifies the certificates of signers. A certificate counts if one of the operator's (SIGNATURE_ROOTS) issued it and if
 * it is for signing code. It must be valid at the time of the push, so the registry itself is the witness of the time. Entries
 * of transparency logs and time stamps are not read, and neither are certificates that come with a signature.
 */
import { clockToleranceSeconds } from "../../auth/token.ts";
import type { Config } from "../../config.ts";
import {
  type Certificate,
  isIssuedBy,
  mayIssue,
  maySignCode,
  readCertificate,
  type Signer,
  signerOf,
} from "../../signatures/certificate.ts";
import { verifiesCertificate } from "../../signatures/public_key.ts";
import { logLine } from "../../telemetry/log.ts";

const toleranceMs = clockToleranceSeconds * 1000;

const known = new WeakMap<Config["signatureRoots"], Certificate[]>();

/** The certificates of the operator. One that cannot be read is left out, with a line in the log. */
function rootsOf({ signatureRoots }: Config): Certificate[] {
  const read = known.get(signatureRoots);
  if (read) return read;
  const roots = signatureRoots.flatMap((bytes) => {
    try {
      const certificate = readCertificate(bytes);
      if (mayIssue(certificate)) return [certificate];
    } catch {
      // The line says it.
    }
    logLine("error", "SIGNATURE_ROOTS has a certificate that cannot issue others");
    return [];
  });
  known.set(signatureRoots, roots);
  return roots;
}

/** A signer with a key, and whether the certificate has expired. */
export interface TrustedSigner extends Signer {
  key: Uint8Array<ArrayBuffer>;
  hasExpired: boolean;
}

/**
 * Verifies the certificate of a signer at a time, in milliseconds since 1970 in UTC. Undefined if it does not count. An
 * expired one is returned, because the signer can be recorded already. Throws DerError for one that cannot be read.
 */
export async function trustedSigner(
  config: Config,
  bytes: Uint8Array<ArrayBuffer>,
  now: number,
): Promise<TrustedSigner | undefined> {
  const certificate = readCertificate(bytes);
  const { signed, algorithm, signature, notBefore, notAfter, key } = certificate;
  const signer = signerOf(certificate);
  if (!signer || !maySignCode(certificate) || notBefore > now + toleranceMs) return undefined;
  const hasExpired = notAfter < now - toleranceMs;
  for (const root of rootsOf(config)) {
    const isValid = root.notBefore <= now && root.notAfter >= now;
    if (!isValid || !isIssuedBy(certificate, root)) continue;
    if (await verifiesCertificate(root.key, algorithm, signature, signed))
      return { ...signer, key, hasExpired };
  }
  return undefined;
}
