/** Images on the disk of a test. */
import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  configType,
  descriptorOf,
  digestOf,
  indexType,
  manifestType,
  someBytes,
} from "../../distribution/client.ts";
import { newFolder } from "../command.ts";

const layerType = "application/vnd.oci.image.layer.v1.tar+gzip";

export const blobFile = (digest: string) => `blobs/${digest.replace(":", "/")}`;

/** Writes files into a new folder, by their paths. */
export async function writeFiles(files: Record<string, string | Uint8Array>): Promise<string> {
  const folder = await newFolder();
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

/** The files of an image for one platform, without an index. `digest` is that of the manifest. */
export function imageFiles(layers: Uint8Array[], architecture = "amd64") {
  const config = JSON.stringify({
    architecture,
    os: "linux",
    rootfs: { type: "layers", diff_ids: layers.map((layer) => digestOf(layer)) },
  });
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: manifestType,
    config: descriptorOf(config, configType),
    layers: layers.map((layer) => descriptorOf(layer, layerType)),
  });
  const contents = [config, manifest, ...layers];
  const files = Object.fromEntries(contents.map((one) => [blobFile(digestOf(one)), one]));
  return {
    files,
    digest: digestOf(manifest),
    descriptor: {
      ...descriptorOf(manifest, manifestType),
      platform: { os: "linux", architecture },
    },
  };
}

const layoutWith = (manifests: object[], files: Record<string, string | Uint8Array>) =>
  writeFiles({
    ...files,
    "oci-layout": '{"imageLayoutVersion":"1.0.0"}',
    "index.json": JSON.stringify({ schemaVersion: 2, manifests }),
  });

/** A layout with an image for one platform. */
export async function newLayout(layers: Uint8Array[] = [someBytes(1000), someBytes(2000)]) {
  const { files, digest, descriptor } = imageFiles(layers);
  return { folder: await layoutWith([descriptor], files), digest, layers };
}

/** A layout with an index of two images. `lost` is the architecture whose files are missing. */
export async function newIndexLayout(lost?: string) {
  const images = ["amd64", "arm64"].map((one) => imageFiles([someBytes(500)], one));
  const index = JSON.stringify({
    schemaVersion: 2,
    mediaType: indexType,
    manifests: images.map(({ descriptor }) => descriptor),
  });
  const kept = images.filter(({ descriptor }) => descriptor.platform.architecture !== lost);
  const files = Object.assign(
    { [blobFile(digestOf(index))]: index },
    ...kept.map((one) => one.files),
  );
  const folder = await layoutWith([descriptorOf(index, indexType)], files);
  const [amd64 = "", arm64 = ""] = images.map(({ digest }) => digest);
  return { folder, digest: digestOf(index), amd64, arm64 };
}

/** A layout with two images that have names. */
export async function newNamedLayout() {
  const [one, two] = [imageFiles([someBytes(10)]), imageFiles([someBytes(20)])];
  const named = ({ descriptor }: typeof one, name: string) => ({
    ...descriptor,
    annotations: { "org.opencontainers.image.ref.name": name },
  });
  const manifests = [named(one, "one"), named(two, "two")];
  const folder = await layoutWith(manifests, { ...one.files, ...two.files });
  return { folder, one: one.digest, two: two.digest };
}

/** Packs a folder with the tar of the system. */
export function packed(folder: string, ...options: string[]): Buffer {
  return execFileSync("tar", ["-C", folder, ...options, "-c", "."], { maxBuffer: 1 << 30 });
}

/** The files below a folder, by their paths. */
export async function filesOf(folder: string): Promise<Record<string, Buffer>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = found.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  const read = paths.map(async (path) => [path.slice(folder.length + 1), await readFile(path)]);
  return Object.fromEntries(await Promise.all(read));
}
