/** Requests that go to the registry as they are: everything but the bytes of uploads. */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { delay } from "../../client/retry.ts";
import { withAttempts } from "../images/attempts.ts";
import { bytesBody } from "../images/blob_body.ts";
import { maxManifestBytes, splitDigest } from "../images/descriptor.ts";
import { type RegistryRequest, requireStatus, type Session } from "../images/session.ts";
import { refusal } from "./errors.ts";
import type { Transfers } from "./transfers.ts";

/** The fields of a client's request that the registry gets. The client's own credentials are not among them. */
const passedOn = [
  "accept",
  "content-type",
  "content-range",
  "range",
  "if-match",
  "if-none-match",
  "if-modified-since",
  "if-range",
  "user-agent",
];

/** Statuses of a registry that is busy or has failed, so the same request may succeed later. */
const mayPass = [408, 429, 500, 502, 503, 504];

/** How many reads of a blob may be cut in a row with hardly any bytes. */
const maxFailures = 5;
/** In bytes: a read with fewer of them has hardly any. */
const leastProgress = 64 * 1024;
/** In milliseconds: the pause after the first such read. It becomes longer by this after each further one. */
const pauseMs = 250;

/** The path of an image's content: its name, its kind, and the rest of the path. */
export type ContentPath = { name: string; kind: string; reference: string };

const contentForm = /^\/v2\/(.+?)\/(blobs|manifests|tags|referrers|_[^/]+)\/(.*)$/s;
/** The name of an image can contain `blobs`, so the last such step counts. */
const lastForms = [
  /^\/v2\/(.+)\/(blobs)\/(uploads\/.*|[^/]*)$/s,
  /^\/v2\/(.+)\/(manifests|referrers)\/([^/]*)$/s,
];

/** Takes the path of a request apart. The name is empty if the path is not that of an image. */
export function readPath(path: string): ContentPath {
  for (const form of [...lastForms, contentForm]) {
    const [, name, kind = "", reference = ""] = form.exec(path) ?? [];
    if (name !== undefined) return { name, kind, reference };
  }
  return { name: "", kind: "", reference: "" };
}

/** Returns the fields of a request for the registry. */
export function headersFor(headers: IncomingHttpHeaders): Record<string, string> {
  const entries = passedOn.flatMap((name) => {
    const value = headers[name];
    return typeof value === "string" ? [[name, value]] : [];
  });
  // Bytes of blobs are never encoded, and fetch would decode a list.
  return { ...Object.fromEntries(entries), "accept-encoding": "identity" };
}

/**
 * Sends a request until the registry answers it, and returns the last response, whatever its status. It waits for rate
 * limits. Throws if there is no response.
 */
export async function sendPatiently(
  session: Session,
  name: string,
  request: RegistryRequest,
): Promise<Response> {
  return withAttempts(async () => {
    const response = await session.send(name, request);
    // The response to HEAD has no body, in which the error would be.
    const isOwn = response.status === 429 || request.method !== "HEAD";
    if (mayPass.includes(response.status) && isOwn) await requireStatus(response);
    return response;
  }, request.signal);
}

/** Reads the body of a request that is not an upload. Throws SIZE_INVALID if it has more bytes than any manifest may. */
export async function readSmallBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += (chunk as Buffer).length;
    if (size > maxManifestBytes)
      throw refusal(413, "SIZE_INVALID", `the body may have at most ${maxManifestBytes} bytes`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

/** Sends a request of a client to the registry. `path` has the query too. */
export async function relay(
  session: Session,
  { name, kind }: ContentPath,
  from: IncomingMessage,
  { path, signal }: { path: string; signal: AbortSignal },
): Promise<Response> {
  const { method = "GET" } = from;
  const hasBody = kind !== "blobs" && ["PUT", "POST", "PATCH"].includes(method);
  const body = hasBody ? { body: bytesBody(await readSmallBody(from)) } : {};
  const headers = headersFor(from.headers);
  return sendPatiently(session, name, { method, path, headers, signal, ...body });
}

/** A blob that a client reads, and the request for it. */
type Read = { session: Session; name: string; request: RegistryRequest };

/**
 * Returns the bytes of a blob. After a cut it asks for the rest, so that the client does not notice. Undefined if the
 * response does not say which bytes it has.
 */
export function readThroughCuts(
  first: Response,
  { session, name, request }: Read,
  onBytes: (bytes: number) => void,
): AsyncIterable<Buffer> | undefined {
  const range = rangeOf(first);
  if (!range || request.method !== "GET") return undefined;
  return (async function* () {
    let response: Response | undefined = first;
    let offset = range.start;
    let failures = 0;
    while (offset < range.end) {
      response ??= await sendPatiently(session, name, {
        ...request,
        headers: { ...request.headers, range: `bytes=${offset}-${range.end - 1}` },
      });
      // A registry that answers otherwise has lost the blob, and the client sees the cut.
      if (rangeOf(response)?.start !== offset) await requireStatus(response);
      const before = offset;
      try {
        for await (const chunk of Readable.fromWeb(response.body as never)) {
          offset += (chunk as Buffer).length;
          onBytes((chunk as Buffer).length);
          yield chunk as Buffer;
        }
      } catch (thrown) {
        failures = offset - before < leastProgress ? failures + 1 : 0;
        if (request.signal?.aborted || failures >= maxFailures) throw thrown;
        await delay(pauseMs * failures, request.signal);
      }
      if (offset === before && failures === 0) throw new Error("the registry sends no more bytes");
      response = undefined;
    }
  })();
}

/** The bytes that a response has, `end` not included. */
function rangeOf({ status, headers }: Response): { start: number; end: number } | undefined {
  const length = Number(headers.get("content-length") ?? Number.NaN);
  if (status === 200 && Number.isSafeInteger(length)) return { start: 0, end: length };
  const [, start, last] = /^bytes (\d+)-(\d+)\//.exec(headers.get("content-range") ?? "") ?? [];
  return status === 206 && start !== undefined
    ? { start: Number(start), end: Number(last) + 1 }
    : undefined;
}

/** Begins to show a blob that a client reads. */
export function showRead(transfers: Transfers, { name, reference }: ContentPath, from: Response) {
  const transfer = transfers.begin(name, true);
  const range = rangeOf(from);
  if (splitDigest(reference)) transfer.expect(range && range.end - range.start);
  return transfer;
}
