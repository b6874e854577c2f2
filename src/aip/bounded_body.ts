/** Bodies of requests and answers, of which nobody but us says how large they may be. */
import { clientLeft } from "./errors.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * The bytes of a body. Throws `refusal()` as soon as there are more than `limit`, or where its
 * content-length says that there will be.
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

/** The bytes of a request's body, as `readBytesLimited` reads them. Throws CANCELED where the client leaves before it is whole. */
export const readRequestBytes = (
  { body, headers }: Request,
  limit: number,
  refusal: () => Error,
): Promise<Bytes> =>
  readBytesLimited({ body: body && untilClientLeaves(body), headers }, limit, refusal);

async function* untilClientLeaves(body: NonNullable<Request["body"]>): AsyncGenerator<Bytes> {
  try {
    yield* body as AsyncIterable<Bytes>;
  } catch {
    throw clientLeft();
  }
}

/** Bytes of gzip that are decompressed at a time, into at most 8 MiB: DEFLATE compresses at most 1032 to 1. */
const inputSliceBytes = 8 * 1024;

/** Size of each read in workerd while more output is waiting, in bytes. */
const readBytes = 4096;

/** Waits for output that is ready, where the length of the last read does not show that it was all. */
const nextTick = () => new Promise<undefined>((done) => setTimeout(done, 0, undefined));

/**
 * The decompressed bytes, piece by piece. workerd decompresses everything that is written, whether it is read or
 * not. So a slice is written only after the output of the slices before it has been read: at most one slice of a
 * decompression bomb is decompressed beyond the limit.
 */
async function* gunzipped(bytes: Bytes): AsyncGenerator<Bytes> {
  const { readable, writable } = new DecompressionStream("gzip");
  const [reader, writer] = [readable.getReader(), writable.getWriter()];
  let next = reader.read();
  try {
    for (let at = 0; ; at += inputSliceBytes) {
      const isEnd = at >= bytes.length;
      const sent = isEnd ? writer.close() : writer.write(bytes.subarray(at, at + inputSliceBytes));
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
    // Nobody reads the rest, so its errors are dropped.
    for (const end of [next, reader.cancel(), writer.closed]) end.catch(() => {});
  }
}

/**
 * The bytes that gzip holds (RFC 1952). Throws `tooLarge()` as soon as there are more than `limit`, and
 * `damaged()` where it cannot be unpacked.
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
