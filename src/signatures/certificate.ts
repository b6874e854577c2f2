/** Reads X.509 certificates (RFC 5280) and what Fulcio writes into them. It verifies nothing: see `chain.ts`. */
import {
  bitsOf,
  contentOf,
  DerError,
  type Element,
  itemsOf,
  oidOf,
  readAll,
  readOne,
  Tag,
  timeOf,
} from "./der.ts";

/** The most bytes of a certificate. Those of Fulcio have about 800. */
const maxCertificateBytes = 8 * 1024;

/** The most characters of an issuer, which is a URL, and of a subject. */
const maxLength = { issuer: 256, subject: 512 };

/** The parts of a certificate. Names are compared by their bytes. */
export interface Certificate {
  /** The signed bytes. */
  signed: Uint8Array<ArrayBuffer>;
  /** The object identifier of the algorithm of the signature. */
  algorithm: string;
  signature: Uint8Array<ArrayBuffer>;
  issuer: Uint8Array;
  subject: Uint8Array<ArrayBuffer>;
  /** The first and the last millisecond, since 1970 in UTC. */
  notBefore: number;
  notAfter: number;
  /** SubjectPublicKeyInfo. */
  key: Uint8Array<ArrayBuffer>;
  /** The values of the extensions by their object identifiers. */
  extensions: Map<string, Uint8Array<ArrayBuffer>>;
}

const Extension = {
  keyUsage: "2.5.29.15",
  alternativeName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  extendedKeyUsage: "2.5.29.37",
  /** The issuer of the token, of Fulcio: as a DER string, and in older certificates as bare bytes. */
  oidcIssuer: "1.3.6.1.4.1.57264.1.8",
  olderIssuer: "1.3.6.1.4.1.57264.1.1",
} as const;

/** A critical extension that is not understood makes a certificate invalid (RFC 5280 section 4.2). */
const understood: string[] = [
  Extension.keyUsage,
  Extension.alternativeName,
  Extension.basicConstraints,
  Extension.extendedKeyUsage,
];

const codeSigning = "1.3.6.1.5.5.7.3.3";

/** The bits of the key usage, from the first one. */
const KeyUsage = { digitalSignature: 0x80, certificateSigning: 0x04 } as const;

const areEqual = (a: Uint8Array, b: Uint8Array) =>
  a.length === b.length && a.every((byte, at) => byte === b[at]);

/** Whether a certificate names another as its issuer. */
export const isIssuedBy = (certificate: Certificate, issuer: Certificate): boolean =>
  areEqual(certificate.issuer, issuer.subject);

/** Reads the DER bytes of a certificate of version 3. Throws DerError. */
export function readCertificate(bytes: Uint8Array<ArrayBuffer>): Certificate {
  if (bytes.length > maxCertificateBytes) throw new DerError("the certificate is too large");
  const [content, outer, signature, ...more] = itemsOf(readOne(bytes, Tag.sequence));
  const [version, serial, algorithm, issuer, validity, subject, key, ...rest] = itemsOf(content);
  contentOf(serial, Tag.integer);
  const [number] = readAll(contentOf(version, Tag.version));
  const isThird = areEqual(contentOf(number, Tag.integer), new Uint8Array([2]));
  if (more.length > 0 || !isThird) throw new DerError("the certificate has another version");
  if (!content || !outer || !algorithm || !areEqual(outer.bytes, algorithm.bytes))
    throw new DerError("the certificate names two algorithms");
  const [notBefore, notAfter] = itemsOf(validity);
  contentOf(key, Tag.sequence);
  return {
    signed: content.bytes,
    algorithm: oidOf(itemsOf(outer)[0]),
    signature: bitsOf(signature),
    issuer: contentOf(issuer, Tag.sequence),
    subject: contentOf(subject, Tag.sequence),
    notBefore: timeOf(notBefore),
    notAfter: timeOf(notAfter) + 999,
    key: key?.bytes ?? new Uint8Array(),
    extensions: readExtensions(rest.find(({ tag }) => tag === Tag.extensions)),
  };
}

function readExtensions(element: Element | undefined): Certificate["extensions"] {
  const extensions: Certificate["extensions"] = new Map();
  const items = element ? itemsOf(readOne(element.value, Tag.sequence)) : [];
  for (const item of items) {
    const [id, ...parts] = itemsOf(item);
    const name = oidOf(id);
    const [flag, value] = parts.length === 1 ? [undefined, parts[0]] : parts;
    const isCritical = flag !== undefined && contentOf(flag, Tag.boolean)[0] !== 0;
    if (isCritical && !understood.includes(name))
      throw new DerError(`the extension ${name} is critical and not known`);
    if (extensions.has(name)) throw new DerError(`the extension ${name} is there twice`);
    extensions.set(name, contentOf(value, Tag.octetString));
  }
  return extensions;
}

/** Whether it may sign certificates: that of a root or an intermediate. Throws DerError. */
export function mayIssue(certificate: Certificate): boolean {
  const usages = usagesOf(certificate);
  return (
    isAuthority(certificate) &&
    hasKeyUsage(certificate, KeyUsage.certificateSigning) &&
    (usages === undefined || usages.includes(codeSigning))
  );
}

/** Whether it may sign code, and no certificates. Throws DerError. */
export const maySignCode = (certificate: Certificate): boolean =>
  !isAuthority(certificate) &&
  hasKeyUsage(certificate, KeyUsage.digitalSignature) &&
  usagesOf(certificate)?.includes(codeSigning) === true;

/**
 * Whether it may sign for Notation, and no certificates (Notary Project signature specification, "Certificate
 * requirements"): without an extended key usage, or with the one for code. Throws DerError.
 */
export const maySignForNotation = (certificate: Certificate): boolean =>
  !isAuthority(certificate) &&
  certificate.extensions.has(Extension.keyUsage) &&
  hasKeyUsage(certificate, KeyUsage.digitalSignature) &&
  (usagesOf(certificate)?.includes(codeSigning) ?? true);

/** The most certificates between it and the one of a signer. Infinity without a limit. Throws DerError. */
export function pathLengthOf({ extensions }: Certificate): number {
  const value = extensions.get(Extension.basicConstraints);
  const [, length] = value ? itemsOf(readOne(value, Tag.sequence)) : [];
  if (!length) return Number.POSITIVE_INFINITY;
  const [first = 0, ...more] = contentOf(length, Tag.integer);
  return more.length === 0 && first < 0x80 ? first : Number.POSITIVE_INFINITY;
}

function isAuthority({ extensions }: Certificate): boolean {
  const value = extensions.get(Extension.basicConstraints);
  const [first] = value ? itemsOf(readOne(value, Tag.sequence)) : [];
  return first?.tag === Tag.boolean && first.value[0] === 0xff;
}

/** Without the extension, a key may be used for everything. */
function hasKeyUsage({ extensions }: Certificate, bit: number): boolean {
  const value = extensions.get(Extension.keyUsage);
  const [, bits = 0] = value ? readOne(value, Tag.bitString).value : [0, bit];
  return (bits & bit) !== 0;
}

function usagesOf({ extensions }: Certificate): string[] | undefined {
  const value = extensions.get(Extension.extendedKeyUsage);
  return value && itemsOf(readOne(value, Tag.sequence)).map(oidOf);
}

/** The signer that a certificate of Fulcio names. */
export interface Signer {
  issuer: string;
  subject: string;
}

/**
 * Reads the signer: the issuer of the OIDC token, and the only alternative name, which must be a URI or an email address.
 * Undefined if the certificate names no such signer, or more than one. Throws DerError.
 */
export function signerOf({ extensions }: Certificate): Signer | undefined {
  const current = extensions.get(Extension.oidcIssuer);
  const issuer = current
    ? readOne(current, Tag.utf8String).value
    : extensions.get(Extension.olderIssuer);
  const names = extensions.get(Extension.alternativeName);
  const [name, ...others] = names ? itemsOf(readOne(names, Tag.sequence)) : [];
  if (!issuer || !name || others.length > 0) return undefined;
  if (name.tag !== Tag.uri && name.tag !== Tag.email) return undefined;
  const signer = {
    issuer: textOf(issuer, maxLength.issuer),
    subject: textOf(name.value, maxLength.subject),
  };
  return signer.issuer === "" || signer.subject === "" ? undefined : signer;
}

/** A text of printable ASCII characters, as URLs and email addresses are. Empty for another one. */
function textOf(bytes: Uint8Array, most: number): string {
  const isPrintable = bytes.every((byte) => byte > 0x20 && byte < 0x7f);
  return isPrintable && bytes.length <= most ? String.fromCharCode(...bytes) : "";
}
