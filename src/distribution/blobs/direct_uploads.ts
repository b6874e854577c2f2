/**
 * `/v2/<name>/_<vendor>/uploads/<id>`: an upload whose bytes a client sends to R2 and not to a Worker, which
 * takes only small bodies. It is an extension of the OCI distribution specification ("Extensions").
 *
 * The client begins an upload as usual, gets a URL for each part, and sends the parts to R2. It then ends
 * the upload with the ETags that R2 has returned. The registry computes the digest from the object in R2.
 */
import { eq } from "drizzle-orm";
import { objects } from "../../../schema/tables/distribution/objects.ts";
import { readRequestBytes } from "../../aip/bounded_body.ts";
import { StaleError } from "../../aip/stale.ts";
import { readJson } from "../../aip/text.ts";
import type { RegistryBearer } from "../bearer.ts";
import type { RegistryContext } from "../context.ts";
import { readDigest } from "../digest.ts";
import {
  queryInvalid,
  sizeInvalid,
  storageLimitReached,
  tooLarge,
  unsupported,
  uploadInvalid,
} from "../errors.ts";
import type { ImageName } from "../repository.ts";
import { type FoundUpload, findUpload, reasonOf } from "./chunk.ts";
import { keepBlob, orRepeated, requireDigest } from "./finish.ts";
import { Reservation } from "./objects.ts";
import { presign } from "./presigned.ts";
import { maxBlobSize } from "./receive.ts";
import type { Piece } from "./storage.ts";
import { deleteUpload, writeDirect } from "./upload_rows.ts";

/** The bytes of each part but the last. R2 takes at most 10,000 parts. */
const partSize = 64 * 1024 * 1024;

/** How long the URLs can be used, in seconds. */
const lifetime = 60 * 60;

/** The most bytes of a request. */
const maxRequestBytes = 256 * 1024;

async function readObject({ request }: RegistryContext): Promise<Record<string, unknown>> {
  const bytes = await readRequestBytes(request, maxRequestBytes, () =>
    tooLarge(`the request may have at most ${maxRequestBytes} bytes`),
  );
  const value = readJson(bytes, (path, what) =>
    uploadInvalid(path === "" ? `the request ${what}` : `the request: ${path} ${what}`),
  );
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw uploadInvalid("the request must be a JSON object");
}

function bucketOf({ config }: RegistryContext) {
  if (config.s3) return config.s3;
  throw unsupported("this registry takes blobs only in requests to itself");
}

/** `POST`: the URLs for the parts of a blob with `size` bytes. A second request returns new URLs. */
export async function planDirectUpload(
  context: RegistryContext,
  bearer: RegistryBearer,
  image: ImageName,
  id: string,
): Promise<Response> {
  const bucket = bucketOf(context);
  const foundUpload = await findUpload(context, bearer, image, id);
  const { size } = await readObject(context);
  if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 1 || size > maxBlobSize) {
    throw sizeInvalid(`size must be a number of bytes from 1 to ${maxBlobSize}`);
  }
  const { used, limit, upload } = foundUpload;
  if (limit !== undefined && used + size > limit) throw storageLimitReached(limit);
  if (upload.size > 0) throw uploadInvalid("the upload has begun with chunks");
  const known = upload.direct && (await findDirect(context, upload.direct));
  if (known && known.size !== size) {
    throw uploadInvalid(`the upload has begun with ${known.size} bytes; begin another one`);
  }
  const { key, multipart } = known || (await beginDirect(context, foundUpload, size));
  const { now } = context;
  const urls = Array.from({ length: Math.ceil(size / partSize) }, (_, index) => {
    const query = { partNumber: String(index + 1), uploadId: multipart };
    const length = Math.min(partSize, size - index * partSize);
    return presign(bucket, { method: "PUT", key, lifetime, query, length }, now);
  });
  return Response.json({
    partSize,
    parts: (await Promise.all(urls)).map((url) => ({ url })),
    expireTime: new Date(now + lifetime * 1000).toISOString(),
  });
}

/** The object that the client writes. Undefined once R2 has it, or if the clean-up has ended it. */
async function findDirect({ db }: RegistryContext, key: string) {
  const { size, multipart } = objects;
  const [row] = await db.select({ size, multipart }).from(objects).where(eq(objects.key, key));
  return row?.multipart ? { key, size: row.size, multipart: row.multipart } : undefined;
}

/** Reserves the bytes of an object that the client writes, and begins it. */
async function beginDirect(
  context: RegistryContext,
  { reach, repo, upload, limit }: FoundUpload,
  size: number,
) {
  if (upload.direct)
    throw uploadInvalid("the upload has ended in R2; end it here, or begin another");
  const reservation = new Reservation(context, { repo, upload, limit });
  const { key } = reservation;
  const begun = await context.storage.beginMultipart(key);
  try {
    await reservation.extend(size, begun.id);
    await writeDirect(context, reach, upload, key);
    return { key, multipart: begun.id };
  } catch (thrown) {
    context.after(async () => {
      await begun.abort().catch(() => {});
      await reservation.discard();
    });
    if (!(thrown instanceof StaleError)) throw thrown;
    throw uploadInvalid("another request has changed the upload; send this one again");
  }
}

/** `PUT`: ends the upload. `parts` are the ETags in the order of the parts. */
export async function completeDirectUpload(
  context: RegistryContext,
  bearer: RegistryBearer,
  image: ImageName,
  id: string,
): Promise<Response> {
  bucketOf(context);
  const digestText = context.url.searchParams.get("digest");
  if (digestText === null) throw queryInvalid("the query must contain the digest of the blob");
  const digest = readDigest(digestText);
  return orRepeated(context, { bearer, image, digest }, async () => {
    const foundUpload = await findUpload(context, bearer, image, id);
    return endDirect(context, foundUpload, await readParts(context), digest);
  });
}

/** The ETags of the parts, in their order. */
async function readParts(context: RegistryContext): Promise<string[]> {
  const { parts } = await readObject(context);
  const isList = Array.isArray(parts) && parts.length > 0 && parts.length <= 10_000;
  if (isList && parts.every((etag) => typeof etag === "string")) return parts;
  throw uploadInvalid("parts must be the list of the ETags of the parts, from 1 to 10000");
}

async function endDirect(
  context: RegistryContext,
  foundUpload: FoundUpload,
  parts: string[],
  digest: string,
): Promise<Response> {
  const { upload } = foundUpload;
  const direct = upload.direct && (await findDirect(context, upload.direct));
  if (!direct || upload.size > 0) throw uploadInvalid("the upload has no parts in R2");
  const piece = await completeDirect(context, direct, parts);
  try {
    if (piece.size !== direct.size) {
      await deleteUpload(context, upload, true);
      throw sizeInvalid(`the parts have ${piece.size} bytes, and the upload has ${direct.size}`);
    }
    await requireDigest(context, upload, [piece], digest);
    const added = { piece, tail: undefined };
    return await keepBlob(context, foundUpload, { digest, size: piece.size, added });
  } catch (thrown) {
    throw thrown instanceof StaleError ? await reasonOf(context, foundUpload) : thrown;
  }
}

/** Completes the object. If an earlier request has done that and its response was lost, the object is there. */
async function completeDirect(
  { storage }: RegistryContext,
  { key, multipart }: { key: string; multipart: string },
  parts: string[],
): Promise<Piece> {
  const etags = parts.map((etag, index) => ({
    partNumber: index + 1,
    etag: etag.replaceAll('"', ""),
  }));
  const completed = await storage.resumeMultipart(key, multipart).tryComplete(etags);
  const stored = completed ?? (await storage.stat(key));
  if (stored) return { key, ...stored };
  throw uploadInvalid("a part is missing or smaller than the others, or has another ETag");
}
