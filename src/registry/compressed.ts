/**
 * Documents in gzip (RFC 1952), as they are sent and stored. They are stored in base64, because D1 sends and
 * returns a blob as a list of numbers.
 */
import { base64Decode } from "@bufbuild/protobuf/wire";
import { toBase64 } from "../aip/base64.ts";
import { gunzipLimited } from "../aip/bounded_body.ts";
import { invalidArgument } from "../aip/errors.ts";
import { gzip } from "../aip/gzip.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** The most characters in the base64 of one stored document. A row of D1 has at most 2 MB. */
export const maxStoredLength = 1_900_000;

/** Whether the bytes begin like gzip. */
const isGzip = (bytes: Uint8Array) => bytes[0] === 0x1f && bytes[1] === 0x8b;

/**
 * The document in a field that accepts gzip and plain bytes. Throws INVALID_ARGUMENT for the field if the
 * gzip is damaged, or if it contains more than `limit` bytes. Bytes beyond the limit are not decompressed.
 */
export async function gunzipField(bytes: Uint8Array, limit: number, field: string): Promise<Bytes> {
  const tooLarge = () =>
    invalidArgument(field, `${field} must have at most ${limit} bytes after decompression`);
  if (!isGzip(bytes)) {
    if (bytes.byteLength > limit) throw tooLarge();
    return new Uint8Array(bytes);
  }
  return gunzipLimited(new Uint8Array(bytes), limit, tooLarge, () =>
    invalidArgument(field, `${field} is not valid gzip`),
  );
}

/** The bytes, or the UTF-8 of the text, in their stored form. gzip stays unchanged. */
export async function compressToStored(document: Uint8Array | string): Promise<string> {
  const bytes = typeof document === "string" ? new TextEncoder().encode(document) : document;
  if (isGzip(bytes)) return toBase64(bytes);
  return toBase64(await gzip(bytes));
}

/** The document of {@link compressToStored}. */
export async function decompressStored(stored: string): Promise<Bytes> {
  const packed = new Blob([new Uint8Array(base64Decode(stored))]).stream();
  const body = packed.pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(body).arrayBuffer());
}
