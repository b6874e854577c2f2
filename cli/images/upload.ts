/** Uploads one blob: in one request if it is small, otherwise in chunks (OCI distribution, "Pushing blobs"). */
import { PlatformError } from "../../client/errors.ts";
import { refusedFailure } from "../failure.ts";
import { withAttempts } from "./attempts.ts";
import { bodyOf } from "./blob_body.ts";
import { uploadDirectly } from "./direct_upload.ts";
import type { LocalBlob } from "./local_image.ts";
import { type RegistryRequest, requireStatus, type Session } from "./session.ts";
import type { UploadRecords } from "./upload_records.ts";

const mebibyte = 1024 * 1024;

/** In bytes: chunks do not become smaller than this after a 413. */
const minChunkSize = mebibyte;

/** The setting of all uploads of a push. */
export type UploadSetting = {
  session: Session;
  name: string;
  /** In bytes. */
  chunkSize: number;
  /** The repository that may already have the blob. */
  mountFrom: string | undefined;
  records: UploadRecords;
  signal: AbortSignal | undefined;
  /** Called with the bytes that the registry has more than before. They can be fewer after an error. */
  onBytes: (bytes: number) => void;
};

/** How a blob came into the repository. */
export type UploadResult = "exists" | "mounted" | "uploaded";

/** Uploads a blob unless the repository has it. It continues an upload that an earlier run has begun. */
export async function uploadBlob(setting: UploadSetting, blob: LocalBlob): Promise<UploadResult> {
  const { name, records } = setting;
  const send = sender(setting);
  if (await withAttempts(() => hasBlob(send, name, blob), setting.signal)) {
    setting.onBytes(blob.size);
    return "exists";
  }
  const key = { registry: setting.session.url, name, digest: blob.digest };
  const { location, etags = [] } = (await records.find(key)) ?? {};
  const upload: Upload = { location, etags, offset: 0, chunkSize: setting.chunkSize };
  const result = await withAttempts(async (advance) => {
    await findOffset(send, upload);
    if (upload.location === undefined) {
      upload.location = await beginUpload(send, setting, blob);
      upload.offset = 0;
      upload.etags.length = 0;
      if (upload.location === undefined) return "mounted";
      if (blob.size > upload.chunkSize) await records.keep(key, upload);
    }
    const isLarge = upload.offset === 0 && blob.size > upload.chunkSize;
    const { location = "" } = upload;
    const onPart = async () => {
      advance();
      await records.keep(key, upload);
    };
    if (
      isLarge &&
      (await uploadDirectly({ ...setting, blob, location, etags: upload.etags, onPart }))
    )
      return "uploaded";
    await sendBytes(send, upload, blob, { ...setting, advance });
    return "uploaded";
  }, setting.signal);
  await records.forget(key);
  if (result === "mounted") setting.onBytes(blob.size);
  return result;
}

type Send = ReturnType<typeof sender>;

const sender =
  ({ session, name, signal }: UploadSetting) =>
  (request: RegistryRequest) =>
    session.send(name, { ...request, signal });

async function hasBlob(send: Send, name: string, { digest }: LocalBlob): Promise<boolean> {
  const response = await send({ method: "HEAD", path: `/v2/${name}/blobs/${digest}` });
  // A rate limit says nothing about the blob.
  if (response.status === 429) await requireStatus(response);
  // The response to HEAD has no body with an error, and the repository may not exist yet.
  return response.ok;
}

/** Returns the location of a new upload, or undefined if the registry has mounted the blob. */
async function beginUpload(
  send: Send,
  { name, mountFrom }: UploadSetting,
  { digest }: LocalBlob,
): Promise<string | undefined> {
  const query = new URLSearchParams({ mount: digest, ...(mountFrom ? { from: mountFrom } : {}) });
  const response = await send({ method: "POST", path: `/v2/${name}/blobs/uploads/?${query}` });
  await requireStatus(response, 201, 202);
  return response.status === 201 ? undefined : locationIn(response);
}

function locationIn(response: Response): string {
  const location = response.headers.get("location");
  if (location) return new URL(location, response.url).href;
  throw refusedFailure("REGISTRY", "The registry returned an upload without a location.");
}

/** An upload, and how many bytes of it the registry has. */
type Upload = {
  location: string | undefined;
  /** Those of the parts that R2 has, if the bytes do not go through the registry. */
  etags: string[];
  offset: number;
  chunkSize: number;
};

/** Asks the registry how many bytes it has. Forgets the location of an upload that no longer exists. */
async function findOffset(send: Send, upload: Upload): Promise<void> {
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

type Sending = Pick<UploadSetting, "onBytes"> & { advance: () => void };

async function sendBytes(
  send: Send,
  upload: Upload,
  blob: LocalBlob,
  { onBytes, advance }: Sending,
): Promise<void> {
  let sent = 0;
  const count = (bytes: number) => {
    sent += bytes;
    onBytes(bytes);
  };
  count(upload.offset);
  try {
    for (;;) {
      const left = blob.size - upload.offset;
      const isLast = left === 0 || (upload.offset === 0 && left <= upload.chunkSize);
      const before = sent;
      const response = await sendPart(send, upload, blob, { isLast, count });
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
  blob: LocalBlob,
  { isLast, count }: Part,
): Promise<Response> {
  const end = Math.min(blob.size, offset + chunkSize);
  const target = new URL(location);
  if (isLast) target.searchParams.set("digest", blob.digest);
  return send({
    method: isLast ? "PUT" : "PATCH",
    path: target.href,
    headers: {
      "content-type": "application/octet-stream",
      ...(isLast ? {} : { "content-range": `${offset}-${end - 1}` }),
    },
    body: bodyOf(blob, offset, end, count),
  });
}
