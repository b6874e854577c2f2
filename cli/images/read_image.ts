/** Reads an image from an OCI layout, or from the older form of `docker save`. */
import { usageFailure } from "../failure.ts";
import {
  blobPath,
  blobsOf,
  type Descriptor,
  indexTypes,
  type Manifest,
  manifestFor,
  maxManifestBytes,
  type Platform,
  platformText,
  refName,
} from "./descriptor.ts";
import { readDockerImage } from "./docker_archive.ts";
import { type ImageFiles, readJsonFile, readSmallFile } from "./image_files.ts";
import type { LocalBlob, LocalImage, LocalManifest } from "./local_image.ts";

/** Chooses an image if the source has several, and one of its platforms. */
export type ImageChoice = { image?: string | undefined; platform?: Platform | undefined };

/** Reads the image in these files. Throws USAGE Failures. */
export async function readLocalImage(files: ImageFiles, choice: ImageChoice): Promise<LocalImage> {
  if ((await files.sizeOf("index.json")) !== undefined) {
    const { manifests } = await readJsonFile<Manifest>(files, "index.json", maxManifestBytes);
    const root = chosenImage(files.name, manifests ?? [], choice);
    return readLayoutImage(files, root, choice);
  }
  if ((await files.sizeOf("manifest.json")) !== undefined) {
    return readDockerImage(files, choice.image);
  }
  throw usageFailure(
    `${files.name} is not an image: it has neither index.json (OCI layout) nor manifest.json (docker save).`,
  );
}

/** The names that `--image` can choose a manifest by. */
const namesOf = ({ digest, annotations = {} }: Descriptor): string[] =>
  [annotations["io.containerd.image.name"], annotations[refName], digest].filter(
    (name) => name !== undefined,
  );

function chosenImage(source: string, manifests: Descriptor[], { image }: ImageChoice): Descriptor {
  const chosen = manifests.filter(
    (manifest) => image === undefined || namesOf(manifest).includes(image),
  );
  const [first] = chosen;
  if (first && new Set(chosen.map(({ digest }) => digest)).size === 1) return first;
  if (manifests.length === 0) throw usageFailure(`${source} contains no image.`);
  const list = [...new Set(manifests.map((manifest) => namesOf(manifest)[0] ?? ""))].join("\n  ");
  const reason =
    image === undefined
      ? `${source} contains ${manifests.length} images. Choose one with --image:`
      : `${source} contains no single image ${image}. Its images are:`;
  throw usageFailure(`${reason}\n  ${list}`);
}

async function readLayoutImage(
  files: ImageFiles,
  root: Descriptor,
  { platform }: ImageChoice,
): Promise<LocalImage> {
  const manifests = new Map<string, LocalManifest>();
  const blobs = new Map<string, LocalBlob>();
  const visit = async (descriptor: Descriptor, wanted: Platform | undefined): Promise<void> => {
    const { digest } = descriptor;
    if (manifests.has(digest)) return;
    const manifest = await readManifest(files, descriptor);
    const children = manifest.content.manifests ?? [];
    if (wanted && indexTypes.includes(manifest.mediaType)) {
      return visit(manifestFor(children, wanted, files.name), undefined);
    }
    for (const child of children) await visit(child, undefined);
    for (const blob of blobsOf(manifest.content)) {
      if (!blobs.has(blob.digest)) blobs.set(blob.digest, await localBlob(files, blob));
    }
    manifests.set(digest, { digest, mediaType: manifest.mediaType, bytes: manifest.bytes });
  };
  await visit(root, platform);
  return { manifests: [...manifests.values()], blobs: [...blobs.values()] };
}

async function readManifest(files: ImageFiles, { digest, mediaType, platform }: Descriptor) {
  const path = blobPath(digest);
  if ((await files.sizeOf(path)) === undefined) {
    const which = platform ? ` of ${platformText(platform)}` : "";
    throw usageFailure(
      `${files.name} lacks the manifest ${digest}${which}. To push one platform of the image, add --platform, such as --platform linux/amd64.`,
    );
  }
  const bytes = await readSmallFile(files, path, maxManifestBytes);
  const content = await readJsonFile<Manifest>(files, path, maxManifestBytes);
  return { bytes, content, mediaType: mediaType || content.mediaType || "" };
}

async function localBlob(files: ImageFiles, { digest, size }: Descriptor): Promise<LocalBlob> {
  const path = blobPath(digest);
  const length = await files.sizeOf(path);
  if (length === undefined) throw usageFailure(`${files.name} lacks the blob ${digest}.`);
  if (length !== size) {
    throw usageFailure(
      `The blob ${digest} in ${files.name} has ${length} bytes, and its manifest says ${size}.`,
    );
  }
  return { digest, size, read: (start, end) => files.read(path, start, end) };
}
