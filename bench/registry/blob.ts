/** Blobs of any size for transfers. Only one piece of them is in memory. */
import { createHash, randomBytes } from "node:crypto";

const pieceSize = 8 * 1024 * 1024;
/** The bytes that are written to a socket at once. */
const writeSize = 1024 * 1024;

/** A blob whose bytes are computed while they are sent. */
export interface BenchBlob {
  size: number;
  /** `sha256:` and hexadecimal digits. */
  digest: string;
  pieces(): Generator<Uint8Array>;
}

/** Returns a blob of random bytes that repeat every 8 MiB. No two blobs have the same bytes. */
export function newBlob(size: number): BenchBlob {
  const piece = randomBytes(Math.min(size, pieceSize));
  function* pieces() {
    for (let written = 0; written < size; ) {
      const from = written % piece.length;
      const chunk = piece.subarray(from, Math.min(from + writeSize, from + size - written));
      yield chunk;
      written += chunk.length;
    }
  }
  const hash = createHash("sha256");
  for (const chunk of pieces()) hash.update(chunk);
  return { size, digest: `sha256:${hash.digest("hex")}`, pieces };
}
