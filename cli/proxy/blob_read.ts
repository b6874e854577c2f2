/** Blobs that clients read. */
import { Readable } from "node:stream";
import { delay } from "../../client/retry.ts";
import { splitDigest } from "../images/descriptor.ts";
import { type RegistryRequest, requireStatus, type Session } from "../images/session.ts";
import { refusal } from "./errors.ts";
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
 * response does not say which bytes it has. Never returns more bytes than the response has promised.
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
      for await (const chunk of bodyOf(response)) {
        offset += chunk.length;
        onBytes(chunk.length);
        yield chunk;
      }
      if (offset === end) return;
      throw new Error("the response ended before its last byte");
    } catch (thrown) {
      failures = offset - before < leastProgress ? failures + 1 : 0;
      if (read.request.signal?.aborted || failures >= maxFailures) throw thrown;
    }
    await delay(pauseMs * failures, read.request.signal);
  }
}

const bodyOf = ({ body }: Response): AsyncIterable<Buffer> =>
  body ? Readable.fromWeb(body as never) : Readable.from([]);

/**
 * Throws if the registry does not return these bytes, or the first of them. It has lost the blob, and the client sees the
 * cut.
 */
async function readRest(
  { session, name, request }: BlobRead,
  start: number,
  end: number,
): Promise<Response> {
  // The client's condition has been decided by the first response. The digest names the same bytes each time.
  const { "if-range": _, ...fields } = request.headers ?? {};
  const headers = { ...fields, range: `bytes=${start}-${end - 1}` };
  const response = await sendPatiently(session, name, { ...request, headers });
  const range = rangeOf(response);
  if (range?.start === start && range.end <= end) return response;
  if (!response.ok) await requireStatus(response);
  // They can be those of the whole layer, so they are not read.
  await response.body?.cancel();
  throw refusal(502, "UNAVAILABLE", "the registry returned other bytes than it was asked for");
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
