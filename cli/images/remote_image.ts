/** Reads the manifests of an image in a registry. */
import { createHash } from "node:crypto";
import { type Failure, refusedFailure, usageFailure } from "../failure.ts";
import { withAttempts } from "./attempts.ts";
import {
  blobPath,
  blobsOf,
  type Descriptor,
  indexTypes,
  type Manifest,
  manifestFor,
  manifestTypes,
  maxManifestBytes,
  type Platform,
  splitDigest,
} from "./descriptor.ts";
import { requireStatus, type Session } from "./session.ts";

/** A manifest or an index: its descriptor, its bytes and its content. */
export type RemoteManifest = { descriptor: Descriptor; bytes: Buffer; content: Manifest };

/** An image. `root` is the manifest or index that the reference names, or that of the chosen platform. */
export type RemoteImage = {
  root: RemoteManifest;
  /** All manifests and indexes, those that others name before these. */
  manifests: RemoteManifest[];
  blobs: Descriptor[];
  /** The digests of manifests that an index names and the registry does not have. */
  missing: string[];
};

/** Reads an image by a tag or a digest. With a platform, it reads only the manifest for that platform. */
export async function readRemoteImage(
  session: Session,
  name: string,
  reference: string,
  platform: Platform | undefined,
): Promise<RemoteImage> {
  let root = await fetchManifest(session, name, reference);
  const label = `${name}:${reference}`;
  while (platform && isIndex(root)) {
    const child = manifestFor(root.content.manifests ?? [], platform, label);
    root = await fetchManifest(session, name, child.digest, child);
  }
  const manifests = new Map<string, RemoteManifest>();
  const missing: string[] = [];
  const visit = async (manifest: RemoteManifest): Promise<void> => {
    for (const child of manifest.content.manifests ?? []) {
      if (manifests.has(child.digest)) continue;
      const fetched = await fetchChild(session, name, child);
      if (fetched) await visit(fetched);
      else missing.push(child.digest);
    }
    manifests.set(manifest.descriptor.digest, manifest);
  };
  await visit(root);
  const all = [...manifests.values()];
  const blobs = all.flatMap(({ content }) => blobsOf(content));
  for (const { digest } of blobs) blobPath(digest);
  const unique = new Map(blobs.map((blob) => [blob.digest, blob]));
  return { root, manifests: all, blobs: [...unique.values()], missing };
}

const isIndex = ({ descriptor }: RemoteManifest) => indexTypes.includes(descriptor.mediaType);

async function fetchChild(session: Session, name: string, child: Descriptor) {
  try {
    return await fetchManifest(session, name, child.digest, child);
  } catch (thrown) {
    if (thrown instanceof Error && "reason" in thrown && thrown.reason === "MANIFEST_UNKNOWN") {
      return undefined;
    }
    throw thrown;
  }
}

async function fetchManifest(
  session: Session,
  name: string,
  reference: string,
  known?: Descriptor,
): Promise<RemoteManifest> {
  const accept = [...indexTypes, ...manifestTypes].join(", ");
  const path = `/v2/${name}/manifests/${reference}`;
  const { bytes, mediaType } = await withAttempts(async () => {
    const response = await session.send(name, { method: "GET", path, headers: { accept } });
    await requireStatus(response, 200);
    const type = response.headers.get("content-type")?.split(";", 1)[0] ?? "";
    return { bytes: Buffer.from(await response.arrayBuffer()), mediaType: type };
  });
  if (bytes.length > maxManifestBytes) {
    throw usageFailure(`The manifest ${reference} of ${name} has more than 4 MiB.`);
  }
  const digest = digestOf(bytes, reference);
  if (reference.includes(":") && digest !== reference) throw wrongDigest(reference, digest);
  const descriptor = { ...known, mediaType, digest, size: bytes.length };
  return { descriptor, bytes, content: parse(bytes, reference) };
}

/** The digest of bytes, by the algorithm of the expected digest, or by sha256 if a tag was asked for. */
function digestOf(bytes: Uint8Array, reference: string): string {
  const algorithm = splitDigest(reference)?.algorithm ?? "sha256";
  return `${algorithm}:${createHash(algorithm).update(bytes).digest("hex")}`;
}

/** Returns the Failure for bytes that are not those of a digest. */
export const wrongDigest = (expected: string, actual: string): Failure =>
  refusedFailure(
    "DATA_LOSS",
    `The registry returned bytes with the digest ${actual} for ${expected}.`,
  );

function parse(bytes: Buffer, reference: string): Manifest {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    if (typeof value === "object" && value !== null) return value as Manifest;
  } catch {
    // The failure below says so.
  }
  throw refusedFailure("DATA_LOSS", `The manifest ${reference} is not a JSON object.`);
}
