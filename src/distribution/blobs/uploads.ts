/** Uploads of blobs (OCI distribution, "Pushing blobs"): in one request, as a stream, or in chunks. */

import { retryStale } from "../../aip/stale.ts";
import { reachRepository } from "../access.ts";
import type { RegistryBearer } from "../bearer.ts";
import type { RegistryContext } from "../context.ts";
import { readDigest } from "../digest.ts";
import { methodUnsupported, storageLimitReached, uploadInvalid } from "../errors.ts";
import { requireRepository } from "../new_repository.ts";
import { type ImageName, repoUidOf } from "../repository.ts";
import {
  bodyOf,
  created,
  type FoundUpload,
  findUpload,
  progressHeaders,
  readChunk,
  requireWholeChunk,
  settle,
  withPiece,
} from "./chunk.ts";
import { endUpload, endUploadOf } from "./finish.ts";
import { newHash, newResumableHash, resumeHash } from "./hash.ts";
import { tryMount } from "./mount.ts";
import { discardObjects } from "./objects.ts";
import type { Body } from "./receive.ts";
import { selectQuota } from "./rows.ts";
import { createUpload, deleteUpload, limitOf, writeProgress } from "./upload_rows.ts";

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
  const begun = await retryStale(() => begin(context, bearer, image));
  if (typeof begun === "string") return created(image, begun);
  if (digest !== null && searchParams.get("mount") === null) {
    try {
      return await endUpload(context, begun, digest, source);
    } catch (thrown) {
      // The client does not know the upload, so it cannot continue it.
      context.after(() => deleteUpload(context, begun.upload));
      throw thrown;
    }
  }
  return new Response(null, { status: 202, headers: progressHeaders(image, begun.upload) });
}

/** Writes the row of a new upload, or mounts a blob and returns its digest. Throws Stale like {@link createUpload}. */
async function begin(
  context: RegistryContext,
  bearer: RegistryBearer,
  image: ImageName,
): Promise<FoundUpload | string> {
  const quota = selectQuota(context.db, repoUidOf(context.db, image));
  const reach = await reachRepository(context, bearer, image, "push", [quota]);
  const [[found]] = reach.rows;
  requireRoom(context, found);
  const repo = await requireRepository(context, bearer, reach, image);
  // The statement finds the organization by its repository, which did not exist.
  const [used] = reach.repositoryPath.repo === undefined ? await quota : [found];
  const limit = requireRoom(context, used);
  const mounted = await tryMount(context, bearer, reach, { repo, limit });
  if (mounted !== undefined) return mounted;
  const upload = await createUpload(context, reach, repo);
  return { bearer, image, reach, repo, upload, limit, used: used?.bytes ?? 0 };
}

/** The limit of an organization. Throws DENIED if it has reached it. */
function requireRoom(
  context: RegistryContext,
  used: { bytes: number; limit: number | null } | undefined,
): number | undefined {
  const limit = limitOf(context, used?.limit);
  if (limit !== undefined && (used?.bytes ?? 0) >= limit) throw storageLimitReached(limit);
  return limit;
}

/** `/v2/<name>/blobs/uploads/<id>`: the status, a chunk, the end, or the cancellation of an upload. */
export async function handleUpload(
  context: RegistryContext,
  bearer: RegistryBearer,
  image: ImageName,
  id: string,
): Promise<Response> {
  const { request } = context;
  if (request.method === "PUT") return endUploadOf(context, bearer, image, id);
  const source = bodyOf(context);
  const foundUpload = await findUpload(context, bearer, image, id);
  const { upload } = foundUpload;
  switch (request.method) {
    case "GET":
    case "HEAD":
      return new Response(null, { status: 204, headers: progressHeaders(image, upload) });
    case "PATCH":
      return appendChunk(context, foundUpload, source);
    case "DELETE":
      await deleteUpload(context, upload);
      return new Response(null, { status: 204 });
    default:
      throw methodUnsupported(request.method, ["GET", "HEAD", "PATCH", "PUT", "DELETE"]);
  }
}

/** A chunk costs an R2 write of up to 8 MiB, however few bytes it has. So an upload cannot have many small ones. */
const manyChunks = 1000;
const leastChunk = 64 * 1024;

async function appendChunk(
  context: RegistryContext,
  foundUpload: FoundUpload,
  source: Body,
): Promise<Response> {
  const { image, upload } = foundUpload;
  const range = readChunk(context, image, upload, source);
  if (upload.chunks >= manyChunks && upload.size < upload.chunks * leastChunk) {
    throw uploadInvalid(
      `after ${manyChunks} chunks, they must have at least ${leastChunk} bytes on average`,
    );
  }
  const hash =
    upload.size > 0 ? resumeHash(upload.hash) : range ? newResumableHash() : newHash("sha256");
  return withPiece(context, foundUpload, { source, hash }, async (received, added) => {
    requireWholeChunk(range, received.taken);
    const size = upload.size + received.taken;
    if (added) {
      const progress = { size, hash: received.hash, added };
      await settle(context, foundUpload, ({ reach }) =>
        writeProgress(context, reach, upload, progress),
      );
      const { tail } = added;
      if (tail) context.after(() => discardObjects(context, [tail.key]));
    }
    return new Response(null, {
      status: 202,
      headers: progressHeaders(image, { id: upload.id, size }),
    });
  });
}
