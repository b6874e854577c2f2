/**
 * `/v2/<name>/_<vendor>/uploads/<id>`: an upload whose bytes a client sends to R2 and not to a Worker, which
 * takes only small bodies. It is an extension of the OCI distribution specification ("Extensions").
 *
 * The client begins an upload as usual, gets a URL for each part, and sends the parts to R2. It then ends
 * the upload with the ETags that R2 has returned. The registry computes the digest from the object in R2.
 */
import { readRequestBytes } from "../../aip/bounded_body.ts";
import { StaleError } from "../../aip/stale.ts";
import { readJson } from "../../aip/text.ts";
import type { RegistryBearer } from "../bearer.ts";
import type { RegistryContext } from "../context.ts";
import { readDigest } from "../digest.ts";
import { queryInvalid, sizeInvalid, tooLarge, unsupported, uploadInvalid } from "../errors.ts";
import type { ImageName } from "../repository.ts";
import { presign } from "./presigned.ts";
import { maxBlobSize, objectKey } from "./receive.ts";
import { storageLimitReached, writeProgress } from "./upload_rows.ts";
import { findUpload, keepBlob, requireDigest } from "./uploads.ts";

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
  const { reach, upload, used, limit } = await findUpload(context, bearer, image, id);
  const { size } = await readObject(context);
  if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 1 || size > maxBlobSize) {
    throw sizeInvalid(`size must be a number of bytes from 1 to ${maxBlobSize}`);
  }
  if (limit !== undefined && used + size > limit) throw storageLimitReached(limit);
  if (upload.size > 0) throw uploadInvalid("the upload has begun with chunks");
  const key = objectKey(id);
  const uploadId = upload.multipart ?? (await beginMultipart());
  const count = Math.ceil(size / partSize);
  const { now } = context;
  const urls = Array.from({ length: count }, (_, index) =>
    presign(
      bucket,
      { method: "PUT", key, lifetime, query: { partNumber: String(index + 1), uploadId } },
      now,
    ),
  );
  return Response.json({
    partSize,
    parts: (await Promise.all(urls)).map((url) => ({ url })),
    expireTime: new Date(now + lifetime * 1000).toISOString(),
  });

  async function beginMultipart(): Promise<string> {
    const begun = await context.storage.beginMultipart(key);
    try {
      await writeProgress(context, reach, upload, { ...upload, multipart: begun.id });
    } catch (thrown) {
      context.waitUntil(begun.abort());
      if (!(thrown instanceof StaleError)) throw thrown;
      throw uploadInvalid("another request has changed the upload; send this one again");
    }
    return begun.id;
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
  const given = context.url.searchParams.get("digest");
  if (given === null) throw queryInvalid("the query must contain the digest of the blob");
  const digest = readDigest(given);
  const found = await findUpload(context, bearer, image, id);
  const { parts } = await readObject(context);
  const isList = Array.isArray(parts) && parts.length > 0 && parts.length <= 10_000;
  if (!isList || !parts.every((etag) => typeof etag === "string")) {
    throw uploadInvalid("parts must be the list of the ETags of the parts, from 1 to 10000");
  }
  const { multipart } = found.upload;
  if (multipart === null) throw uploadInvalid("the upload has no parts in R2");
  const { storage } = context;
  const key = objectKey(id);
  const etags = parts.map((etag: string, index) => ({
    partNumber: index + 1,
    etag: etag.replaceAll('"', ""),
  }));
  const completed = await storage.resumeMultipart(key, multipart).tryComplete(etags);
  // If R2 refuses the parts, an earlier request may have completed the object, and its response was lost.
  const size = completed ?? (await storage.sizeOf(key));
  if (size === undefined) {
    throw uploadInvalid("a part is missing or smaller than the others, or has another ETag");
  }
  await requireDigest(context, found.upload, { object: key, size }, digest);
  return keepBlob(context, found, { digest, size, object: key });
}
