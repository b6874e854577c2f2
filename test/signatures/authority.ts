/** An authority like Fulcio for tests: a root, an intermediate, and certificates for signers. */
import "reflect-metadata";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";

export const codeSigning = "1.3.6.1.5.5.7.3.3";

const ecdsa = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
/** The algorithms of the keys of signers. */
export const algorithms = {
  "P-256": ecdsa,
  "P-384": { name: "ECDSA", namedCurve: "P-384", hash: "SHA-384" },
  "P-521": { name: "ECDSA", namedCurve: "P-521", hash: "SHA-512" },
  Ed25519: { name: "Ed25519" },
  RSA: {
    name: "RSASSA-PKCS1-v1_5",
    hash: "SHA-256",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  },
} as const;

/** An extension that no one knows. */
export const newExtension = (value: Uint8Array<ArrayBuffer>, isCritical: boolean) =>
  new Extension("1.2.3.4", isCritical, value);

const minutes = (number: number) => new Date(Date.now() + number * 60_000);
const years = { notBefore: minutes(-60), notAfter: minutes(60 * 24 * 365) };

export const newKeys = (algorithm: object = ecdsa) =>
  crypto.subtle.generateKey(algorithm as EcKeyGenParams, true, [
    "sign",
    "verify",
  ]) as Promise<CryptoKeyPair>;

/** The differences from a certificate that counts. */
export interface LeafSetting {
  algorithm?: object;
  issuer?: string;
  subject?: string;
  /** The minutes from now at which it begins and ends. */
  begin?: number;
  end?: number;
  /** Further email addresses. */
  others?: string[];
  usages?: string[];
  isAuthority?: boolean;
  /** True if the issuer is in the extension of older certificates. */
  isOlder?: boolean;
  more?: Extension[];
}

/** A signer: the certificate, and a function that signs bytes. */
export interface Signer {
  certificate: X509Certificate;
  /** The signature in base64, with numbers in DER as clients write them. */
  sign(bytes: Uint8Array, hash?: string): Promise<string>;
}

/** Creates an authority. `pem` is the setting of an operator who trusts it. `pathLength` is that of the root. */
export async function newAuthority(name = "authority", pathLength = 1) {
  const rootKeys = await newKeys(algorithms["P-384"]);
  const keys = await newKeys();
  const extensionsOf = (length: number) => [
    new BasicConstraintsExtension(true, length, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
  ];
  const root = await X509CertificateGenerator.createSelfSigned({
    ...{ name: `CN=${name} root`, ...years, keys: rootKeys },
    ...{ signingAlgorithm: algorithms["P-384"], extensions: extensionsOf(pathLength) },
  });
  const intermediate = await X509CertificateGenerator.create({
    ...{ subject: `CN=${name}`, issuer: root.subject, ...years, publicKey: keys.publicKey },
    ...{ signingKey: rootKeys.privateKey, signingAlgorithm: algorithms["P-384"] },
    extensions: [...extensionsOf(0), new ExtendedKeyUsageExtension([codeSigning])],
  });
  const newSigner = (setting: LeafSetting = {}) =>
    issue({ subject: intermediate.subject, keys }, setting);
  const pem = [root, intermediate].map((certificate) => certificate.toString("pem")).join("\n");
  return { root, intermediate, newSigner, pem };
}

const utf8 = (text: string) => new TextEncoder().encode(text);
const oidc = "1.3.6.1.4.1.57264.1";

export const defaultIssuer = "https://token.actions.example.com";
export const defaultSubject = "https://git.example.com/app/.ci/release.yml@refs/heads/main";

async function issue(
  authority: { subject: string; keys: CryptoKeyPair },
  {
    algorithm = ecdsa,
    issuer = defaultIssuer,
    subject = defaultSubject,
    begin = -1,
    end = 9,
    others = [],
    usages = [codeSigning],
    isAuthority = false,
    isOlder = false,
    more = [],
  }: LeafSetting,
): Promise<Signer> {
  const keys = await newKeys(algorithm);
  const type = subject.includes("://") ? "url" : "email";
  const certificate = await X509CertificateGenerator.create({
    ...{ issuer: authority.subject, notBefore: minutes(begin), notAfter: minutes(end) },
    ...{ publicKey: keys.publicKey, signingKey: authority.keys.privateKey },
    signingAlgorithm: ecdsa,
    extensions: [
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      ...(usages.length > 0 ? [new ExtendedKeyUsageExtension(usages)] : []),
      ...(isAuthority ? [new BasicConstraintsExtension(true, 0, true)] : []),
      new SubjectAlternativeNameExtension(
        [{ type, value: subject }, ...others.map((value) => ({ type: "email" as const, value }))],
        true,
      ),
      isOlder
        ? new Extension(`${oidc}.1`, false, utf8(issuer))
        : new Extension(`${oidc}.8`, false, new Uint8Array([12, issuer.length, ...utf8(issuer)])),
      ...more,
    ],
  });
  return { certificate, sign: (bytes, hash) => sign(keys.privateKey, algorithm, bytes, hash) };
}

/** Signs bytes, with numbers in DER as clients write them. Returns base64. */
export async function sign(
  key: CryptoKey,
  algorithm: object,
  bytes: Uint8Array,
  hash?: string,
): Promise<string> {
  const used = { ...algorithm, ...(hash ? { hash } : {}) } as EcdsaParams;
  const raw = new Uint8Array(await crypto.subtle.sign(used, key, new Uint8Array(bytes)));
  if (used.name !== "ECDSA") return Buffer.from(raw).toString("base64");
  const numbers = [raw.subarray(0, raw.length / 2), raw.subarray(raw.length / 2)].map(toInteger);
  const content = numbers.flat();
  const length = content.length < 0x80 ? [content.length] : [0x81, content.length];
  return Buffer.from([0x30, ...length, ...content]).toString("base64");
}

function toInteger(bytes: Uint8Array): number[] {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = [...bytes.subarray(first)];
  const positive = (digits[0] ?? 0) >= 0x80 ? [0, ...digits] : digits;
  return [0x02, positive.length, ...positive];
}
