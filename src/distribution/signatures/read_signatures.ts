/**
 * Verifies the signatures in a pushed manifest: those of cosign, and Sigstore bundles. A signature that does not verify is
 * stored like any other content, and is not recorded. Limits come before work, so that a hostile one costs little: the
 * certificate is verified before anything else is read, where the form allows it.
 */

import type { Descriptor } from "../../registry/images/manifest_content.ts";
import type { VerifiedSignature } from "../../registry/images/signatures.ts";
import { openContent } from "../blobs/contents.ts";
import type { RegistryContext } from "../context.ts";
import { isDigest } from "../digest.ts";
import { RegistryError } from "../errors.ts";
import { type LayerSource, readBlob } from "../manifests/pushed_documents.ts";
import { selectReferenced } from "../manifests/rows.ts";
import type { Push } from "../manifests/store.ts";
import { readAnnotations, readBundle, signedDigest } from "./contents.ts";
import { verifiesArtifact } from "./public_key.ts";
import { type TrustedSigner, trustedSigner } from "./trust.ts";

/** The most signatures of a manifest that are verified: the last ones. cosign adds each new signature at the end. */
const maxSignatures = 8;

/** The most bytes of a payload of cosign, and of a bundle. */
const maxPayloadBytes = 64 * 1024;
const maxBundleBytes = 128 * 1024;

/** The most bytes of a signed manifest that is read for a signature over its bytes. */
const maxSubjectBytes = 4 * 1024 * 1024;

interface PushedSignatures extends LayerSource, Pick<Push, "image" | "document"> {
  /** The digest of the signed manifest, if the manifest or its tag says it. */
  subject: string | undefined;
}

/** Returns the signatures that verify. Without certificates of the operator, nothing is read. */
export async function readSignatures(
  context: RegistryContext,
  pushed: PushedSignatures,
): Promise<VerifiedSignature[]> {
  if (context.config.signatureRoots.length === 0) return [];
  const verified: VerifiedSignature[] = [];
  for (const layer of pushed.document.content.signatures.slice(-maxSignatures)) {
    try {
      const signature = await readLayer(context, pushed, layer);
      if (signature) verified.push(signature);
    } catch (thrown) {
      // If R2 fails, the client has to push again. All other errors are about the signature.
      if (thrown instanceof RegistryError) throw thrown;
    }
  }
  return verified;
}

const isBundle = ({ mediaType }: Descriptor) => /sigstore\.bundle/.test(String(mediaType));

async function readLayer(
  context: RegistryContext,
  pushed: PushedSignatures,
  layer: Descriptor,
): Promise<VerifiedSignature | undefined> {
  if (!isDigest(layer.digest)) return undefined;
  const read = isBundle(layer) ? readBundled : readPayload;
  return read(context, pushed, layer, layer.digest);
}

const recorded = (digest: string, { issuer, subject, hasExpired }: TrustedSigner) => ({
  ...{ digest, issuer, subject, hasExpired },
});

async function readPayload(
  context: RegistryContext,
  pushed: PushedSignatures,
  layer: Descriptor,
  digest: string,
): Promise<VerifiedSignature | undefined> {
  const found = readAnnotations(layer);
  const signer = found && (await trustedSigner(context.config, found.certificate, context.now));
  const payload = signer && (await readBlob(context, pushed, digest, maxPayloadBytes));
  if (!payload || !(await verifiesArtifact(signer.key, found.signature, payload))) return undefined;
  const about = signedDigest(payload);
  const isMeant = pushed.subject === undefined || pushed.subject === about;
  return isMeant ? recorded(about, signer) : undefined;
}

async function readBundled(
  context: RegistryContext,
  pushed: PushedSignatures,
  _layer: Descriptor,
  digest: string,
): Promise<VerifiedSignature | undefined> {
  const { subject } = pushed;
  const bytes = subject && (await readBlob(context, pushed, digest, maxBundleBytes));
  const bundle = bytes && readBundle(bytes);
  if (!subject || !bundle) return undefined;
  const { certificate, signature, messageDigest, statement } = bundle;
  const isMeant = statement ? statement.digests.includes(subject) : messageDigest === subject;
  const signer = isMeant && (await trustedSigner(context.config, certificate, context.now));
  if (!signer) return undefined;
  const signed = statement?.signed ?? (await readSubject(context, pushed, subject));
  return signed && (await verifiesArtifact(signer.key, signature, signed))
    ? recorded(subject, signer)
    : undefined;
}

/**
 * The bytes of the signed manifest. Web Crypto cannot verify a signature with the digest alone, so a signature over these
 * bytes counts only if the repository has them when it is pushed.
 */
async function readSubject(
  context: RegistryContext,
  { image, memory }: PushedSignatures,
  digest: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const [row] = await selectReferenced(context.db, image, digest);
  if (!row || row.size === null || row.size > maxSubjectBytes) return undefined;
  await memory.take(row.size);
  const body = await openContent(context, row);
  if (typeof body === "string") return undefined;
  return new Uint8Array(await new Response(body).arrayBuffer());
}
