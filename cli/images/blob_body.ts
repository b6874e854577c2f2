/** Bodies of requests, with their sizes. */
import { Readable, Transform } from "node:stream";
import type { LocalBlob } from "./local_image.ts";

/** Returns the bytes from `start` up to `end`, without `end`. `count` is called with the number of bytes that are sent. */
export function bodyOf(
  blob: Pick<LocalBlob, "read">,
  start: number,
  end: number,
  count: (bytes: number) => void,
) {
  const open = () => {
    const counter = new Transform({
      transform(chunk: Buffer, _, done) {
        count(chunk.length);
        done(null, chunk);
      },
    });
    return blob
      .read(start, end)
      .on("error", (error) => counter.destroy(error))
      .pipe(counter);
  };
  return { size: end - start, open };
}

/** Returns bytes in memory as a body. */
export const bytesBody = (bytes: Uint8Array) => ({
  size: bytes.length,
  open: () => Readable.from([bytes]),
});
