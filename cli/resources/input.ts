/** Files that options name, `-` for standard input. */
import { readFileSync, readSync } from "node:fs";

/** How long to wait for more of a pipe, in milliseconds. */
const retryDelayMs = 10;

/** What a file holds, or standard input to its end where it is `-`. Throws what the system says. */
export function readInput(file: string): Buffer {
  if (file !== "-") return readFileSync(file);
  const chunks: Buffer[] = [];
  for (;;) {
    const chunk = Buffer.alloc(64 * 1024);
    const length = readSome(chunk);
    if (length === 0) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, length));
  }
}

/** Node has made the descriptor non-blocking, so a pipe whose writer is slow has to be asked again. */
function readSome(chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(0, chunk);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryDelayMs);
    }
  }
}
