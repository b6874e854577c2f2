/** The Range of a GET (RFC 9110 section 14.2). */

/** The first byte and the number of bytes. */
export interface ByteRange {
  offset: number;
  length: number;
}

/**
 * Reads the header for content of `size` bytes. Undefined without a header, and for a range that the registry
 * does not support: the response then has all bytes. `unsatisfiable` if no byte is in the range.
 */
export function readRange(
  header: string | null,
  size: number,
): ByteRange | "unsatisfiable" | undefined {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? "") ?? [];
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
