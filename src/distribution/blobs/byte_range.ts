/** The Range and If-Range of a GET (RFC 9110 sections 14.2 and 13.1.5). */

/** The first byte and the number of bytes. */
export interface ByteRange {
  offset: number;
  length: number;
}

/**
 * Reads the Range for content of `size` bytes with a strong entity tag. `unsatisfiable` if no byte is in the range.
 * Undefined if the response has all bytes: without a Range, or for one that the registry does not support. Also if an
 * If-Range is not exactly the entity tag: a weak tag and a date never match.
 */
export function readRange(
  headers: Headers,
  size: number,
  etag: string,
): ByteRange | "unsatisfiable" | undefined {
  if ((headers.get("if-range") ?? etag) !== etag) return undefined;
  const range = headers.get("range") ?? "";
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? [];
  if (first === "" && last === "") return undefined;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { offset: size - length, length };
  }
  const offset = Number(first);
  const end = last === "" ? size - 1 : Math.min(Number(last), size - 1);
  return offset > end ? "unsatisfiable" : { offset, length: end - offset + 1 };
}

/** Reads the Content-Range of a chunk, `<first>-<last>` (OCI distribution, "Pushing a blob in chunks"). */
export function readChunkRange(header: string): { first: number; last: number } | undefined {
  const [, first, last] =
    /^(?:bytes[ =])?(\d{1,15})-(\d{1,15})(?:\/(?:\d+|\*))?$/.exec(header) ?? [];
  if (first === undefined) return undefined;
  return { first: Number(first), last: Number(last) };
}
