/** Copies an image: its manifest, the manifests below it, and their blobs. */
import { createHash } from "node:crypto";
import type { Repository } from "./registry.ts";

/** A reference to a manifest or a blob (OCI image specification). */
interface Descriptor {
  mediaType?: string;
  digest: string;
  size: number;
  /** Where a blob is if the registry does not have it. Such blobs are not copied. */
  urls?: string[];
}

interface Manifest {
  mediaType?: string;
  /** The images of an index. */
  manifests?: Descriptor[];
  config?: Descriptor;
  layers?: Descriptor[];
}

const manifestTypes = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.docker.distribution.manifest.v2+json",
].join(", ");

/** The most bytes of a manifest that registries must accept (OCI distribution specification). */
const maxManifestBytes = 4 * 2 ** 20;

/** The most images below each other: an index, and an index in it. */
const maxDepth = 3;

/**
 * Copies the image with that digest, and points the tag to it. Content that the target has is not copied again, so a
 * copy that was interrupted continues. Throws an Error if a registry fails, or if bytes do not match their digest.
 */
export async function copyImage(
  source: Repository,
  target: Repository,
  digest: string,
  tag: string,
): Promise<void> {
  if ((await digestOf(target, tag)) === digest) return;
  const { bytes, type } = await copyContent(source, target, digest, maxDepth);
  // The image is complete now, so a pull of the tag gets all of it.
  await putManifest(target, tag, bytes, type);
}

/** Returns the digest that a tag of the target points to, or undefined if there is none. */
async function digestOf(target: Repository, tag: string): Promise<string | undefined> {
  const headers = { accept: manifestTypes };
  const response = await target.send(`manifests/${tag}`, { method: "HEAD", headers });
  return response.ok ? (response.headers.get("docker-content-digest") ?? undefined) : undefined;
}

/** Copies a manifest and everything below it, from the bottom up: a registry may refuse a manifest with gaps. */
async function copyContent(source: Repository, target: Repository, digest: string, depth: number) {
  requireSha256(digest);
  if (depth === 0) throw new Error(`${digest} is an index in an index in an index`);
  const { bytes, type } = await getManifest(source, digest);
  const { manifests = [], config, layers = [] } = JSON.parse(bytes.toString()) as Manifest;
  for (const child of manifests) await copyChild(source, target, child.digest, depth - 1);
  for (const blob of [...(config ? [config] : []), ...layers]) {
    if (!blob.urls?.length) await copyBlob(source, target, blob);
  }
  return { bytes, type };
}

async function copyChild(source: Repository, target: Repository, digest: string, depth: number) {
  const headers = { accept: manifestTypes };
  const known = await target.send(`manifests/${digest}`, { method: "HEAD", headers });
  if (known.ok) return;
  const { bytes, type } = await copyContent(source, target, digest, depth);
  await putManifest(target, digest, bytes, type);
}

async function getManifest(source: Repository, digest: string) {
  const headers = { accept: manifestTypes };
  const response = await source.expect(`manifests/${digest}`, { headers });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (bytes.length > maxManifestBytes) throw new Error(`the manifest ${digest} is too large`);
  requireDigest(createHash("sha256").update(bytes).digest("hex"), digest);
  return { bytes, type: response.headers.get("content-type") ?? "" };
}

async function putManifest(target: Repository, reference: string, bytes: Buffer, type: string) {
  const headers = { "content-type": type };
  const body = new Uint8Array(bytes);
  const response = await target.expect(`manifests/${reference}`, { method: "PUT", headers, body });
  await response.body?.cancel();
}

/** Uploads a blob in one request, as it arrives. The registry checks the digest too. */
async function copyBlob(source: Repository, target: Repository, { digest, size }: Descriptor) {
  requireSha256(digest);
  if ((await target.send(`blobs/${digest}`, { method: "HEAD" })).ok) return;
  const begun = await target.expect("blobs/uploads/", { method: "POST" });
  await begun.body?.cancel();
  const location = begun.headers.get("location");
  if (!location) throw new Error("the target returned no location for an upload");
  const url = new URL(location, begun.url);
  url.searchParams.set("digest", digest);
  const { body } = await source.expect(`blobs/${digest}`);
  if (!body) throw new Error(`the source returned no bytes for ${digest}`);
  const stored = await target.expect(String(url), {
    method: "PUT",
    headers: { "content-type": "application/octet-stream", "content-length": String(size) },
    body: body.pipeThrough(checked(digest)),
  });
  await stored.body?.cancel();
}

/** Passes bytes on, and fails at their end if they do not match the digest. */
function checked(digest: string): TransformStream<Uint8Array, Uint8Array> {
  const hash = createHash("sha256");
  return new TransformStream({
    transform(chunk, controller) {
      hash.update(chunk);
      controller.enqueue(chunk);
    },
    flush: () => requireDigest(hash.digest("hex"), digest),
  });
}

/** A digest becomes part of a URL, and only this algorithm is checked here. */
function requireSha256(digest: string): void {
  if (/^sha256:[0-9a-f]{64}$/.test(digest)) return;
  throw new Error(`${digest} is not a digest by SHA-256`);
}

function requireDigest(hex: string, digest: string): void {
  if (digest === `sha256:${hex}`) return;
  throw new Error(`the source returned bytes with the digest sha256:${hex} for ${digest}`);
}
