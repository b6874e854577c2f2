/** Descriptors, indexes and manifests (OCI image specification 1.1). */
import { usageFailure } from "../failure.ts";

/** The platform of a manifest. */
export type Platform = { os: string; architecture: string; variant?: string };

/** Names a manifest or a blob. */
export type Descriptor = {
  mediaType: string;
  digest: string;
  size: number;
  platform?: Platform;
  annotations?: Record<string, string>;
  urls?: string[];
  artifactType?: string;
};

/** The parts of a manifest or an index that a push or a pull needs. Null is an empty list, as Go writes it. */
export type Manifest = {
  mediaType?: string;
  manifests?: Descriptor[] | null;
  config?: Descriptor;
  layers?: Descriptor[] | null;
};

export const indexTypes = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
];

export const manifestTypes = [
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
];

/** The form of a tag (OCI distribution 1.1, "Pulling manifests"). */
export const tagForm = /^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$/;

/** In bytes: the largest manifest that the registry accepts. */
export const maxManifestBytes = 4 * 1024 * 1024;

/** The annotation with the name of an image in an OCI layout. */
export const refName = "org.opencontainers.image.ref.name";

/** The algorithm and the hexadecimal part of a digest, or undefined if the text is not a digest. */
export function splitDigest(
  digest: unknown,
): { algorithm: "sha256" | "sha512"; hex: string } | undefined {
  const match = /^(?:(sha256):([0-9a-f]{64})|(sha512):([0-9a-f]{128}))$/.exec(String(digest));
  if (!match) return undefined;
  const [, sha256, short = "", , long = ""] = match;
  return sha256 ? { algorithm: "sha256", hex: short } : { algorithm: "sha512", hex: long };
}

/** The path of a blob in an OCI layout. Throws a USAGE Failure if the text is not a digest. */
export function blobPath(digest: unknown): string {
  const parts = splitDigest(digest);
  if (!parts) throw usageFailure(`${JSON.stringify(digest)} is not a sha256 or sha512 digest.`);
  return `blobs/${parts.algorithm}/${parts.hex}`;
}

/**
 * Returns the descriptors of a list that a registry or a file has. Null is an empty list. Throws a USAGE Failure if one has
 * no digest: its text would become a part of a path.
 */
export function descriptorsOf(list: unknown, what: string): Descriptor[] {
  const all: unknown = list ?? [];
  const isDescriptor = (one: unknown) =>
    typeof one === "object" && one !== null && "digest" in one && splitDigest(one.digest);
  if (Array.isArray(all) && all.every(isDescriptor)) return all as Descriptor[];
  throw usageFailure(`${what} names something without a sha256 or sha512 digest.`);
}

/** Whether a client gets the blob from another address, so that a registry need not have it. */
export const isForeign = ({ mediaType, urls }: Descriptor) =>
  /\.(?:nondistributable|foreign)\./.test(mediaType) && (urls?.length ?? 0) > 0;

/** The blobs of a manifest, each digest once. */
export function blobsOf({ config, layers }: Manifest): Descriptor[] {
  const all = [...(config ? [config] : []), ...(layers ?? [])].filter((blob) => !isForeign(blob));
  return [...new Map(all.map((blob) => [blob.digest, blob])).values()];
}

/** Parses the `--platform` option: `os/architecture[/variant]`. Throws a USAGE Failure. */
export function parsePlatform(text: string): Platform {
  const [os, architecture, variant, ...rest] = text.split("/");
  if (!os || !architecture || variant === "" || rest.length > 0) {
    throw usageFailure(`${text} is not a platform. Write OS/ARCHITECTURE, such as linux/amd64.`);
  }
  return { os, architecture, ...(variant ? { variant } : {}) };
}

export const platformText = ({ os, architecture, variant }: Platform) =>
  [os, architecture, variant].filter(Boolean).join("/");

/**
 * Returns the manifest of an index for a platform. The first one wins, and one without a variant is as good as any.
 * Throws a USAGE Failure that lists the platforms if there is none.
 */
export function manifestFor(manifests: Descriptor[], platform: Platform, name: string): Descriptor {
  const descriptor = manifests.find(
    ({ platform: candidate }) =>
      candidate?.os === platform.os &&
      candidate.architecture === platform.architecture &&
      (platform.variant === undefined || candidate.variant === platform.variant),
  );
  if (descriptor) return descriptor;
  const texts = platformsOf(manifests);
  const rest = texts.length > 0 ? `It has ${texts.join(", ")}.` : "Its index names no platforms.";
  throw usageFailure(`${name} has no manifest for ${platformText(platform)}. ${rest}`);
}

/** The platforms of an index, without those of attestations, which are `unknown/unknown`. */
export const platformsOf = (manifests: Descriptor[]): string[] => [
  ...new Set(
    manifests.flatMap(({ platform }) =>
      platform && platform.os !== "unknown" ? [platformText(platform)] : [],
    ),
  ),
];
