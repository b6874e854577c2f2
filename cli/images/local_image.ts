/** An image on this machine, ready to push. */
import type { Readable } from "node:stream";

/** A blob that can be read from any byte. */
export type LocalBlob = {
  digest: string;
  size: number;
  /** Returns the bytes from `start` up to and without `end`. */
  read(start: number, end: number): Readable;
};

/** The bytes of a manifest or an index. */
export type LocalManifest = { digest: string; mediaType: string; bytes: Buffer };

/** An image: manifests before the indexes that name them, so the last one is the image. */
export type LocalImage = { manifests: LocalManifest[]; blobs: LocalBlob[] };
