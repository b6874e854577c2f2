/** Writes an image as a tar archive with an OCI layout, which `docker load` also reads. */
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { blobPath } from "./descriptor.ts";
import { downloadBlob, newHash, requireDigest } from "./download.ts";
import { dockerManifest, layoutFile, withImage } from "./layout.ts";
import type { PullTarget } from "./layout_folder.ts";
import type { RemoteImage } from "./remote_image.ts";
import { tarEnd, tarHeader, tarPadding } from "./tar.ts";
import { showTransfer } from "./transfer.ts";

/** Writes an image into a file. The file appears only when it is complete. */
export async function writeArchiveFile(image: RemoteImage, target: PullTarget): Promise<void> {
  const partial = `${target.path}.partial`;
  const out = createWriteStream(partial);
  try {
    await writeArchive(image, target, out);
    out.end();
    await finished(out);
    await rename(partial, target.path);
  } catch (thrown) {
    out.destroy();
    await rm(partial, { force: true });
    throw thrown;
  }
}

/** Writes an image to a stream, and does not end the stream. Blobs flow through, so memory holds only small pieces. */
export async function writeArchive(
  image: RemoteImage,
  { session, name, tag }: PullTarget,
  out: Writable,
): Promise<void> {
  const failed = new Promise<never>((_, reject) => out.once("error", reject));
  failed.catch(() => {});
  const write = (bytes: Uint8Array) =>
    Promise.race([
      failed,
      new Promise<void>((done) => {
        if (out.write(bytes)) done();
        else out.once("drain", done);
      }),
    ]);
  const writeFile = async (path: string, content: Uint8Array) => {
    await write(tarHeader(path, content.length));
    await write(content);
    await write(tarPadding(content.length));
  };
  const reference = `${session.host}/${name}${tag === undefined ? "@" : `:${tag}`}`;
  const docker = dockerManifest(image, reference);
  await writeFile("oci-layout", Buffer.from(layoutFile));
  await writeFile("index.json", Buffer.from(JSON.stringify(withImage(undefined, image, tag))));
  if (docker) await writeFile("manifest.json", Buffer.from(JSON.stringify(docker)));
  for (const { descriptor, bytes } of image.manifests) {
    await writeFile(blobPath(descriptor.digest), bytes);
  }
  const progress = showTransfer(image.blobs.reduce((sum, { size }) => sum + size, 0));
  try {
    for (const blob of image.blobs) {
      const hash = newHash(blob);
      await write(tarHeader(blobPath(blob.digest), blob.size));
      await downloadBlob({ session, name, blob, start: 0 }, async (bytes) => {
        hash.update(bytes);
        await write(bytes);
        progress.add(bytes.length);
      });
      requireDigest(blob, hash);
      await write(tarPadding(blob.size));
    }
  } finally {
    progress.end();
  }
  await write(tarEnd());
}
