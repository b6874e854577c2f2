/** Pushes signatures as clients do: below the tag of cosign, and as Sigstore bundles that refer to the image. */
import { expect } from "vitest";
import type { Signer } from "../../signatures/authority.ts";
import {
  descriptorOf,
  digestOf,
  type Image,
  manifestType,
  newImageOf,
  pushBlob,
  putManifest,
  type Target,
} from "../client.ts";

export const simpleSigningType = "application/vnd.dev.cosign.simplesigning.v1+json";
export const bundleType = "application/vnd.dev.sigstore.bundle.v0.3+json";
export const signPredicate = "https://sigstore.dev/cosign/sign/v1";

const utf8 = (text: string) => new TextEncoder().encode(text);
const base64 = (bytes: string | ArrayBuffer | Uint8Array) =>
  Buffer.from(bytes as Uint8Array).toString("base64");

/** The payload of cosign about a digest. */
export const payloadOf = (digest: string, more: object = {}) =>
  JSON.stringify({
    critical: {
      identity: { "docker-reference": "registry.example.com/image" },
      image: { "docker-manifest-digest": digest },
      type: "cosign container image signature",
    },
    optional: null,
    ...more,
  });

/** A layer that is a signature of cosign, with its payload. */
export interface CosignLayer {
  payload: string;
  annotations: Record<string, string>;
}

/** Signs a payload. `signed` is what is signed in its place. */
export async function cosignLayer(
  { certificate, sign }: Signer,
  payload: string,
  signed = payload,
): Promise<CosignLayer> {
  return {
    payload,
    annotations: {
      "dev.cosignproject.cosign/signature": await sign(utf8(signed)),
      "dev.sigstore.cosign/certificate": certificate.toString("pem"),
      "dev.sigstore.cosign/chain": certificate.toString("pem"),
    },
  };
}

/**
 * Pushes signatures below the tag of an image, or without a tag if `imageDigest` is empty. Returns the digest of their
 * manifest.
 */
export async function pushCosign(
  target: Target,
  imageDigest: string,
  layers: CosignLayer[],
): Promise<string> {
  for (const { payload } of layers) await pushBlob(target, payload);
  await pushBlob(target, "{}");
  const { text, digest } = newImageOf({
    config: descriptorOf("{}", "application/vnd.oci.image.config.v1+json"),
    layers: layers.map(({ payload, annotations }) => ({
      ...descriptorOf(payload, simpleSigningType),
      annotations,
    })),
  });
  const reference = imageDigest === "" ? digest : `${imageDigest.replace(":", "-")}.sig`;
  expect((await putManifest(target, reference, text)).status).toBe(201);
  return digest;
}

/** The statement of a signature about a digest. */
export const statementOf = (digest: string, predicateType = signPredicate) =>
  JSON.stringify({
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ digest: { sha256: digest.slice(7) } }],
    predicateType,
    predicate: {},
  });

/** The part of a bundle with the certificate, in the form of a version. */
export const materialOf = ({ certificate }: Signer, version = "0.3") =>
  version === "0.3"
    ? { certificate: { rawBytes: base64(certificate.rawData) } }
    : { x509CertificateChain: { certificates: [{ rawBytes: base64(certificate.rawData) }] } };

/** A bundle with a statement. `signed` is the statement that is signed in its place. */
export async function envelopeBundle(
  signer: Signer,
  statement: string,
  { signed = statement, version = "0.3" } = {},
) {
  const payloadType = "application/vnd.in-toto+json";
  const size = Buffer.byteLength(signed);
  const sig = await signer.sign(
    utf8(`DSSEv1 ${payloadType.length} ${payloadType} ${size} ${signed}`),
  );
  return {
    mediaType:
      version === "0.3"
        ? bundleType
        : `application/vnd.dev.sigstore.bundle+json;version=${version}`,
    verificationMaterial: materialOf(signer, version),
    dsseEnvelope: { payload: base64(statement), payloadType, signatures: [{ sig }] },
  };
}

/** A bundle with a signature over the bytes of a manifest. */
export async function messageBundle(signer: Signer, manifest: string, signed = manifest) {
  const digest = Buffer.from(digestOf(manifest).slice(7), "hex").toString("base64");
  return {
    mediaType: bundleType,
    verificationMaterial: materialOf(signer),
    messageSignature: {
      messageDigest: { algorithm: "SHA2_256", digest },
      signature: await signer.sign(utf8(signed)),
    },
  };
}

/** Pushes a bundle that refers to an image. Returns the digest of its manifest. */
export async function pushBundle(
  target: Target,
  image: Pick<Image, "text">,
  bundle: { mediaType: string; messageSignature?: unknown },
  padding = 0,
): Promise<string> {
  const layer = JSON.stringify(bundle) + " ".repeat(padding);
  await pushBlob(target, layer);
  await pushBlob(target, "{}");
  const { text, digest } = newImageOf({
    artifactType: bundle.mediaType,
    config: descriptorOf("{}", "application/vnd.oci.empty.v1+json"),
    layers: [descriptorOf(layer, bundle.mediaType)],
    subject: descriptorOf(image.text, manifestType),
    annotations: bundle.messageSignature
      ? { "dev.sigstore.bundle.content": "message-signature" }
      : {
          "dev.sigstore.bundle.content": "dsse-envelope",
          "dev.sigstore.bundle.predicateType": signPredicate,
        },
  });
  const answer = await putManifest(target, digest, text);
  expect(answer.status).toBe(201);
  return digest;
}
