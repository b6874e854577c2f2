/** Pushes an image: its blobs, then its manifests, and the tag last. */
import { usageFailure } from "../failure.ts";
import { withAttempts } from "./attempts.ts";
import { bytesBody } from "./blob_body.ts";
import { splitDigest, tagForm } from "./descriptor.ts";
import type { LocalImage, LocalManifest } from "./local_image.ts";
import { requireStatus, type Session } from "./session.ts";
import { showTransfer, transferAll } from "./transfer.ts";
import { type UploadResult, uploadBlob } from "./upload.ts";
import { openUploadRecords } from "./upload_records.ts";

/** Where an image goes. `name` is the repository, such as `acme.example/app`. */
export type PushTarget = {
  name: string;
  tag: string;
  mountFrom: string | undefined;
  /** In bytes. */
  chunkSize: number;
};

/** The digest that the tag points to now, and what happened to the blobs. */
export type PushResult = {
  digest: string;
  blobs: Record<UploadResult, number>;
  /** The bytes of the blobs that were uploaded. */
  bytes: number;
};

/** Pushes an image. Throws the error of the request that failed. The blobs that were uploaded stay there for the next run. */
export async function pushImage(
  session: Session,
  image: LocalImage,
  { name, tag, mountFrom, chunkSize }: PushTarget,
): Promise<PushResult> {
  const records = await openUploadRecords();
  const progress = showTransfer(image.blobs.reduce((sum, { size }) => sum + size, 0));
  const onBytes = progress.add;
  const blobs = { exists: 0, mounted: 0, uploaded: 0 };
  let bytes = 0;
  try {
    await transferAll(image.blobs, async (blob, signal) => {
      const setting = { session, name, chunkSize, mountFrom, records, signal, onBytes };
      const result = await uploadBlob(setting, blob);
      blobs[result]++;
      if (result === "uploaded") bytes += blob.size;
    });
    for (const manifest of image.manifests.slice(0, -1)) {
      await putManifest(session, name, manifest, manifest.digest);
    }
    // A manifest stands after everything that it names, so the last one is the image.
    const root = image.manifests.at(-1) as LocalManifest;
    await putManifest(session, name, root, tag);
    return { digest: root.digest, blobs, bytes };
  } finally {
    progress.end();
  }
}

async function putManifest(
  session: Session,
  name: string,
  { bytes, mediaType }: LocalManifest,
  reference: string,
): Promise<void> {
  // Any other text could lead to another path.
  if (!splitDigest(reference) && !tagForm.test(reference))
    throw usageFailure(`${JSON.stringify(reference)} is neither a tag nor a digest.`);
  await withAttempts(async () => {
    const response = await session.send(name, {
      method: "PUT",
      path: `/v2/${name}/manifests/${reference}`,
      headers: { "content-type": mediaType },
      body: bytesBody(bytes),
    });
    await requireStatus(response, 201);
    await response.body?.cancel();
  });
}
