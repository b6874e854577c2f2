/** Sends the bytes of an upload to the registry, in chunks if they are many (OCI distribution, "Pushing blobs"). */
import { PlatformError } from "../../client/errors.ts";
import { refusedFailure } from "../failure.ts";
import { bodyOf } from "./blob_body.ts";
import type { LocalBlob } from "./local_image.ts";
import { type RegistryRequest, requireStatus } from "./session.ts";

/** In bytes. */
export const mebibyte = 1024 * 1024;

/** In MiB. Cloudflare accepts requests with up to 100 MB in its smallest plans. */
export const defaultChunkSize = 64;

/** In bytes: chunks do not become smaller than this after a 413. */
const minChunkSize = mebibyte;

/** Sends a request about one image. */
export type Send = (request: RegistryRequest) => Promise<Response>;

/** An upload, and how many bytes of it the registry has. */
export type Upload = {
  location: string | undefined;
  /** Those of the parts that R2 has, if the bytes do not go through the registry. Parts that it lacks are empty. */
  etags: string[];
  offset: number;
  chunkSize: number;
};

/** The bytes to send: those up to `end`. With a digest, they are the last ones, and the upload ends. */
export type Sending = {
  blob: Pick<LocalBlob, "read">;
  end: number;
  digest: string | undefined;
  onBytes: (bytes: number) => void;
  /** Called after each chunk that the registry has. */
  advance: () => void;
};

/** Returns the URL of the upload that a response names. Throws a Failure if there is none. */
export function locationIn(response: Response): string {
  const location = response.headers.get("location");
  if (location) return new URL(location, response.url).href;
  throw refusedFailure("REGISTRY", "The registry returned an upload without a location.");
}

/** Asks the registry how many bytes it has. Forgets the location of an upload that no longer exists. */
export async function findOffset(send: Send, upload: Upload): Promise<void> {
  if (upload.location === undefined) return;
  const response = await send({ method: "GET", path: upload.location });
  if (response.status === 404) {
    await response.body?.cancel();
    upload.location = undefined;
    return;
  }
  await requireStatus(response, 204);
  upload.offset = sizeIn(response);
}

/** `0-99` means 100 bytes. `0-0` means none or one, and then the first byte is sent again. */
function sizeIn(response: Response): number {
  const [, last = "0"] = /^(?:bytes=)?0-(\d+)$/.exec(response.headers.get("range") ?? "") ?? [];
  return last === "0" ? 0 : Number(last) + 1;
}

/**
 * Sends the bytes that the registry lacks. A blob that fits into one request takes one. After a 413 or a cut, the chunks
 * become half as large. Throws the error of the request that failed.
 */
export async function sendBytes(send: Send, upload: Upload, sending: Sending): Promise<void> {
  const { end, digest, onBytes, advance } = sending;
  let sent = 0;
  const count = (bytes: number) => {
    sent += bytes;
    onBytes(bytes);
  };
  try {
    for (;;) {
      const left = end - upload.offset;
      const fits = left === 0 || (upload.offset === 0 && left <= upload.chunkSize);
      const isLast = digest !== undefined && fits;
      if (left === 0 && !isLast) return;
      const before = sent;
      const response = await sendPart(send, upload, sending, { isLast, count });
      if (response.status === 413 && upload.chunkSize > minChunkSize) {
        await response.body?.cancel();
        count(before - sent);
        upload.chunkSize = half(Math.min(upload.chunkSize, left));
        continue;
      }
      await requireStatus(response, isLast ? 201 : 202);
      if (isLast) return;
      upload.location = locationIn(response);
      upload.offset += Math.min(left, upload.chunkSize);
      advance();
    }
  } catch (thrown) {
    onBytes(-sent);
    // A registry or a proxy may close the connection instead of refusing a large request.
    if (!(thrown instanceof PlatformError)) upload.chunkSize = half(upload.chunkSize);
    throw thrown;
  }
}

const half = (size: number) => Math.max(minChunkSize, Math.floor(size / 2));

type Part = { isLast: boolean; count: (bytes: number) => void };

/** Sends a chunk, or the request that ends the upload, with the whole blob if no chunk was sent. */
function sendPart(
  send: Send,
  { location = "", offset, chunkSize }: Upload,
  { blob, end, digest = "" }: Sending,
  { isLast, count }: Part,
): Promise<Response> {
  const partEnd = Math.min(end, offset + chunkSize);
  const target = new URL(location);
  if (isLast) target.searchParams.set("digest", digest);
  return send({
    method: isLast ? "PUT" : "PATCH",
    path: target.href,
    headers: {
      "content-type": "application/octet-stream",
      ...(isLast ? {} : { "content-range": `${offset}-${partEnd - 1}` }),
    },
    body: bodyOf(blob, offset, partEnd, count),
  });
}
