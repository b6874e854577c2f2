/** Blobs that clients read. */
import { Readable } from "node:stream";
import { delay } from "../../client/retry.ts";
import { splitDigest } from "../images/descriptor.ts";
import { type RegistryRequest, requireStatus, type Session } from "../images/session.ts";
import { type ContentPath, sendPatiently } from "./relay.ts";
import type { Transfer, Transfers } from "./transfers.ts";

/** How many reads of a blob may be cut in a row with hardly any bytes. */
const maxFailures = 5;
/** In bytes: a read with fewer of them has hardly any. */
const leastProgress = 64 * 1024;
/** In milliseconds: the pause after the first such read. It becomes longer by this after each further one. */
const pauseMs = 250;

/** A blob that a client reads, and the request for it. */
export type BlobRead = { session: Session; name: string; request: RegistryRequest };

/**
 * Returns the bytes of a blob. After a cut it asks for the rest, so that the client does not notice. Undefined if the
 * response does not say which bytes it has.
 */
export function readThroughCuts(
  first: Response,
  read: BlobRead,
  onBytes: (bytes: number) => void,
): AsyncIterable<Buffer> | undefined {
  const range = rangeOf(first);
  return range && bytesOf(first, range, read, onBytes);
}

async function* bytesOf(
  first: Response,
  { start, end }: ByteRange,
  read: BlobRead,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  let offset = start;
  let failures = 0;
  for (let response = first; ; response = await readRest(read, offset, end)) {
    const before = offset;
    try {
      for await (const chunk of Readable.fromWeb(response.body as never)) {
        offset += (chunk as Buffer).length;
        onBytes((chunk as Buffer).length);
        yield chunk as Buffer;
      }
      return;
    } catch (thrown) {
      failures = offset - before < leastProgress ? failures + 1 : 0;
      if (read.request.signal?.aborted || failures >= maxFailures) throw thrown;
    }
    await delay(pauseMs * failures, read.request.signal);
  }
}

/** Throws if the registry does not return these bytes. It has lost the blob, and the client sees the cut. */
async function readRest(
  { session, name, request }: BlobRead,
  start: number,
  end: number,
): Promise<Response> {
  const headers = { ...request.headers, range: `bytes=${start}-${end - 1}` };
  const response = await sendPatiently(session, name, { ...request, headers });
  if (rangeOf(response)?.start !== start) await requireStatus(response);
  return response;
}

/** In bytes, `end` not included. */
type ByteRange = { start: number; end: number };

/** The bytes that a response has. */
function rangeOf({ status, headers }: Response): ByteRange | undefined {
  const length = Number(headers.get("content-length") ?? Number.NaN);
  if (status === 200 && Number.isSafeInteger(length)) return { start: 0, end: length };
  const [, start, last] = /^bytes (\d+)-(\d+)\//.exec(headers.get("content-range") ?? "") ?? [];
  return status === 206 && start !== undefined
    ? { start: Number(start), end: Number(last) + 1 }
    : undefined;
}

/** Begins to show a blob that a client reads. */
export function showRead(
  transfers: Transfers,
  { name, reference }: ContentPath,
  from: Response,
): Transfer {
  const transfer = transfers.begin(name, true);
  const range = rangeOf(from);
  if (splitDigest(reference)) transfer.expect(range && range.end - range.start);
  return transfer;
}
