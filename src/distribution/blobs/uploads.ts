/** Uploads of blobs (OCI distribution, "Pushing blobs"): in one request, as a stream, or in chunks. */

import { StaleError } from "../../aip/stale.ts";
import { type Action, type Reach, reachRepository } from "../access.ts";
import type { RegistryBearer } from "../bearer.ts";
import type { RegistryContext } from "../context.ts";
import { algorithmOf, digestStream, readDigest } from "../digest.ts";
import {
  chunkOutOfOrder,
  digestInvalid,
  methodUnsupported,
  queryInvalid,
  uploadInvalid,
  uploadUnknown,
} from "../errors.ts";
import { requireRepository } from "../new_repository.ts";
import type { ImageName } from "../repository.ts";
import { openContent } from "./blobs.ts";
import { readChunkRange } from "./byte_range.ts";
import { type Hash, keptDigest, newHash, newResumableHash, resumeHash } from "./hash.ts";
import { tryMount } from "./mount.ts";
import {
  bodyTooLarge,
  completeObject,
  type Receipt,
  receive,
  restKey,
  restSize,
} from "./receive.ts";
import { selectQuota } from "./rows.ts";
import {
  createUpload,
  deleteUpload,
  discardUpload,
  finishUpload,
  limitOf,
  selectUpload,
  storageLimitReached,
  type Upload,
  writeProgress,
} from "./upload_rows.ts";

const push: Action = "push";

/** The body of the request, and the most bytes that it may have. Throws SIZE_INVALID over the limit. */
function bodyOf({ request, config }: RegistryContext) {
  const limit = config.maxBodyBytes ?? Number.POSITIVE_INFINITY;
  if (Number(request.headers.get("content-length") ?? 0) > limit) throw bodyTooLarge(limit);
  return { body: request.body, limit };
}

const locationOf = ({ full }: ImageName, { id }: { id: string }) =>
  `/v2/${full}/blobs/uploads/${id}`;

/** The headers that say where the next chunk begins. */
const progressHeaders = (image: ImageName, upload: { id: string; size: number }) => ({
  location: locationOf(image, upload),
  range: `0-${Math.max(0, upload.size - 1)}`,
  "docker-upload-uuid": upload.id,
  "content-length": "0",
});

const created = (image: ImageName, digest: string) =>
  new Response(null, {
    status: 201,
    headers: {
      location: `/v2/${image.full}/blobs/${digest}`,
      "docker-content-digest": digest,
      "content-length": "0",
    },
  });

/**
 * `POST /v2/<name>/blobs/uploads/`: begins an upload, ends it with the body if `digest` is given, or mounts
 * the blob `mount` from another repository. Creates the repository if the caller may.
 */
export async function beginUpload(
  context: RegistryContext,
  bearer: RegistryBearer,
  image: ImageName,
): Promise<Response> {
  const { searchParams } = context.url;
  const digest = searchParams.get("digest");
  if (digest !== null) readDigest(digest);
  const source = bodyOf(context);
  const quota = selectQuota(context.db, image);
  const reach = await reachRepository(context, bearer, image, push, [quota]);
  const [[used]] = reach.rows;
  const limit = limitOf(context, used?.limit);
  if (limit !== undefined && (used?.bytes ?? 0) >= limit) throw storageLimitReached(limit);
  const repo = await requireRepository(context, bearer, reach, image);
  const mounted = await tryMount(context, bearer, reach, { repo, limit });
  if (mounted !== undefined) return created(image, mounted);
  const upload = await createUpload(context, reach, repo);
  if (digest !== null && searchParams.get("mount") === null) {
    const found = { image, reach, repo, upload, limit, used: used?.bytes ?? 0 };
    return endUpload(context, found, digest, source);
  }
  return new Response(null, { status: 202, headers: progressHeaders(image, upload) });
}

/** An upload that the caller has begun, and the limit of the organization. */
export interface FoundUpload {
  image: ImageName;
  reach: Reach;
  repo: string;
  upload: Upload;
  /** The bytes that the organization has. */
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
  const reach = await reachRepository(context, bearer, image, push, [
    selectUpload(db, image, id),
    selectQuota(db, image),
  ]);
  const [[upload], [quota]] = reach.rows;
  const { repo } = reach.place;
  if (!upload || repo === undefined || upload.identity !== reach.caller?.identity) {
    throw uploadUnknown();
  }
  const limit = limitOf(context, quota?.limit);
  return { image, reach, repo, upload, used: quota?.bytes ?? 0, limit };
}

/** `/v2/<name>/blobs/uploads/<id>`: the status, a chunk, the end, or the cancellation of an upload. */
export async function handleUpload(
  context: RegistryContext,
  bearer: RegistryBearer,
  image: ImageName,
  id: string,
): Promise<Response> {
  const { request } = context;
  const source = bodyOf(context);
  const found = await findUpload(context, bearer, image, id);
  const { reach, upload } = found;
  switch (request.method) {
    case "GET":
    case "HEAD":
      return new Response(null, { status: 204, headers: progressHeaders(image, upload) });
    case "PATCH":
      return appendChunk(context, reach, image, upload, source);
    case "PUT": {
      const digest = context.url.searchParams.get("digest");
      if (digest === null) throw queryInvalid("the query must contain the digest of the blob");
      readDigest(digest);
      return endUpload(context, found, digest, source);
    }
    case "DELETE":
      await deleteUpload(context, id);
      return new Response(null, { status: 204 });
    default:
      throw methodUnsupported(request.method, ["GET", "HEAD", "PATCH", "PUT", "DELETE"]);
  }
}

type Source = ReturnType<typeof bodyOf>;

/** The Content-Range of a chunk. Throws RANGE_INVALID if the chunk does not begin where the upload ends. */
function readChunk({ request }: RegistryContext, image: ImageName, upload: Upload) {
  const header = request.headers.get("content-range");
  if (header === null) return undefined;
  const range = readChunkRange(header);
  if (!range) throw uploadInvalid("Content-Range must have the form <first byte>-<last byte>");
  if (range.first !== upload.size || range.last < range.first) {
    throw chunkOutOfOrder(progressHeaders(image, upload), upload.size);
  }
  return range;
}

/** Throws if the body has another number of bytes than its Content-Range says. */
function requireWholeChunk(
  range: ReturnType<typeof readChunk>,
  before: Upload,
  { size }: Receipt,
): void {
  const received = size - before.size;
  if (range && range.last - range.first + 1 !== received) {
    throw uploadInvalid(
      `Content-Range has ${range.last - range.first + 1} bytes, and the body has ${received}`,
    );
  }
}

async function appendChunk(
  context: RegistryContext,
  reach: Reach,
  image: ImageName,
  upload: Upload,
  source: Source,
): Promise<Response> {
  const { storage } = context;
  const range = readChunk(context, image, upload);
  const hash =
    upload.size > 0 ? resumeHash(upload.hash) : range ? newResumableHash() : newHash("sha256");
  const receipt = await receive(storage, upload, { ...source, hash });
  requireWholeChunk(range, upload, receipt);
  if (receipt.size === upload.size) {
    return new Response(null, { status: 202, headers: progressHeaders(image, upload) });
  }
  if (receipt.rest.byteLength > 0) {
    await storage.put(restKey(upload.id, receipt.size), receipt.rest);
  }
  const kept = (await hash?.end()) ?? null;
  try {
    await writeProgress(context, reach, upload, { ...receipt, hash: kept });
  } catch (thrown) {
    if (!(thrown instanceof StaleError)) throw thrown;
    throw await outOfOrderNow(context, image, receipt);
  }
  if (restSize(upload) > 0) {
    context.waitUntil(storage.delete([restKey(upload.id, upload.size)]));
  }
  return new Response(null, { status: 202, headers: progressHeaders(image, receipt) });
}

/** The error for a request that another one has overtaken. */
async function outOfOrderNow(context: RegistryContext, image: ImageName, receipt: Receipt) {
  const [now] = await selectUpload(context.db, image, receipt.id);
  if (now) return chunkOutOfOrder(progressHeaders(image, now), now.size);
  await discardUpload(context, receipt);
  return uploadUnknown();
}

/** Takes the last bytes, compares the digest, and gives the blob to the repository. */
async function endUpload(
  context: RegistryContext,
  found: FoundUpload,
  digest: string,
  source: Source,
): Promise<Response> {
  const { storage } = context;
  const { image, upload } = found;
  const range = readChunk(context, image, upload);
  const algorithm = algorithmOf(digest);
  const hash = upload.size > 0 ? resumeHash(upload.hash) : newHash(algorithm);
  const receipt = await receive(storage, upload, { ...source, hash });
  requireWholeChunk(range, upload, receipt);
  const { size } = receipt;
  const computed = keptDigest(await hashAfter(hash, upload, receipt), algorithm);
  if (computed !== undefined && computed !== digest)
    throw await wrongDigest(context, upload, computed);
  const object = await completeObject(storage, upload, receipt);
  if (computed === undefined) await requireDigest(context, upload, { object, size }, digest);
  return keepBlob(context, found, { digest, size, object });
}

/** Gives the object of an upload to the repository, and ends the upload. */
export async function keepBlob(
  context: RegistryContext,
  { image, reach, repo, upload, limit }: FoundUpload,
  blob: { digest: string; size: number; object: string },
): Promise<Response> {
  await finishUpload(context, reach, repo, upload, blob, limit);
  return created(image, blob.digest);
}

/** The digest after the last bytes, or the state of its computation, if it is known. */
async function hashAfter(
  hash: Hash | undefined,
  upload: Upload,
  { size }: Receipt,
): Promise<string | null> {
  if (size === upload.size && upload.chunks > 0) return upload.hash;
  return (await hash?.end()) ?? null;
}

/**
 * Reads the whole object, because nothing has computed this digest on the way. Throws DIGEST_INVALID for
 * another digest, and ends the upload.
 */
export async function requireDigest(
  context: RegistryContext,
  upload: Upload,
  { object, size }: { object: string; size: number },
  digest: string,
): Promise<void> {
  const bytes = await openContent(context, { object, size, content: null });
  if (!bytes) throw uploadUnknown();
  const { stream, digest: result } = digestStream(algorithmOf(digest));
  await new Response(bytes).body?.pipeTo(stream as unknown as WritableStream);
  const found = await result();
  if (found !== digest) throw await wrongDigest(context, upload, found);
}

async function wrongDigest(context: RegistryContext, { id }: Upload, found: string) {
  await deleteUpload(context, id);
  return digestInvalid(`the bytes have the digest ${found}; the upload has ended, so start again`);
}
