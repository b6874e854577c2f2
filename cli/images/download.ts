/** Reads the bytes of a blob, and asks for the rest after a cut (OCI distribution, "Pulling blobs"). */
import { createHash, type Hash } from "node:crypto";
import { Readable } from "node:stream";
import { refusedFailure } from "../failure.ts";
import { withAttempts } from "./attempts.ts";
import { type Descriptor, splitDigest } from "./descriptor.ts";
import { wrongDigest } from "./remote_image.ts";
import { requireStatus, type Session } from "./session.ts";

/** Returns the hash that the digest of a blob needs. */
export const newHash = ({ digest }: Descriptor): Hash =>
  createHash(splitDigest(digest)?.algorithm ?? "sha256");

/** Throws a DATA_LOSS Failure if the hashed bytes are not those of the blob. */
export function requireDigest({ digest }: Descriptor, hash: Hash): void {
  const actual = `${splitDigest(digest)?.algorithm}:${hash.digest("hex")}`;
  if (actual !== digest) throw wrongDigest(digest, actual);
}

/** A blob of a repository, and the byte to begin with. */
export type BlobRequest = {
  session: Session;
  name: string;
  blob: Descriptor;
  start: number;
  signal?: AbortSignal | undefined;
};

/**
 * Passes the bytes of a blob to `write`, in order and each of them once. After a cut it continues where it stopped.
 * `write` returns when it can take more. Throws the error of the last attempt.
 */
export async function downloadBlob(
  { session, name, blob, start, signal }: BlobRequest,
  write: (bytes: Buffer) => Promise<void>,
): Promise<void> {
  let offset = start;
  await withAttempts(async (advance) => {
    if (offset === blob.size) return;
    const response = await session.send(name, {
      method: "GET",
      path: `/v2/${name}/blobs/${blob.digest}`,
      headers: offset > 0 ? { range: `bytes=${offset}-` } : {},
      signal,
    });
    await requireStatus(response, 200, 206);
    // A server or a proxy that ignores Range sends the first bytes again.
    let skipped = response.status === 200 ? offset : 0;
    for await (const chunk of Readable.fromWeb(response.body as never)) {
      const bytes = (chunk as Buffer).subarray(Math.min(skipped, chunk.length));
      skipped -= chunk.length - bytes.length;
      if (offset + bytes.length > blob.size) {
        throw refusedFailure(
          "DATA_LOSS",
          `The registry returned too many bytes for ${blob.digest}.`,
        );
      }
      await write(bytes);
      offset += bytes.length;
      if (bytes.length > 0) advance();
    }
    if (offset < blob.size) throw new TypeError("fetch failed", { cause: new Error("cut off") });
  }, signal);
}
