/** Decides whether a signature counts by the trust of a policy: who made it, and when. */
import {
  type Certificate,
  maySignCode,
  maySignForNotation,
  readCertificate,
  signerOf,
} from "./certificate.ts";
import { isFromTrusted } from "./chain.ts";
import { DerError } from "./der.ts";
import { isAbout, isSignedByLog } from "./log_entry.ts";
import { hasAll, nameText, readName } from "./names.ts";
import { verifiesArtifact, verifiesByName } from "./public_key.ts";
import { type Bytes, type Signature, SignatureError } from "./signature.ts";
import type { Trust } from "./trust.ts";

/** How far the clock of a signer may be ahead of ours, in milliseconds. */
const toleranceMs = 30_000;

/** A signature that counts. */
export interface Verdict {
  /** The SHA-256 digest of the key as hexadecimal digits. Empty for a signer with a certificate. */
  keyId: string;
  /** The issuer of the identity. Empty without Fulcio. */
  issuer: string;
  /** The identity in the certificate of Fulcio, or the name in that of Notation. Empty for a key. */
  subject: string;
  /** When the log recorded it, in milliseconds since 1970 in UTC. Undefined without an entry that counts. */
  logTime: number | undefined;
  logId: string;
  logIndex: number | undefined;
  /** Until when it counts. Undefined without an end. */
  expireTime: number | undefined;
}

/** Why a signature does not count, and how many checks it passed before. */
export interface Fault {
  fault: string;
  passed: number;
}

/** A signature, with what is known of its push. */
export interface Received {
  signature: Signature;
  /** The signed bytes. */
  signed: Bytes;
  /** When the registry got it first. It is the witness of the time without a log. */
  receivedTime: number;
}

const fault = (text: string, passed: number): Fault => ({ fault: text, passed });

/** Returns the verdict, or why there is none. A signature that cannot be read has a fault, and throws no error. */
export async function verdictOf(received: Received, trust: Trust): Promise<Verdict | Fault> {
  try {
    const { chain, scheme } = received.signature;
    const [leaf, ...others] = chain;
    if (!leaf) return await byKey(received, trust);
    const certificate = readCertificate(leaf);
    const signer = { certificate, bytes: leaf, others: others.map(readCertificate) };
    return scheme === "sigstore"
      ? await byIdentity(received, signer, trust)
      : await byNotation(received, signer, trust);
  } catch (thrown) {
    if (thrown instanceof DerError || thrown instanceof SignatureError)
      return fault(thrown.message, 0);
    throw thrown;
  }
}

/** The certificate of a signer, and the others that came with it. */
interface CertifiedSigner {
  certificate: Certificate;
  bytes: Bytes;
  others: Certificate[];
}

async function byKey(received: Received, trust: Trust): Promise<Verdict | Fault> {
  const { signature, signed } = received;
  for (const [keyId, key] of trust.keys) {
    if (!(await verifiesArtifact(key, signature.signature, signed).catch(isNoSignature))) continue;
    const log = await logOf(received, trust, key);
    return { ...verdict(received, log), keyId };
  }
  return fault("no key of a trust policy made it", trust.keys.size > 0 ? 1 : 0);
}

/** A signature can have a form that only another type of key writes. */
function isNoSignature(thrown: unknown): false {
  if (thrown instanceof DerError) return false;
  throw thrown;
}

async function byIdentity(
  received: Received,
  { certificate, bytes, others }: CertifiedSigner,
  trust: Trust,
): Promise<Verdict | Fault> {
  const { signature, signed, receivedTime } = received;
  if (trust.identities.length === 0) return fault("no trust policy names identities", 0);
  const signer = signerOf(certificate);
  if (!signer || !maySignCode(certificate))
    return fault("its certificate names no signer, or is not for signing", 1);
  // Any time in the certificate would do: the log decides about it below, after the cheaper checks.
  if (!(await isFromTrusted(certificate, others, trust.fulcio, certificate.notBefore)))
    return fault("no Fulcio certificate of a trust policy issued its certificate", 1);
  const { issuer, subject } = signer;
  if (!trust.identities.some((one) => one.issuer === issuer && one.isSubject(subject)))
    return fault(`no trust policy names ${subject} of ${issuer}`, 2);
  if (!(await verifiesArtifact(certificate.key, signature.signature, signed)))
    return fault("the signed bytes are not those of its certificate", 3);
  const log = await logOf(received, trust, bytes);
  if (!log && trust.rekorKeys.size > 0)
    return fault("it has no log entry that a Rekor key of the trust policy signed", 4);
  const time = log?.logTime ?? receivedTime;
  const wrong = outside(certificate, time, log ? 0 : toleranceMs);
  return wrong ? fault(wrong, 5) : { ...verdict(received, log), issuer, subject };
}

function outside(
  { notBefore, notAfter }: Certificate,
  time: number,
  tolerance: number,
): string | undefined {
  const at = tolerance > 0 ? "when the registry got it" : "at the time of its log entry";
  if (time > notAfter + tolerance) return `its certificate had expired ${at}`;
  return time < notBefore - tolerance ? `its certificate was not valid yet ${at}` : undefined;
}

async function byNotation(
  received: Received,
  { certificate, others }: Omit<CertifiedSigner, "bytes">,
  trust: Trust,
): Promise<Verdict | Fault> {
  const { signature, signed, receivedTime } = received;
  if (trust.notation.length === 0) return fault("no trust policy has Notation certificates", 0);
  if (!maySignForNotation(certificate)) return fault("its certificate is not for signing", 1);
  if (signature.expireTime !== undefined && signature.expireTime <= receivedTime)
    return fault("it had expired when the registry got it", 1);
  const wrong = outside(certificate, receivedTime, toleranceMs);
  if (wrong) return fault(wrong, 1);
  const isItself = trust.notation.some(({ signed: own }) => areEqual(own, certificate.signed));
  if (!isItself && !(await isFromTrusted(certificate, others, trust.notation, receivedTime)))
    return fault("no Notation certificate of a trust policy issued its certificate", 2);
  const name = readName(certificate.subject);
  if (!trust.notationSubjects.some((wanted) => wanted === undefined || hasAll(name, wanted)))
    return fault(`no trust policy names ${nameText(name)}`, 3);
  const { algorithm = "" } = signature;
  if (!(await verifiesByName(certificate.key, algorithm, signature.signature, signed)))
    return fault("the signed bytes are not those of its certificate", 4);
  return { ...verdict(received, undefined), subject: nameText(name) };
}

const areEqual = (a: Uint8Array, b: Uint8Array) =>
  a.length === b.length && a.every((byte, at) => byte === b[at]);

type Logged = Pick<Verdict, "logTime" | "logId" | "logIndex">;

/** The entry of the log about a signature. Undefined without an entry about it that a key of the policy signed. */
async function logOf(
  { signature, signed }: Received,
  { rekorKeys }: Trust,
  verifier: Bytes,
): Promise<Logged | undefined> {
  const { logEntry } = signature;
  try {
    if (!logEntry || !(await isSignedByLog(logEntry, rekorKeys))) return undefined;
    if (!(await isAbout(logEntry, signature, signed, verifier))) return undefined;
  } catch (thrown) {
    if (thrown instanceof DerError || thrown instanceof SignatureError) return undefined;
    throw thrown;
  }
  const { integratedTime, logId, logIndex } = logEntry;
  return { logTime: integratedTime * 1000, logId, logIndex };
}

const verdict = ({ signature }: Received, log: Logged | undefined): Verdict => ({
  ...{ keyId: "", issuer: "", subject: "" },
  ...(log ?? { logTime: undefined, logId: "", logIndex: undefined }),
  expireTime: signature.expireTime,
});

/** Whether a result of {@link verdictOf} is a verdict. */
export const counts = (result: Verdict | Fault): result is Verdict => !("fault" in result);
