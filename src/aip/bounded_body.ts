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

/**
 * The bytes that gzip holds (RFC 1952). Throws `tooLarge()` as soon as there are more than `limit`, and
 * `damaged()` where it cannot be unpacked. A Blob is unpacked as it is read, 4 KiB at a time, so that no more
 * of a bomb is unpacked than what these hold.
 */
export async function gunzipWithin(
  bytes: Bytes,
  limit: number,
  tooLarge: () => Error,
  damaged: () => Error,
): Promise<Bytes> {
  const body = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  try {
    return await bytesWithin({ body, headers: new Headers() } as Response, limit, tooLarge);
  } catch (error) {
    throw error instanceof TypeError ? damaged() : error;
  }
}
