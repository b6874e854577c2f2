/** Reads files that options name. `-` is standard input. */
import { readFileSync, readSync } from "node:fs";
import { here } from "../surroundings.ts";

/** How long to wait for more data from a pipe, in milliseconds. */
const retryDelayMs = 10;

/** Returns the content of a file, or of standard input for `-`. Throws the error of the system. */
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

/** Node makes the descriptor non-blocking, so a read from a slow pipe has to be repeated. */
function readSome(chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(here().stdin.fd, chunk);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryDelayMs);
    }
  }
}
