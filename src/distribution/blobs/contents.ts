/** Reads the bytes of blobs and manifests, and returns none of an object with another length or ETag than at its write. */
import { and, eq, isNull, sql } from "drizzle-orm";
import { blobs } from "../../../schema/tables/distribution/blobs.ts";
import { objects } from "../../../schema/tables/distribution/objects.ts";
import type { RegistryContext } from "../context.ts";
import { storageUnavailable } from "../errors.ts";
import type { ByteRange } from "./byte_range.ts";
import type { BlobRow } from "./rows.ts";
import type { Fault, Opened, Piece } from "./storage.ts";
import { newFixedLengthStream } from "./streams.ts";

/** The bytes of a response, whose length the runtime knows. */
type Bytes = ReadableStream | Uint8Array<ArrayBuffer>;

type Context = Pick<RegistryContext, "db" | "storage" | "waitUntil">;

/**
 * The most bytes that one read of R2 returns. Of an object that was written in parts, a local R2 reads all bytes of a
 * request before it returns the first one.
 */
const readSize = 64 * 1024 * 1024;

/**
 * The bytes of a blob or a manifest. If R2 does not have them as they were written, the result is the fault. The blob is
 * then marked, and no one gets it until it is pushed again.
 */
export async function openContent(
  context: Context,
  row: Pick<BlobRow, "id" | "content" | "size" | "fault" | "pieces">,
  range?: ByteRange,
  early?: Promise<Opened>,
): Promise<Bytes | Fault> {
  const { content, fault, pieces } = row;
  const { offset, length } = range ?? { offset: 0, length: row.size ?? 0 };
  if (fault !== null) return fault;
  if (content !== null) {
    return new TextEncoder().encode(content).slice(offset, offset + length);
  }
  const stored = pieces.reduce((sum, { size }) => sum + size, 0);
  const mark = (newFault: Fault) =>
    context.waitUntil(markFault(context, row, newFault).catch(() => {}));
  if (stored !== row.size) {
    mark("missing");
    return "missing";
  }
  const bytes = await openPieces(context, pieces, { offset, length }, mark, early);
  if (typeof bytes === "string") mark(bytes);
  return bytes;
}

/** Marks a blob whose objects are not as its row says, unless a push has replaced them. */
async function markFault(
  { db }: Context,
  { id, pieces }: Pick<BlobRow, "id" | "pieces">,
  fault: Fault,
): Promise<void> {
  const first = sql`(select min("key") from ${objects} where "blob_id" = ${id})`;
  const read = pieces.map(({ key }) => key).sort()[0] ?? null;
  await db
    .update(blobs)
    .set({ fault, faultTime: null })
    .where(and(eq(blobs.id, id), isNull(blobs.fault), sql`${first} is ${read}`));
}

/** The parts of objects that a range consists of, in order. Each has at most {@link readSize} bytes. */
function* readsOf(pieces: Piece[], { offset, length }: ByteRange) {
  let begin = 0;
  const end = offset + length;
  for (const piece of pieces) {
    const last = Math.min(begin + piece.size, end);
    for (let position = Math.max(begin, offset); position < last; position += readSize) {
      yield {
        piece,
        range: { offset: position - begin, length: Math.min(readSize, last - position) },
      };
    }
    begin += piece.size;
  }
}

/** The first of the reads that a range consists of. Undefined if it has no bytes. */
export const firstReadOf = (pieces: Piece[], range: ByteRange) => [...readsOf(pieces, range)][0];

/**
 * The bytes of a range of objects that follow each other. `late` is called for what is found wrong after the response
 * has begun: the connection then ends before the last byte. `early` is the first read, if it has begun already.
 */
export async function openPieces(
  { storage, waitUntil }: Pick<RegistryContext, "storage" | "waitUntil">,
  pieces: Piece[],
  range: ByteRange,
  late: (fault: Fault) => void = () => {},
  early?: Promise<Opened>,
): Promise<Bytes | Fault> {
  const reads = readsOf(pieces, range);
  const begin = reads.next();
  if (begin.done) return new Uint8Array(0);
  const first = await (early ?? storage.open(begin.value.piece, begin.value.range));
  if (typeof first === "string") return first;
  const { readable, writable } = newFixedLengthStream(range.length);
  const copy = async () => {
    await first.body.pipeTo(writable, { preventClose: true });
    for (const read of reads) {
      const next = await storage.open(read.piece, read.range);
      if (typeof next === "string") {
        late(next);
        throw storageUnavailable();
      }
      await next.body.pipeTo(writable, { preventClose: true });
    }
    await writable.close();
  };
  // A client that leaves ends the copy with an error, which is not important.
  waitUntil(copy().catch((thrown) => writable.abort(thrown).catch(() => {})));
  return readable as unknown as ReadableStream;
}
