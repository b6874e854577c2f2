/** The trust of a policy, ready to verify signatures with. */
import { matcher } from "../aip/name_pattern.ts";
import { sha256 } from "../aip/sha256.ts";
import { type Certificate, mayIssue, maySignForNotation, readCertificate } from "./certificate.ts";
import { DerError } from "./der.ts";
import { type Name, parseName } from "./names.ts";
import { readPem } from "./pem.ts";
import { requireKey } from "./public_key.ts";
import { type Bytes, SignatureError } from "./signature.ts";

/** A policy as its owner writes it. Texts are in PEM. */
export interface WrittenTrust {
  publicKeys: string[];
  identities: { issuer: string; subject: string }[];
  fulcioCertificates: string;
  rekorKeys: string;
  notationCertificates: string;
  /** Names such as `C=US, O=Example`, or `*` for every one. */
  notationSubjects: string[];
}

/** A policy that was read. */
export interface Trust {
  /** Keys by their SHA-256 digests, as hexadecimal digits. */
  keys: ReadonlyMap<string, Bytes>;
  identities: { issuer: string; isSubject: (subject: string) => boolean }[];
  fulcio: Certificate[];
  /** The keys of logs by their SHA-256 digests. */
  rekorKeys: ReadonlyMap<string, Bytes>;
  notation: Certificate[];
  /** Undefined for every name. */
  notationSubjects: (Name | undefined)[];
}

/** The most keys and certificates in one text. */
const maxBlocks = 10;

/** A fault of a policy: the field, and what is wrong with it. */
export class TrustError extends Error {
  readonly field: string;

  constructor(field: string, what: string) {
    super(`${field} ${what}`);
    this.field = field;
  }
}

/** Runs a reader, and adds the name of the field to its errors. */
async function within<Read>(field: string, read: () => Promise<Read> | Read): Promise<Read> {
  try {
    return await read();
  } catch (thrown) {
    if (thrown instanceof DerError || thrown instanceof SignatureError)
      throw new TrustError(field, `cannot be read: ${thrown.message}`);
    throw thrown;
  }
}

function blocksOf(field: string, text: string, label: string): Bytes[] {
  const blocks = readPem(text, label);
  if (blocks.length > maxBlocks)
    throw new TrustError(field, `may have at most ${maxBlocks} PEM blocks`);
  if (blocks.length === 0 && text.trim() !== "")
    throw new TrustError(field, `must have PEM blocks with the label ${label}`);
  return blocks;
}

/** The keys in a text by their digests. Throws TrustError. */
const keysOf = (field: string, text: string) =>
  within(field, async () => {
    const keys = new Map<string, Bytes>();
    for (const key of blocksOf(field, text, "PUBLIC KEY")) {
      await requireKey(key);
      keys.set(await sha256(key), key);
    }
    return keys;
  });

const certificatesOf = (
  field: string,
  text: string,
  isUsable: (certificate: Certificate) => boolean,
) =>
  within(field, async () => {
    const certificates = blocksOf(field, text, "CERTIFICATE").map(readCertificate);
    if (!certificates.every(isUsable))
      throw new TrustError(field, "has a certificate that may not issue those of signers");
    for (const { key } of certificates) await requireKey(key);
    return certificates;
  });

function nameOf(text: string): Name | undefined {
  if (text === "*") return undefined;
  const name = parseName(text);
  if (name) return name;
  throw new TrustError("notation_subjects", "must be names such as C=US, O=Example, or *");
}

/** Reads a policy. Throws TrustError for the first fault. */
export async function readTrust(written: WrittenTrust): Promise<Trust> {
  const { publicKeys, identities } = written;
  const keys = new Map<string, Bytes>();
  for (const text of publicKeys) {
    const one = await keysOf("public_keys", text);
    if (one.size !== 1)
      throw new TrustError("public_keys", "must have one key in PEM in each text");
    for (const [id, key] of one) keys.set(id, key);
  }
  const mayAnchor = (one: Certificate) => mayIssue(one) || maySignForNotation(one);
  return {
    keys,
    identities: identities.map(({ issuer, subject }) => ({ issuer, isSubject: matcher(subject) })),
    fulcio: await certificatesOf("fulcio_certificates", written.fulcioCertificates, mayIssue),
    rekorKeys: await keysOf("rekor_keys", written.rekorKeys),
    notation: await certificatesOf(
      "notation_certificates",
      written.notationCertificates,
      mayAnchor,
    ),
    notationSubjects: written.notationSubjects.map(nameOf),
  };
}
