/**
 * The digest of an upload, while its bytes arrive. If they all come in one request, the runtime computes it.
 * If they come in several, each request continues SHA-256 with the state that the upload kept.
 */
import { type SavedState, SHA256 } from "@stablelib/sha256";
import { fromBase64, toBase64 } from "../../aip/base64.ts";
import { toHex } from "../../aip/sha256.ts";
import { type Algorithm, digestStream } from "../digest.ts";

/** Receives the bytes of one request. */
export interface Hash {
  update(bytes: Uint8Array): Promise<void> | void;
  /** Returns the text that the upload keeps: a digest, or the state of SHA-256. */
  end(): Promise<string>;
}

const stateMark = "state:";

/** A hash for bytes that all come in one request. */
export function newHash(algorithm: Algorithm): Hash {
  const { stream, digest } = digestStream(algorithm);
  const writer = stream.getWriter();
  return {
    update: (bytes) => writer.write(bytes as Uint8Array<ArrayBuffer>),
    end: async () => {
      await writer.close();
      return digest();
    },
  };
}

/** A hash that a later request can continue. */
export const newResumableHash = () => resumable(new SHA256());

/**
 * The hash that continues the one that an upload kept. Undefined if none can: all bytes must then be read
 * again at the end.
 */
export function resumeHash(kept: string | null): Hash | undefined {
  if (!kept?.startsWith(stateMark)) return undefined;
  return resumable(new SHA256().restoreState(decodeState(kept.slice(stateMark.length))));
}

/** The digest that an upload kept. Undefined if it kept none of this algorithm. */
export function keptDigest(kept: string | null, algorithm: Algorithm): string | undefined {
  if (kept?.startsWith(`${algorithm}:`)) return kept;
  if (algorithm !== "sha256" || !kept?.startsWith(stateMark)) return undefined;
  const hash = new SHA256().restoreState(decodeState(kept.slice(stateMark.length)));
  return `sha256:${toHex(hash.digest())}`;
}

const resumable = (hash: SHA256): Hash => ({
  update: (bytes) => void hash.update(bytes),
  end: async () => stateMark + encodeState(hash.saveState()),
});

/** The bytes of a state: eight words, the number of hashed bytes, and the bytes of an unfinished block. */
function encodeState({ state, buffer, bufferLength, bytesHashed }: SavedState): string {
  const bytes = new Uint8Array(40 + bufferLength);
  const view = new DataView(bytes.buffer);
  state.forEach((word, index) => {
    view.setInt32(index * 4, word);
  });
  view.setFloat64(32, bytesHashed);
  if (buffer) bytes.set(buffer.subarray(0, bufferLength), 40);
  return toBase64(bytes);
}

function decodeState(text: string): SavedState {
  const bytes = fromBase64(text);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const buffer = new Uint8Array(128);
  buffer.set(bytes.subarray(40));
  return {
    state: Int32Array.from({ length: 8 }, (_, index) => view.getInt32(index * 4)),
    buffer,
    bufferLength: bytes.byteLength - 40,
    bytesHashed: view.getFloat64(32),
  };
}
