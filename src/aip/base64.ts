/**
 * Bytes in one piece. This is a multiple of 3, so that only the last piece has padding. It is also small
 * enough for the piece to be passed as arguments.
 */
const chunkBytes = 3 * 8192;

/**
 * Encodes bytes as base64 (RFC 4648 section 4), for documents. `base64Encode` of protobuf-es builds the text
 * one character at a time, and V8 keeps each character as an object of 20 bytes until the text is read.
 */
export function toBase64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(start, start + chunkBytes))));
  }
  return pieces.join("");
}

/** Decodes base64 (RFC 4648 section 4) that the platform has written. */
export const fromBase64 = (text: string): Uint8Array =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
