/** The bytes that one request brings to an upload (OCI distribution, "Pushing blobs"): a chunk, or the last bytes. */

import { retryStale, StaleError } from "../../aip/stale.ts";
import { rootOf } from "../../aip/uid_path.ts";
import { type Reach, reachRepository } from "../access.ts";
import type { RegistryBearer } from "../bearer.ts";
import type { RegistryContext } from "../context.ts";
import { chunkOutOfOrder, uploadInvalid, uploadUnknown } from "../errors.ts";
import { type ImageName, repoUidOf } from "../repository.ts";
import { readChunkRange } from "./byte_range.ts";
import type { Hash } from "./hash.ts";
import { partSize } from "./object_writer.ts";
import { Reservation } from "./objects.ts";
import { type Body, bodyTooLarge, type Received, receive } from "./receive.ts";
import { selectQuota } from "./rows.ts";
import { limitOf, type NewPiece, selectUpload, type Upload } from "./upload_rows.ts";

/** The body of the request, and the most bytes that it may have. Throws SIZE_INVALID over the limit. */
export function bodyOf({ request, config }: RegistryContext): Body {
  const limit = config.maxBodyBytes ?? Number.POSITIVE_INFINITY;
  const header = request.headers.get("content-length");
  const length = header === null ? undefined : Number(header);
  if ((length ?? 0) > limit) throw bodyTooLarge(limit);
  return { body: request.body, length, limit };
}

const locationOf = ({ full }: ImageName, { id }: { id: string }) =>
  `/v2/${full}/blobs/uploads/${id}`;

/** The headers that say where the next chunk begins. */
export const progressHeaders = (image: ImageName, upload: { id: string; size: number }) => ({
  location: locationOf(image, upload),
  range: `0-${Math.max(0, upload.size - 1)}`,
  "docker-upload-uuid": upload.id,
  "content-length": "0",
});

/** 201: the repository has the blob. */
export const created = (image: ImageName, digest: string) =>
  new Response(null, {
    status: 201,
    headers: {
      location: `/v2/${image.full}/blobs/${digest}`,
      "docker-content-digest": digest,
      "content-length": "0",
    },
  });

/** An upload that the caller has begun, and the limit of the organization. */
export interface FoundUpload {
  bearer: RegistryBearer;
  image: ImageName;
  reach: Reach;
  repo: string;
  upload: Upload;
  /** The bytes that the organization has or has reserved. */
  used: number;
  limit: number | undefined;
}

/** Finds an upload of the caller. Throws BLOB_UPLOAD_UNKNOWN. */
export async function findUpload(
  context: RegistryContext,
  bearer: RegistryBearer,
  image: ImageName,
  id: string,
): Promise<FoundUpload> {
  const { db } = context;
  const reach = await reachRepository(context, bearer, image, "push", [
    selectUpload(db, image, id),
    selectQuota(db, repoUidOf(db, image)),
  ]);
  const [[upload], [quota]] = reach.rows;
  const { repo } = reach.repositoryPath;
  if (!upload || repo === undefined || upload.identity !== reach.caller?.identity) {
    throw uploadUnknown();
  }
  const limit = limitOf(context, quota?.limit);
  return { bearer, image, reach, repo, upload, used: quota?.bytes ?? 0, limit };
}

/** The Content-Range of a chunk. Throws RANGE_INVALID if the chunk does not begin where the upload ends. */
export function readChunk(
  { request }: RegistryContext,
  image: ImageName,
  upload: Upload,
  source: Body,
) {
  const header = request.headers.get("content-range");
  if (header === null) return undefined;
  const range = readChunkRange(header);
  if (!range) throw uploadInvalid("Content-Range must have the form <first byte>-<last byte>");
  if (range.first !== upload.size || range.last < range.first) {
    throw chunkOutOfOrder(progressHeaders(image, upload), upload.size);
  }
  if (source.length !== undefined) requireWholeChunk(range, source.length);
  return range;
}

/** Throws if the body has another number of bytes than its Content-Range says. */
export function requireWholeChunk(
  range: { first: number; last: number } | undefined,
  taken: number,
): void {
  if (range && range.last - range.first + 1 !== taken) {
    throw uploadInvalid(
      `Content-Range has ${range.last - range.first + 1} bytes, and the body has ${taken}`,
    );
  }
}

/**
 * Writes an object with the body of the request, and calls `keep` with it. Only the object of a request that succeeds
 * stays. Throws BLOB_UPLOAD_UNKNOWN or 416 if another request has ended or changed the upload.
 */
export async function withPiece<T>(
  context: RegistryContext,
  foundUpload: FoundUpload,
  { source, hash }: { source: Body; hash: Hash | undefined },
  keep: (received: Received, added: NewPiece | undefined) => Promise<T>,
): Promise<T> {
  const { repo, upload, limit } = foundUpload;
  const reservation = new Reservation(context, { repo, upload, limit });
  const last = upload.pieces.at(-1);
  const tail = last && last.size < partSize ? last : undefined;
  const receiving = {
    source,
    reservation,
    hash,
    tail,
    before: upload.size,
    organization: rootOf(repo),
  };
  try {
    const received = await receive(context, receiving);
    const { piece } = received;
    return await keep(received, piece && { piece, tail });
  } catch (thrown) {
    context.after(() => reservation.discard());
    throw thrown instanceof StaleError ? await reasonOf(context, foundUpload) : thrown;
  }
}

/** The upload again, with the present access of the caller. Throws if another request has ended or changed it. */
async function findSame(context: RegistryContext, before: FoundUpload): Promise<FoundUpload> {
  const { bearer, image, upload } = before;
  const now = await findUpload(context, bearer, image, upload.id);
  if (now.upload.chunks === upload.chunks) return now;
  throw chunkOutOfOrder(progressHeaders(image, now.upload), now.upload.size);
}

/** The error for a request that could not continue. If the upload is as before, R2 has lost bytes of it. */
export const reasonOf = (context: RegistryContext, foundUpload: FoundUpload): Promise<unknown> =>
  findSame(context, foundUpload).then(uploadUnknown, (reason: unknown) => reason);

/**
 * Runs the last batch of a request, again with present rows if other calls have changed what it depends on. Throws like
 * {@link withPiece} if they have changed the upload.
 */
export function settle<T>(
  context: RegistryContext,
  foundUpload: FoundUpload,
  work: (foundUpload: FoundUpload, isFirst: boolean) => Promise<T>,
): Promise<T> {
  let isFirst = true;
  return retryStale(async () => {
    const now = isFirst ? foundUpload : await findSame(context, foundUpload);
    const wasFirst = isFirst;
    isFirst = false;
    return work(now, wasFirst);
  });
}
