/** The bytes of a blob as the body of a request. */
import { Transform } from "node:stream";
import type { LocalBlob } from "./local_image.ts";

/** Returns the bytes from `start` up to `end`, without `end`. `count` is called with the number of bytes that are sent. */
export function bodyOf(
  blob: LocalBlob,
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
