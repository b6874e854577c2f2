/** Digests of the OCI image specification: an algorithm, a colon and lowercase hexadecimal digits. */

import { quoted } from "../aip/quoted.ts";
import { toHex } from "../aip/sha256.ts";
import { newDigestStream } from "./blobs/streams.ts";
import { digestInvalid } from "./errors.ts";

/** The registered algorithms (OCI image specification, "Registered algorithms") by their names in Web Crypto. */
const algorithms = { sha256: "SHA-256", sha512: "SHA-512" } as const;

/** The name of an algorithm as digests have it. */
export type Algorithm = keyof typeof algorithms;

const digestPattern = /^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/;

/** Whether the whole text is a digest with an algorithm that the registry can compute. */
export const isDigest = (text: unknown): text is string =>
  typeof text === "string" && digestPattern.test(text);

/** Reads a digest. Throws DIGEST_INVALID. */
export function readDigest(text: string): string {
  if (isDigest(text)) return text;
  throw digestInvalid(
    `a digest must be sha256: and 64 hexadecimal digits, or sha512: and 128; you sent ${quoted(text)}`,
  );
}

/** The algorithm of a digest. */
export const algorithmOf = (digest: string) => digest.slice(0, digest.indexOf(":")) as Algorithm;

/** Computes the digest of bytes. */
export async function digestOf(bytes: Uint8Array, algorithm: Algorithm): Promise<string> {
  const hash = await crypto.subtle.digest(algorithms[algorithm], bytes as Uint8Array<ArrayBuffer>);
  return `${algorithm}:${toHex(new Uint8Array(hash))}`;
}

/** Computes the digest of bytes that arrive one after the other. */
export function digestStream(algorithm: Algorithm) {
  const stream = newDigestStream(algorithms[algorithm]);
  return {
    stream,
    digest: async () => `${algorithm}:${toHex(new Uint8Array(await stream.digest))}`,
  };
}
