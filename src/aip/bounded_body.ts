/** Reads the bodies of requests and responses, whose size the sender chooses, within a limit. */
import { clientLeft } from "./errors.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Returns the bytes of a body. Throws `refusal()` if the body has more than `limit` bytes, or if its
 * content-length is greater than `limit`.
 */
export async function readBytesLimited(
  { body, headers }: { body: Request["body"] | AsyncIterable<Bytes>; headers: Headers },
  limit: number,
  refusal: () => Error,
): Promise<Bytes> {
  if (Number(headers.get("content-length") ?? 0) > limit) throw refusal();
  const chunks: Bytes[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Bytes>) {
    size += chunk.byteLength;
    if (size > limit) throw refusal();
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/**
 * Returns the bytes of a request's body, as `readBytesLimited` does. Throws CANCELED if the client
 * disconnects before the end of the body.
 */
export const readRequestBytes = (
  { body, headers }: Request,
  limit: number,
  refusal: () => Error,
): Promise<Bytes> =>
  readBytesLimited({ body: body && untilClientLeaves(body), headers }, limit, refusal);

async function* untilClientLeaves(body: NonNullable<Request["body"]>): AsyncGenerator<Bytes> {
  try {
    // The rest of a body that is too long stays readable (src/rpc/rest_of_body.ts).
    yield* body.values({ preventCancel: true }) as AsyncIterable<Bytes>;
  } catch {
    throw clientLeft();
  }
}

/**
 * Bytes of gzip that are decompressed at a time. They become at most 8 MiB, because DEFLATE compresses at
 * most 1032 to 1.
 */
const inputSliceBytes = 8 * 1024;

/** Bytes in each read in workerd while more output is waiting. */
const readBytes = 4096;

/** Waits for output that is ready, if the length of the last read does not show that it was the last. */
const nextTick = () => new Promise<undefined>((done) => setTimeout(done, 0, undefined));

/**
 * Yields the decompressed bytes in pieces. workerd decompresses everything that is written to it, even if no
 * one reads the output. Each slice is therefore written only after the output of the earlier slices has been
 * read. A decompression bomb then costs at most one slice more than the limit.
 */
async function* gunzipped(bytes: Bytes): AsyncGenerator<Bytes> {
  const { readable, writable } = new DecompressionStream("gzip");
  const [reader, writer] = [readable.getReader(), writable.getWriter()];
  let next = reader.read();
  try {
    for (let start = 0; ; start += inputSliceBytes) {
      const isEnd = start >= bytes.length;
      // Node ends the stream after the last byte of gzip, and then refuses to close it. If the bytes are damaged, the
      // read fails too.
      const sent = isEnd
        ? writer.close().catch(() => {})
        : writer.write(bytes.subarray(start, start + inputSliceBytes));
      let isMore = true;
      while (isMore) {
        const read = await Promise.race([next, sent.then(() => (isEnd ? next : nextTick()))]);
        if (!read) break;
        if (read.done) return;
        next = reader.read();
        yield read.value as Bytes;
        isMore = read.value.byteLength >= readBytes;
      }
    }
  } finally {
    // No one reads the rest of the output, so its errors are dropped.
    for (const end of [next, reader.cancel(), writer.closed]) end.catch(() => {});
  }
}

/**
 * Decompresses gzip (RFC 1952). Throws `tooLarge()` if there are more than `limit` bytes, and `damaged()` if
 * the data cannot be decompressed.
 */
export async function gunzipLimited(
  bytes: Bytes,
  limit: number,
  tooLarge: () => Error,
  damaged: () => Error,
): Promise<Bytes> {
  try {
    const body = gunzipped(bytes);
    return await readBytesLimited({ body, headers: new Headers() }, limit, tooLarge);
  } catch (error) {
    throw error instanceof TypeError ? damaged() : error;
  }
}
