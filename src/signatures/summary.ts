/**
 * Writes the platform's own verdict about an image. It is a SLSA verification summary (version 1) in a Sigstore bundle
 * (version 0.3). The manifest around it is like that of an attestation of cosign 3.
 */
import { toBase64 } from "../aip/base64.ts";
import { sha256 } from "../aip/sha256.ts";
import { preAuthentication, statementType } from "./statement.ts";

export const summaryType = "https://slsa.dev/verification_summary/v1";
const bundleType = "application/vnd.dev.sigstore.bundle.v0.3+json";
const emptyType = "application/vnd.oci.empty.v1+json";

/** The content of a verdict. A verdict is only signed while signatures count, so its result is always PASSED. */
export interface Summary {
  /** The digest of the image. */
  digest: string;
  /** The address of the API. */
  verifier: string;
  resource: string;
  policy: string;
  /** Milliseconds since 1970 in UTC. */
  time: number;
}

const utf8 = (text: string) => new TextEncoder().encode(text);

/** The in-toto statement of a verdict, as JSON. */
function statementOf({ digest, verifier, resource, policy, time }: Summary): string {
  const [algorithm = "", hash = ""] = digest.split(":");
  return JSON.stringify({
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ name: resource, digest: { [algorithm]: hash } }],
    predicateType: summaryType,
    predicate: {
      verifier: { id: verifier },
      timeVerified: new Date(time).toISOString(),
      resourceUri: resource,
      policy: { uri: policy },
      verificationResult: "PASSED",
      verifiedLevels: [],
    },
  });
}

/** A signer with P-256, whose signatures are two numbers, one after the other. `keyId` is the hint to its key. */
interface Signer {
  keyId: string;
  sign(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array>;
}

/** Signs a verdict. Returns the bundle as JSON. */
export async function signSummary(summary: Summary, { keyId, sign }: Signer): Promise<string> {
  const payload = utf8(statementOf(summary));
  const signature = await sign(preAuthentication(statementType, payload));
  return JSON.stringify({
    mediaType: bundleType,
    verificationMaterial: { publicKey: { hint: keyId } },
    dsseEnvelope: {
      payload: toBase64(payload),
      payloadType: statementType,
      signatures: [{ sig: toBase64(toDer(signature)) }],
    },
  });
}

/** Writes the two numbers of a signature as DER. */
function toDer(raw: Uint8Array): Uint8Array {
  const half = raw.length / 2;
  const numbers = [raw.subarray(0, half), raw.subarray(half)].flatMap(toInteger);
  return new Uint8Array([0x30, numbers.length, ...numbers]);
}

/** A number of DER has no zeros in front, except one that keeps it positive. */
function toInteger(bytes: Uint8Array): number[] {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = [...bytes.subarray(first < 0 ? bytes.length - 1 : first)];
  const positive = (digits[0] ?? 0) >= 0x80 ? [0, ...digits] : digits;
  return [0x02, positive.length, ...positive];
}

/** The manifest of an image that a verdict refers to. */
export interface SubjectDescriptor {
  mediaType: string;
  digest: string;
  size: number;
}

/** The config of the manifest: a blob without content. */
export const emptyConfig = "{}";

/** The manifest with a bundle, as JSON. */
export async function summaryManifest(
  bundle: string,
  subject: SubjectDescriptor,
  time: number,
): Promise<string> {
  const blobOf = async (mediaType: string, content: string) => ({
    ...{ mediaType, digest: `sha256:${await sha256(content)}`, size: utf8(content).length },
  });
  return JSON.stringify({
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    artifactType: bundleType,
    config: await blobOf(emptyType, emptyConfig),
    layers: [await blobOf(bundleType, bundle)],
    subject,
    annotations: {
      "dev.sigstore.bundle.content": "dsse-envelope",
      "dev.sigstore.bundle.predicateType": summaryType,
      "org.opencontainers.image.created": new Date(time).toISOString(),
    },
  });
}
