/** Bytes of one piece: a multiple of 3, so that only the last is padded, and few enough to be arguments. */
const chunkBytes = 3 * 8192;

/**
 * Base64 of bytes (RFC 4648 section 4), for documents: `base64Encode` of protobuf-es adds character
 * to character, each of which V8 keeps as an object of 20 bytes until the text is read.
 */
export function toBase64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(at, at + chunkBytes))));
  }
  return pieces.join("");
}
