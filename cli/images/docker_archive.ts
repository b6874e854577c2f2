/** Archives of `docker save` before Docker 25: `manifest.json` with a config, and layers without compression. */
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { usageFailure } from "../failure.ts";
import { maxManifestBytes } from "./descriptor.ts";
import { type ImageFiles, isGzipMagic, readJsonFile, readSmallFile } from "./image_files.ts";
import type { LocalBlob, LocalImage } from "./local_image.ts";

type SavedImage = { Config: string; RepoTags?: string[] | null; Layers: string[] };

const manifestType = "application/vnd.docker.distribution.manifest.v2+json";
const configType = "application/vnd.docker.container.image.v1+json";
const layerType = "application/vnd.docker.image.rootfs.diff.tar.gzip";

/** Reads an image. `name` is one of its tags, if the archive has several images. Layers are compressed with gzip. */
export async function readDockerImage(
  files: ImageFiles,
  name: string | undefined,
): Promise<LocalImage> {
  const saved = await readJsonFile<SavedImage[]>(files, "manifest.json", maxManifestBytes);
  const image = chosenImage(files.name, Array.isArray(saved) ? saved : [], name);
  const config = await readSmallFile(files, image.Config, maxManifestBytes);
  const blobs: LocalBlob[] = [];
  for (const layer of image.Layers) blobs.push(await compressedLayer(files, layer));
  const configBlob = {
    digest: digestOf(config),
    size: config.length,
    read: (start: number, end: number) => Readable.from([config.subarray(start, end)]),
  };
  const described = (mediaType: string, { digest, size }: LocalBlob) => ({
    mediaType,
    size,
    digest,
  });
  const manifest = {
    schemaVersion: 2,
    mediaType: manifestType,
    config: described(configType, configBlob),
    layers: blobs.map((blob) => described(layerType, blob)),
  };
  const bytes = Buffer.from(JSON.stringify(manifest));
  const unique = new Map([configBlob, ...blobs].map((blob) => [blob.digest, blob]));
  return {
    manifests: [{ digest: digestOf(bytes), mediaType: manifestType, bytes }],
    blobs: [...unique.values()],
  };
}

const digestOf = (bytes: Uint8Array) =>
  `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

function chosenImage(source: string, saved: SavedImage[], name: string | undefined): SavedImage {
  const [first, ...others] = saved;
  if (!first) throw usageFailure(`${source} contains no image.`);
  if (name === undefined && others.length === 0) return first;
  const image = saved.find(({ RepoTags }) => name !== undefined && RepoTags?.includes(name));
  if (image) return image;
  const names = saved.flatMap(({ RepoTags }) => RepoTags ?? []).join("\n  ");
  const reason =
    name === undefined
      ? `${source} contains ${saved.length} images. Choose one with --image:`
      : `${source} contains no image ${name}. Its images are:`;
  throw usageFailure(`${reason}\n  ${names}`);
}

/**
 * Returns a layer in gzip. Node compresses the same bytes in the same way each time, so the registry already has the
 * layer when the same archive is pushed again.
 */
async function compressedLayer(files: ImageFiles, path: string): Promise<LocalBlob> {
  const size = await files.sizeOf(path);
  if (size === undefined) throw usageFailure(`${files.name} lacks the layer ${path}.`);
  if (await beginsLikeGzip(files, path, size)) {
    const digest = await digestOfStream(files.read(path, 0, size));
    return { digest, size, read: (start, end) => files.read(path, start, end) };
  }
  const file = join(await files.temporaryFolder(), `${path.replace(/[^\w]/g, "_")}.gz`);
  const hash = createHash("sha256");
  let compressed = 0;
  await pipeline(
    files.read(path, 0, size),
    createGzip(),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        compressed += chunk.length;
        yield chunk;
      }
    },
    createWriteStream(file, { mode: 0o600 }),
  );
  return {
    digest: `sha256:${hash.digest("hex")}`,
    size: compressed,
    read: (start, end) => createReadStream(file, { start, end: end - 1 }),
  };
}

async function beginsLikeGzip(files: ImageFiles, path: string, size: number): Promise<boolean> {
  for await (const chunk of files.read(path, 0, Math.min(size, 2))) return isGzipMagic(chunk);
  return false;
}

async function digestOfStream(stream: Readable): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of stream) hash.update(chunk);
  return `sha256:${hash.digest("hex")}`;
}
