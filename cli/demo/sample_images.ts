/** The sample images: the OCI layout `image/`, and an image for each recent move of a tag, which is made from it. */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  blobPath,
  type Descriptor,
  type Manifest,
  type Platform,
  refName,
} from "../images/descriptor.ts";

/** An image: its blobs, and its manifests in the order in which each stands after what it names. */
export type SampleImage = { blobs: Buffer[]; manifests: SampleManifest[] };
export type SampleManifest = { mediaType: string; bytes: Buffer; tag?: string | undefined };

/** A line of `tag-moves.jsonl`. */
export type SampleMove = { updateTimestamp: string; repo: string; tag: string; digest: string };

/** The moves of a tag that still have an image. Images of older moves are gone, as after a clean-up. */
const keptOf = (tag: string) => (tag === scanned ? 2 : 1);

/** The tag whose images have an SBOM. */
const scanned = "python:latest";

/** The packages in it, of which some have an advisory in `osv.jsonl`. */
const packages = { pip: "23.2.1", setuptools: "68.2.2", urllib3: "2.0.5", wheel: "0.41.2" };

const oci = "application/vnd.oci";
const cycloneDx = "application/vnd.cyclonedx+json";
const layout = join(import.meta.dirname, "image");
const fileOf = (digest: unknown) => readFile(join(layout, blobPath(digest)));
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));
export const digestOf = (bytes: Buffer) =>
  `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

/** Reads the OCI layout. */
export async function readSampleLayout(): Promise<SampleImage> {
  const index: Manifest = JSON.parse(await readFile(join(layout, "index.json"), "utf8"));
  const listed = index.manifests ?? [];
  const digests = (await readdir(join(layout, "blobs/sha256"))).map((hash) => `sha256:${hash}`);
  const blobs = digests.filter((digest) => !listed.some((manifest) => manifest.digest === digest));
  const manifests = listed.map(async ({ digest, mediaType, annotations }) => ({
    ...{ mediaType, bytes: await fileOf(digest) },
    tag: annotations?.[refName],
  }));
  return {
    blobs: await Promise.all(blobs.map(fileOf)),
    manifests: await Promise.all(manifests),
  };
}

/**
 * Returns the images of the latest move of each tag, and of one more of the scanned tag, by the digest that the moves
 * have. Each is for two platforms, with the layers of the layout. Two moves with one digest share an image.
 */
export async function imagesOfMoves(moves: SampleMove[]): Promise<Map<string, SampleImage>> {
  const { manifests } = await readSampleLayout();
  const bases = manifests.map(({ bytes }) => JSON.parse(bytes.toString()));
  const parts = bases.find(({ mediaType }) => mediaType === `${oci}.image.index.v1+json`).manifests;
  const tags = Map.groupBy(moves, ({ repo, tag }) => `${repo}:${tag}`);
  const recent = [...tags].flatMap(([tag, some]) => some.slice(-keptOf(tag)));
  const firsts = new Map(moves.toReversed().map((move) => [`${move.repo} ${move.digest}`, move]));
  const images = new Map<string, SampleImage>();
  for (const { repo, tag, digest } of recent) {
    const { updateTimestamp = "" } = firsts.get(`${repo} ${digest}`) ?? {};
    if (!images.has(digest))
      images.set(digest, await imageOf({ repo, tag, created: updateTimestamp }, parts));
  }
  return images;
}

/** The digest of an image: that of its last manifest. */
export const digestOfImage = ({ manifests }: SampleImage): string =>
  digestOf(manifests.at(-1)?.bytes ?? Buffer.alloc(0));

type Build = { repo: string; tag: string; created: string };

async function imageOf(build: Build, parts: Descriptor[]): Promise<SampleImage> {
  const built = await Promise.all(parts.map((part) => platformImage(build, part)));
  const index = {
    schemaVersion: 2,
    mediaType: `${oci}.image.index.v1+json`,
    manifests: built.map(({ descriptor }) => descriptor),
  };
  const last = { mediaType: index.mediaType, bytes: bytesOf(index) };
  return {
    blobs: built.flatMap(({ blobs }) => blobs),
    manifests: [...built.flatMap(({ manifests }) => manifests), last],
  };
}

/** The image of one platform, with the layers of that platform in the layout. */
async function platformImage({ repo, tag, created }: Build, { digest, platform }: Descriptor) {
  const base: Manifest = JSON.parse((await fileOf(digest)).toString());
  const { rootfs } = JSON.parse((await fileOf(base.config?.digest)).toString());
  const layers = base.layers ?? [];
  const { os, architecture } = platform as Platform;
  const labels = { "org.opencontainers.image.title": repo };
  const config = bytesOf({ created, architecture, os, config: { Labels: labels }, rootfs });
  const bytes = manifestOf(`${oci}.image.config.v1+json`, config, { layers });
  const descriptor = { ...descriptorOf(`${oci}.image.manifest.v1+json`, bytes), platform };
  const { mediaType, digest: own, size } = descriptor;
  const referrers =
    `${repo}:${tag}` === scanned ? [sbomOf(repo, created, { mediaType, digest: own, size })] : [];
  return {
    descriptor,
    blobs: [
      ...(await Promise.all(layers.map((layer) => fileOf(layer.digest)))),
      ...[config, ...referrers.flatMap(({ blobs }) => blobs)],
    ],
    manifests: [
      { mediaType, bytes },
      ...referrers.map(({ bytes: sbom }) => ({ mediaType, bytes: sbom })),
    ],
  };
}

/** An SBOM as a referrer of an image. */
function sbomOf(repo: string, timestamp: string, subject: object) {
  const components = Object.entries(packages).map(([name, version]) => ({
    ...{ type: "library", name, version },
    purl: `pkg:pypi/${name}@${version}`,
  }));
  const sbom = bytesOf({
    ...{ bomFormat: "CycloneDX", specVersion: "1.6", version: 1 },
    metadata: { timestamp, component: { type: "container", name: repo } },
    components,
  });
  const empty = Buffer.from("{}");
  const layers = [descriptorOf(cycloneDx, sbom)];
  const more = { artifactType: cycloneDx, layers, subject };
  return { blobs: [empty, sbom], bytes: manifestOf(`${oci}.empty.v1+json`, empty, more) };
}

export const descriptorOf = (mediaType: string, bytes: Buffer) => ({
  ...{ mediaType, digest: digestOf(bytes), size: bytes.length },
});

const manifestOf = (configType: string, config: Buffer, more: object) =>
  bytesOf({
    ...{ schemaVersion: 2, mediaType: `${oci}.image.manifest.v1+json` },
    config: descriptorOf(configType, config),
    ...more,
  });
