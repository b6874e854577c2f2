/** Bodies of requests and answers, of which nobody but us says how large they may be. */

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * The bytes of a body. Throws `refusal()` as soon as there are more than `limit`, or where its
 * content-length says that there will be.
 */
export async function bytesWithin(
  { body, headers }: { body: Request["body"]; headers: Headers },
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

/** So many bytes of gzip are unpacked at a time, into at most 8 MiB: DEFLATE packs 1032 bytes into one. */
const slice = 8 * 1024;

/** Bytes that workerd has for one read, as long as it has more. */
const readSize = 4096;

/** Lets what is ready be read first, where the length of what was read last does not say that it was all. */
const turn = () => new Promise<undefined>((done) => setTimeout(done, 0, undefined));

/**
 * What gzip holds, piece by piece. workerd unpacks all that is written, read or not, so a slice is written only
 * when what came of those before has been read: of a bomb no more is unpacked than one slice.
 */
async function* gunzipped(bytes: Bytes): AsyncGenerator<Bytes> {
  const { readable, writable } = new DecompressionStream("gzip");
  const [reader, writer] = [readable.getReader(), writable.getWriter()];
  let next = reader.read();
  try {
    for (let at = 0; ; at += slice) {
      const isEnd = at >= bytes.length;
      const sent = isEnd ? writer.close() : writer.write(bytes.subarray(at, at + slice));
      let isMore = true;
      while (isMore) {
        const read = await Promise.race([next, sent.then(() => (isEnd ? next : turn()))]);
        if (!read) break;
        if (read.done) return;
        next = reader.read();
        yield read.value as Bytes;
        isMore = read.value.byteLength >= readSize;
      }
    }
  } finally {
    // What is left of it is nobody's: neither its bytes nor its errors.
    for (const end of [next, reader.cancel(), writer.closed]) end.catch(() => {});
  }
}

/**
 * The bytes that gzip holds (RFC 1952). Throws `tooLarge()` as soon as there are more than `limit`, and
 * `damaged()` where it cannot be unpacked.
 */
export async function gunzipWithin(
  bytes: Bytes,
  limit: number,
  tooLarge: () => Error,
  damaged: () => Error,
): Promise<Bytes> {
  const body = gunzipped(bytes) as never as Request["body"];
  try {
    return await bytesWithin({ body, headers: new Headers() }, limit, tooLarge);
  } catch (error) {
    throw error instanceof TypeError ? damaged() : error;
  }
}
