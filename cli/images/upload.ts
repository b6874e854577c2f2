/** Uploads one blob: in one request if it is small, otherwise in chunks (OCI distribution, "Pushing blobs"). */
import { withAttempts } from "./attempts.ts";
import { findOffset, locationIn, type Send, sendBytes, type Upload } from "./chunks.ts";
import { uploadDirectly } from "./direct_upload.ts";
import type { LocalBlob } from "./local_image.ts";
import { requireStatus, type Session } from "./session.ts";
import type { UploadRecords } from "./upload_records.ts";

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
    await sendAll(send, upload, blob, { ...setting, advance });
    return "uploaded";
  }, setting.signal);
  await records.forget(key);
  if (result === "mounted") setting.onBytes(blob.size);
  return result;
}

const sender =
  ({ session, name, signal }: UploadSetting): Send =>
  (request) =>
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

/** Sends the bytes that the registry lacks, and ends the upload. */
async function sendAll(
  send: Send,
  upload: Upload,
  blob: LocalBlob,
  { onBytes, advance }: Pick<UploadSetting, "onBytes"> & { advance: () => void },
): Promise<void> {
  const earlier = upload.offset;
  onBytes(earlier);
  const { digest, size: end } = blob;
  await sendBytes(send, upload, { blob, end, digest, onBytes, advance }).catch((thrown) => {
    onBytes(-earlier);
    throw thrown;
  });
}
