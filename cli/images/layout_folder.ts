/** Writes an image into a folder with an OCI layout. */
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { usageFailure } from "../failure.ts";
import { blobPath, type Descriptor } from "./descriptor.ts";
import { downloadBlob, newHash, requireDigest } from "./download.ts";
import { type LayoutIndex, layoutFile, withImage } from "./layout.ts";
import type { RemoteImage } from "./remote_image.ts";
import type { Session } from "./session.ts";
import { showTransfer, type TransferProgress, transferAll } from "./transfer.ts";

/** Where an image comes from, and where it goes. */
export type PullTarget = { session: Session; name: string; tag: string | undefined; path: string };

/**
 * Writes an image. Blobs that the folder already has are not read again, and a blob that was cut off continues. The
 * index comes last, so the folder never names an image that is not complete.
 */
export async function writeFolder(image: RemoteImage, target: PullTarget): Promise<void> {
  const { path, tag } = target;
  const before = await readIndex(path);
  await mkdir(path, { recursive: true });
  await replaceFile(join(path, "oci-layout"), layoutFile);
  const progress = showTransfer(image.blobs.reduce((sum, { size }) => sum + size, 0));
  try {
    await transferAll(image.blobs, (blob, signal) => pullBlob(target, blob, { signal, progress }));
  } finally {
    progress.end();
  }
  for (const { descriptor, bytes } of image.manifests) {
    await replaceFile(join(path, blobPath(descriptor.digest)), bytes);
  }
  await replaceFile(join(path, "index.json"), JSON.stringify(withImage(before, image, tag)));
}

/** Returns the index of a layout, or undefined for a new folder. Throws a USAGE Failure for any other folder. */
async function readIndex(path: string): Promise<LayoutIndex | undefined> {
  const entry = await stat(path).catch(() => undefined);
  if (!entry) return undefined;
  if (!entry.isDirectory()) {
    throw usageFailure(`${path} is not a folder. The name of an archive must end in .tar.`);
  }
  const names = await readdir(path);
  if (names.length === 0) return undefined;
  if (!names.includes("oci-layout")) {
    throw usageFailure(`The folder ${path} has other files and is not an OCI layout.`);
  }
  if (!names.includes("index.json")) return undefined;
  try {
    const index: LayoutIndex = JSON.parse(await readFile(join(path, "index.json"), "utf8"));
    if (Array.isArray(index.manifests)) return index;
  } catch {
    // The failure below says so.
  }
  throw usageFailure(`${join(path, "index.json")} is not the index of an OCI layout.`);
}

type Transfer = { signal: AbortSignal; progress: TransferProgress };

async function pullBlob(
  { session, name, path }: PullTarget,
  blob: Descriptor,
  { signal, progress }: Transfer,
): Promise<void> {
  const file = join(path, blobPath(blob.digest));
  if (await isComplete(file, blob)) return progress.add(blob.size);
  const partial = `${file}.partial`;
  await mkdir(dirname(file), { recursive: true });
  const hash = newHash(blob);
  const start = await hashPartial(partial, blob, hash);
  progress.add(start);
  const handle = await open(partial, start > 0 ? "a" : "w");
  try {
    await downloadBlob({ session, name, blob, start, signal }, async (bytes) => {
      hash.update(bytes);
      await handle.write(bytes);
      progress.add(bytes.length);
    });
  } finally {
    await handle.close();
  }
  try {
    requireDigest(blob, hash);
  } catch (thrown) {
    await rm(partial);
    throw thrown;
  }
  await rename(partial, file);
}

async function isComplete(file: string, blob: Descriptor): Promise<boolean> {
  const entry = await stat(file).catch(() => undefined);
  if (entry?.size !== blob.size) return false;
  const hash = newHash(blob);
  await pipeline(createReadStream(file), hash);
  try {
    requireDigest(blob, hash);
    return true;
  } catch {
    return false;
  }
}

/** Hashes the bytes that an earlier run has written, and returns their number. */
async function hashPartial(
  file: string,
  { size }: Descriptor,
  hash: ReturnType<typeof newHash>,
): Promise<number> {
  const entry = await stat(file).catch(() => undefined);
  if (!entry || entry.size > size) return 0;
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return entry.size;
}

async function replaceFile(file: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(`${file}.new`, content);
  await rename(`${file}.new`, file);
}
