/** The end of an upload: the digest is compared, and the repository has the blob. */

import { ContentKind } from "../../../schema/tables/distribution/blobs.ts";
import { StaleError } from "../../aip/stale.ts";
import { reachRepository } from "../access.ts";
import type { RegistryBearer } from "../bearer.ts";
import type { RegistryContext } from "../context.ts";
import { algorithmOf, digestStream, readDigest } from "../digest.ts";
import { digestInvalid, queryInvalid, RegistryError } from "../errors.ts";
import type { ImageName } from "../repository.ts";
import { isSound, selectBlobState } from "./blob_state.ts";
import { renewLink } from "./blobs.ts";
import {
  bodyOf,
  created,
  type FoundUpload,
  findUpload,
  readChunk,
  requireWholeChunk,
  settle,
  withPiece,
} from "./chunk.ts";
import { openPieces } from "./contents.ts";
import { keptDigest, newHash, resumeHash } from "./hash.ts";
import { discardObjects } from "./objects.ts";
import type { Body } from "./receive.ts";
import { selectLinked } from "./rows.ts";
import type { Piece } from "./storage.ts";
import { deleteUpload, type Ending, finishUpload, type Upload } from "./upload_rows.ts";

/**
 * `PUT /v2/<name>/blobs/uploads/<id>?digest=<digest>`. If the upload has ended and the repository has the blob, the
 * client repeats a request whose response it did not get, and the answer is the same.
 */
export async function endUploadOf(
  context: RegistryContext,
  bearer: RegistryBearer,
  image: ImageName,
  id: string,
): Promise<Response> {
  const source = bodyOf(context);
  const digestText = context.url.searchParams.get("digest");
  if (digestText === null) throw queryInvalid("the query must contain the digest of the blob");
  const digest = readDigest(digestText);
  return orRepeated(context, { bearer, image, digest }, async () =>
    endUpload(context, await findUpload(context, bearer, image, id), digest, source),
  );
}

/** Answers a request to end an upload that has ended already, if the repository has the blob. */
export async function orRepeated(
  context: RegistryContext,
  { bearer, image, digest }: { bearer: RegistryBearer; image: ImageName; digest: string },
  end: () => Promise<Response>,
): Promise<Response> {
  try {
    return await end();
  } catch (thrown) {
    const isEnded = thrown instanceof RegistryError && thrown.code === "BLOB_UPLOAD_UNKNOWN";
    if (!isEnded || !(await hasBlob(context, bearer, image, digest))) throw thrown;
    return created(image, digest);
  }
}

async function hasBlob(
  context: RegistryContext,
  bearer: RegistryBearer,
  image: ImageName,
  digest: string,
): Promise<boolean> {
  const linked = selectLinked(context.db, image, ContentKind.blob, digest);
  const [[row]] = (await reachRepository(context, bearer, image, "push", [linked])).rows;
  return row !== undefined && row.fault === null && renewLink(context, row);
}

/** Takes the last bytes, compares the digest, and gives the blob to the repository. */
export async function endUpload(
  context: RegistryContext,
  foundUpload: FoundUpload,
  digest: string,
  source: Body,
): Promise<Response> {
  const { image, upload } = foundUpload;
  const range = readChunk(context, image, upload, source);
  const algorithm = algorithmOf(digest);
  const hash = upload.size > 0 ? resumeHash(upload.hash) : newHash(algorithm);
  return withPiece(context, foundUpload, { source, hash }, async (received, added) => {
    requireWholeChunk(range, received.taken);
    const size = upload.size + received.taken;
    const pieces = added
      ? [...upload.pieces.slice(0, added.tail ? -1 : undefined), added.piece]
      : upload.pieces;
    const earlier = async () => (upload.size > 0 ? upload.hash : ((await hash?.end()) ?? null));
    const computed = keptDigest(added ? received.hash : await earlier(), algorithm);
    if (computed === undefined) await requireDigest(context, upload, pieces, digest);
    else if (computed !== digest) throw await wrongDigest(context, upload, computed);
    return keepBlob(context, foundUpload, { digest, size, added });
  });
}

/**
 * Gives the bytes of an upload to the repository, and ends the upload. Another push may have brought the blob already.
 * Its bytes stay if they are sound. Throws BLOB_UPLOAD_UNKNOWN or 416 if another request has ended or changed the upload.
 */
export async function keepBlob(
  context: RegistryContext,
  foundUpload: FoundUpload,
  blob: Pick<Ending, "digest" | "size" | "added">,
): Promise<Response> {
  // Most blobs are new, so the first attempt does not look.
  let known: Pick<Ending, "state" | "sound"> = { state: undefined, sound: false };
  await settle(context, foundUpload, async ({ reach, repo, upload }, isFirst) => {
    if (!isFirst) {
      const [state] = await selectBlobState(context.db, blob.digest);
      known = { state, sound: await isSound(context, state) };
    }
    await finishUpload(context, reach, repo, upload, { ...blob, ...known });
  });
  const { added } = blob;
  const unused = known.sound ? [...foundUpload.upload.pieces, added?.piece] : [added?.tail];
  const keys = unused.flatMap((piece) => (piece ? [piece.key] : []));
  // A client that does not reach R2 sends chunks instead.
  const { direct } = foundUpload.upload;
  if (direct !== null && direct !== added?.piece.key) keys.push(direct);
  if (keys.length > 0) context.after(() => discardObjects(context, keys));
  return created(foundUpload.image, blob.digest);
}

/**
 * Reads all bytes of an upload, because nothing has computed this digest on the way. Throws DIGEST_INVALID for
 * another digest, and ends the upload. Throws Stale if another request has written the pieces again.
 */
export async function requireDigest(
  context: RegistryContext,
  upload: Upload,
  pieces: Piece[],
  digest: string,
): Promise<void> {
  const size = pieces.reduce((sum, piece) => sum + piece.size, 0);
  const bytes = await openPieces(context, pieces, { offset: 0, length: size });
  if (typeof bytes === "string") throw new StaleError();
  const { stream, digest: result } = digestStream(algorithmOf(digest));
  await new Response(bytes).body?.pipeTo(stream as unknown as WritableStream);
  const actualDigest = await result();
  if (actualDigest !== digest) throw await wrongDigest(context, upload, actualDigest);
}

async function wrongDigest(context: RegistryContext, upload: Upload, actualDigest: string) {
  await deleteUpload(context, upload, true);
  return digestInvalid(
    `the bytes have the digest ${actualDigest}; the upload has ended, so start again`,
  );
}
