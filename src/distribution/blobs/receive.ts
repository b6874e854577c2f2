/** Streams the body of a request into one R2 object, which only this request writes. */
import type { ReadableStream } from "@cloudflare/workers-types";
import { clientLeft } from "../../aip/errors.ts";
import { StaleError } from "../../aip/stale.ts";
import type { RegistryContext } from "../context.ts";
import { within } from "../deadline.ts";
import { TooSlow, tooLarge } from "../errors.ts";
import { HeldMemory } from "../memory.ts";
import type { Hash } from "./hash.ts";
import { append, type ByteSink, ObjectWriter, partSize } from "./object_writer.ts";
import type { Reservation } from "./objects.ts";
import type { Piece } from "./storage.ts";
import { maxStreamed, StreamedObject } from "./streamed_object.ts";

/** R2 takes at most 10,000 parts. */
export const maxBlobSize = partSize * 10_000;

/** The bytes of a body that must arrive within the stall time. A slower client is refused. */
const leastRead = 128 * 1024;

/** The most bytes that are read before the tail. */
const headSize = 64 * 1024;

/** The bytes of a request. */
export interface Body {
  body: Request["body"];
  /** The Content-Length. Undefined if the client does not know it. */
  length: number | undefined;
  /** The most bytes that the request may have. */
  limit: number;
}

/** The piece before the body. If it is smaller than a part, its bytes are written again with those of the body. */
async function readTail(
  { storage }: RegistryContext,
  tail: Piece | undefined,
  writer: ByteSink,
): Promise<void> {
  if (!tail) return;
  const object = await storage.open(tail, { offset: 0, length: tail.size });
  // Another request has written the piece again, with its own bytes.
  if (typeof object === "string") throw new StaleError();
  await readInto(writer, object.body as unknown as ReadableStream<Uint8Array>, 0, async () => {});
}

/** Reads the first bytes of a stream. Undefined if it has none. Throws like {@link readInto}. */
async function readHead(
  stream: ReadableStream<Uint8Array>,
  stall: number,
): Promise<Uint8Array | undefined> {
  const reader = stream.getReader({ mode: "byob" });
  try {
    const read = reader.readAtLeast(1, new Uint8Array(headSize)).catch(() => {
      throw clientLeft();
    });
    return (await within(stall, read, () => new TooSlow(leastRead, stall))).value;
  } catch (thrown) {
    if (thrown instanceof TooSlow) await reader.cancel().catch(() => {});
    throw thrown;
  } finally {
    reader.releaseLock();
  }
}

/** Reads a stream to its end. `stall` is the time for {@link leastRead} bytes in milliseconds, or 0 for any. */
async function readInto(
  writer: ByteSink,
  stream: ReadableStream<Uint8Array>,
  stall: number,
  look: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const reader = stream.getReader({ mode: "byob" });
  try {
    for (;;) {
      const view = await writer.free();
      const least = Math.min(leastRead, view.byteLength);
      const read = reader.readAtLeast(least, view).catch(() => {
        throw clientLeft();
      });
      const { done, value } = await within(stall, read, () => new TooSlow(leastRead, stall));
      if (value) {
        await look(value);
        await writer.fill(value);
      }
      if (done) return;
    }
  } catch (thrown) {
    if (thrown instanceof TooSlow) await reader.cancel().catch(() => {});
    throw thrown;
  } finally {
    reader.releaseLock();
  }
}

/** The bytes that a request has brought. */
export interface Received {
  /** The number of bytes of the body. */
  taken: number;
  /** The object with the bytes of the tail and of the body. Undefined if the body has none. */
  piece: Piece | undefined;
  /** The digest of all bytes of the upload, or the state of its computation. Null if neither is known. */
  hash: string | null;
}

interface Receiving {
  source: Body;
  reservation: Reservation;
  /** The hash of the upload so far. Undefined if it cannot be continued. */
  hash: Hash | undefined;
  /** The last piece of the upload, if it is smaller than a part. */
  tail: Piece | undefined;
  /** The bytes of the upload before this request. */
  before: number;
  /** The uid of the organization that is pushed to. */
  organization: string;
}

/**
 * Writes the body as an object of its own, together with the tail. Reserves its bytes before it reads them. Throws
 * SIZE_INVALID over the limit, 408 if the client is too slow, TOOMANYREQUESTS without memory, CANCELED if the client
 * leaves, and Stale if the reservation fails.
 */
export async function receive(context: RegistryContext, receiving: Receiving): Promise<Received> {
  const { source, reservation, hash, tail, before, organization } = receiving;
  const { body, length, limit } = source;
  const { config } = context;
  if (body === null || length === 0) return { taken: 0, piece: undefined, hash: null };
  if (before + (length ?? 0) > maxBlobSize) throw blobTooLarge();
  const memory = new HeldMemory(config.uploadMemoryBytes, organization);
  const size = length === undefined ? undefined : (tail?.size ?? 0) + length;
  const writer =
    size !== undefined && size > partSize && size <= maxStreamed
      ? new StreamedObject(context, memory, reservation, size)
      : new ObjectWriter(context, memory, reservation);
  let taken = 0;
  try {
    // Without a length, the row only says that bytes arrive.
    await writer.reserve(size ?? tail?.size ?? 0);
    const stream = body as unknown as ReadableStream<Uint8Array>;
    // A client that sends nothing does not make the registry hold the tail.
    const head = tail && (await readHead(stream, config.uploadStallMs));
    await readTail(context, tail, writer);
    const look = async (bytes: Uint8Array) => {
      taken += bytes.byteLength;
      if (taken > limit) throw bodyTooLarge(limit);
      if (before + taken > maxBlobSize) throw blobTooLarge();
      await hash?.update(bytes);
    };
    if (head && head.byteLength > 0) {
      await look(head);
      await append(writer, head);
    }
    await readInto(writer, stream, config.uploadStallMs, look);
    if (taken === 0) return { taken, piece: undefined, hash: null };
    const kept = (await hash?.end()) ?? null;
    const isWhole = before === 0 && kept?.startsWith("sha256:");
    return { taken, piece: await writer.end(isWhole ? kept?.slice(7) : undefined), hash: kept };
  } catch (thrown) {
    await writer.cut();
    throw thrown;
  } finally {
    memory.release();
  }
}

const blobTooLarge = () => tooLarge(`a blob may have at most ${maxBlobSize} bytes`);

/** The error for a body over the limit. It names the way for larger blobs. */
export const bodyTooLarge = (limit: number) =>
  tooLarge(
    `the body of a request may have at most ${limit} bytes; push the blob in smaller chunks, as platformctl push and platformctl proxy do`,
  );
