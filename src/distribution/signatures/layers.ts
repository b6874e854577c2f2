/** Reads the layers of a manifest that are signatures or attestations. It verifies nothing. */
import type { Descriptor } from "../../registry/images/manifest_content.ts";
import { readBundle } from "../../signatures/bundle.ts";
import { readNotation } from "../../signatures/notation.ts";
import { type Bytes, type Signature, SignatureError } from "../../signatures/signature.ts";
import { readDsseLayer, readSimpleSigning } from "../../signatures/simple_signing.ts";
import { openContent } from "../blobs/contents.ts";
import type { RegistryContext } from "../context.ts";
import { isDigest } from "../digest.ts";
import type { ManifestDocument } from "../manifests/document.ts";
import { type LayerSource, readBlob } from "../manifests/pushed_documents.ts";
import { selectStoredManifest } from "../manifests/rows.ts";

/** The most layers of a manifest that are verified: the last ones. cosign adds each new signature at the end. */
const most = { signatures: 32, attestations: 8 };

/** The most bytes of a signature or its payload, and of an attestation. */
const maxBytes = { signature: 64 * 1024, bundle: 128 * 1024, attestation: 1024 * 1024 };

/** The most bytes of a signed manifest that is read for a signature over its bytes. */
const maxSubjectBytes = 4 * 1024 * 1024;

/** A manifest with signatures. */
export interface SignedManifest extends LayerSource {
  repo: string;
  document: Pick<ManifestDocument, "content">;
  /** The digest of the signed manifest, if the manifest or its tag says it. */
  subject: string | undefined;
}

/** A layer that is a signature or an attestation. */
export interface SignedLayer {
  digest: string;
  mediaType: string;
  annotations: unknown;
  limit: number;
}

const bundleType = /^application\/vnd\.dev\.sigstore\.bundle\b/;
const simpleType = "application/vnd.dev.cosign.simplesigning.v1+json";
const envelopeType = "application/vnd.dsse.envelope.v1+json";

/** The layers to verify, at most `limit`. */
export function signedLayers({ document }: SignedManifest, limit: number): SignedLayer[] {
  const { signatures, attestations } = document.content;
  const layerOf = (isSignature: boolean) => (descriptor: Descriptor) => {
    const { digest, annotations } = descriptor;
    const mediaType = String(descriptor.mediaType);
    const size = bundleType.test(mediaType) ? maxBytes.bundle : maxBytes.signature;
    if (!isDigest(digest)) return [];
    return [{ digest, mediaType, annotations, limit: isSignature ? size : maxBytes.attestation }];
  };
  return [
    ...attestations.slice(-most.attestations).flatMap(layerOf(false)),
    ...signatures.slice(-most.signatures).flatMap(layerOf(true)),
  ].slice(-limit);
}

/** Reads one layer. Undefined if the repository does not have its bytes. Throws SignatureError, and errors of `readBlob`. */
export async function readLayer(
  context: RegistryContext,
  manifest: SignedManifest,
  { digest, mediaType, annotations, limit }: SignedLayer,
): Promise<Signature | undefined> {
  const bytes = await readBlob(context, manifest, digest, limit);
  if (!bytes) return undefined;
  if (bundleType.test(mediaType)) return readBundle(bytes);
  if (mediaType === simpleType) return readSimpleSigning(bytes, annotations);
  if (mediaType === envelopeType) return readDsseLayer(bytes, annotations);
  return readNotation(bytes, mediaType);
}

/**
 * The digest of the image that a signature is about. `subject` is that of its manifest, or the image of the layers before,
 * and the signature must name it. It is empty if neither is known. Throws SignatureError if it is about another image.
 */
export function aboutOf(subject: string, { digests }: Signature): string {
  const [only, ...others] = digests;
  const about = subject || (others.length === 0 ? only : undefined);
  if (about === undefined || !isDigest(about))
    throw new SignatureError("it does not say which image it is about");
  if (!digests.includes(about)) throw new SignatureError("it is about another image");
  return about;
}

/**
 * The bytes of the signed manifest. Web Crypto cannot verify a signature with the digest alone, so a signature over these
 * bytes counts only if the repository has them when it is verified.
 */
export async function readSubject(
  context: RegistryContext,
  { repo, memory, documents }: SignedManifest,
  digest: string,
): Promise<Bytes> {
  const known = documents.get(digest);
  if (known) return known;
  const bytes = await readManifestBytes(context, { repo, memory }, digest, maxSubjectBytes);
  if (!bytes)
    throw new SignatureError("it is over the bytes of an image that the repository does not have");
  if (typeof bytes === "string") throw new SignatureError(`the bytes of its image are ${bytes}`);
  documents.set(digest, bytes);
  return bytes;
}

/**
 * The bytes of a stored manifest, or in a word what is wrong with them. Undefined if the repository does not have it, or if it
 * has more than `limit` bytes.
 */
export async function readManifestBytes(
  context: RegistryContext,
  { repo, memory }: Pick<SignedManifest, "repo" | "memory">,
  digest: string,
  limit = Number.POSITIVE_INFINITY,
): Promise<Bytes | string | undefined> {
  const [row] = await selectStoredManifest(context.db, repo, digest);
  if (!row || row.size === null || row.size > limit) return undefined;
  await memory.take(row.size);
  const body = await openContent(context, row);
  return typeof body === "string" ? body : new Uint8Array(await new Response(body).arrayBuffer());
}
