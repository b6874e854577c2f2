/** Reads the manifests of an image in a registry. */
import { createHash } from "node:crypto";
import { type Failure, refusedFailure } from "../failure.ts";
import { parseObject, readBytes, shortGet } from "./answers.ts";
import { withAttempts } from "./attempts.ts";
import {
  blobsOf,
  type Descriptor,
  descriptorsOf,
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

/** The most manifests of one image. */
const maxManifests = 1_000;

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
  let asked = 0;
  const visit = async (manifest: RemoteManifest): Promise<void> => {
    for (const child of manifest.content.manifests ?? []) {
      if (manifests.has(child.digest)) continue;
      asked += 1;
      if (asked > maxManifests)
        throw refusedFailure("TOO_LARGE", `${label} has more than ${maxManifests} manifests.`);
      const fetched = await fetchChild(session, name, child);
      if (fetched) await visit(fetched);
      else missing.push(child.digest);
    }
    manifests.set(manifest.descriptor.digest, manifest);
  };
  await visit(root);
  const all = [...manifests.values()];
  const blobs = all.flatMap(({ content }) => blobsOf(content));
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
  const what = `The manifest ${reference} of ${name}`;
  const { bytes, mediaType } = await withAttempts(async () => {
    const response = await session.send(name, shortGet(path, { accept }));
    await requireStatus(response, 200);
    const type = response.headers.get("content-type")?.split(";", 1)[0] ?? "";
    return { bytes: await readBytes(response, maxManifestBytes, what), mediaType: type };
  });
  const digest = digestOf(bytes, reference);
  if (reference.includes(":") && digest !== reference) throw wrongDigest(reference, digest);
  const descriptor = { ...known, mediaType, digest, size: bytes.length };
  return { descriptor, bytes, content: toManifest(parseObject(bytes, what), what) };
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

/** Throws a USAGE Failure if the manifest names something without a digest. */
function toManifest(content: Record<string, unknown>, what: string): Manifest {
  const { config, manifests, layers } = content;
  const [own] = descriptorsOf(config === undefined ? [] : [config], what);
  return {
    ...content,
    ...(own && { config: own }),
    manifests: descriptorsOf(manifests, what),
    layers: descriptorsOf(layers, what),
  };
}
