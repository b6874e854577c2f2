/** A single document that is sent as gzip, because the platform accepts 1 MiB of it. */
import { gunzipSync, gzipSync } from "node:zlib";
import { exitCodes, Failure, usageFailure } from "../failure.ts";
import { type InputSource, readAllBytes } from "./lines.ts";

/**
 * In bytes: the largest gzip document that the API accepts. A call has room for its base64 and for the other fields.
 */
const maxPackedBytes = 1024 * 1024;

const badInput = (message: string) => new Failure(exitCodes.badInput, "BAD_INPUT", message);

/**
 * Returns the document of a file in base64 of gzip, with the best compression. The file may already be gzip. Throws a
 * Failure if the file is damaged, if it is larger than `limit` bytes, or if its gzip is larger than the platform
 * accepts.
 */
export async function packDocument(source: InputSource, limit: number): Promise<string> {
  const bytes = await readAllBytes(source, limit);
  const document = bytes[0] === 0x1f && bytes[1] === 0x8b ? unpack(bytes, source, limit) : bytes;
  const packed = gzipSync(document, { level: 9 });
  if (packed.length > maxPackedBytes) {
    throw usageFailure(
      `${source.name} has ${packed.length} bytes after compression with gzip, but the platform accepts at most ${maxPackedBytes}.`,
    );
  }
  return packed.toString("base64");
}

function unpack(bytes: Uint8Array, { name }: InputSource, limit: number): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: limit });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ERR_BUFFER_TOO_LARGE") {
      throw usageFailure(`${name} must not be larger than ${limit} bytes after decompression.`);
    }
    throw badInput(`${name}: the gzip data is damaged (${message}).`);
  }
}
