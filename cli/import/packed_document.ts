/** One document that is sent as gzip, since the platform takes 1 MiB of it. */
import { gunzipSync, gzipSync } from "node:zlib";
import { exitCodes, Failure, usageFailure } from "../failure.ts";
import { type InputSource, readAllBytes } from "./lines.ts";

/** What the API takes, in bytes as sent. A call has room for them in base64 and for what is beside. */
const maxPackedBytes = 1024 * 1024;

const badInput = (message: string) => new Failure(exitCodes.badInput, "BAD_INPUT", message);

/**
 * The document of a file, which may be gzip itself, packed as tightly as can be, in base64. Throws a Failure
 * where it is damaged, larger than `limit` bytes or, packed, than the platform takes.
 */
export async function packDocument(source: InputSource, limit: number): Promise<string> {
  const bytes = await readAllBytes(source, limit);
  const document = bytes[0] === 0x1f && bytes[1] === 0x8b ? unpack(bytes, source, limit) : bytes;
  const packed = gzipSync(document, { level: 9 });
  if (packed.length > maxPackedBytes) {
    throw usageFailure(
      `${source.name} is ${packed.length} bytes large as gzip; the platform takes ${maxPackedBytes}.`,
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
      throw usageFailure(`${name} is larger than ${limit} bytes when it is unpacked.`);
    }
    throw badInput(`${name}: the gzip data is damaged (${message}).`);
  }
}
