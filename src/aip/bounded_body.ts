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
