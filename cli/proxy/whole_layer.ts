/** Sends a whole layer at once, to R2 directly if that can be reached. */
import { newHash } from "../images/download.ts";
import type { Session } from "../images/session.ts";
import { uploadBlob } from "../images/upload.ts";
import type { UploadRecords } from "../images/upload_records.ts";
import { refusal } from "./errors.ts";
import type { Spool } from "./spool.ts";

/** The setting of all layers. */
export type WholeSetting = {
  session: Session;
  records: UploadRecords;
  /** In bytes. */
  chunkSize: number;
  /** Runs the uploads with the same key one after the other. */
  oneAtATime: <T>(key: string, work: () => Promise<T>) => Promise<T>;
  signal: AbortSignal;
};

/** A layer that has arrived. `location` is the URL of the upload that its client has begun. */
export type WholeLayer = {
  name: string;
  location: string;
  piece: Spool;
  digest: string;
  onBytes: (bytes: number) => void;
};

/**
 * Sends it unless the repository has it. It continues the upload that an earlier run has begun with the same layer.
 * Throws DIGEST_INVALID if the bytes have another digest.
 */
export async function sendWhole(setting: WholeSetting, layer: WholeLayer): Promise<void> {
  const { session, records, oneAtATime, chunkSize, signal } = setting;
  const { name, location, piece, digest, onBytes } = layer;
  await requireDigest(piece, digest);
  const blob = {
    digest,
    size: piece.size,
    read: (start: number, end: number) => piece.read(start, end),
  };
  const key = { registry: session.url, name, digest };
  await oneAtATime(`${name}@${digest}`, async () => {
    const isNew = (await records.find(key)) === undefined;
    if (isNew) await records.keep(key, { location, etags: [] });
    const sent = { session, name, chunkSize, mountFrom: undefined, records, signal, onBytes };
    const result = await uploadBlob(sent, blob);
    if (result === "exists") await records.forget(key);
    // The bytes came in another way, so the upload of the client is not needed.
    if (result === "exists" || !isNew)
      await session.send(name, { method: "DELETE", path: location, signal }).catch(() => {});
  });
}

async function requireDigest(piece: Spool, digest: string): Promise<void> {
  const [algorithm = ""] = digest.split(":", 1);
  const hash = newHash({ digest, size: piece.size, mediaType: "" });
  for await (const chunk of piece.read(0, piece.size)) hash.update(chunk);
  const actual = `${algorithm}:${hash.digest("hex")}`;
  if (actual !== digest)
    throw refusal(400, "DIGEST_INVALID", `the bytes have the digest ${actual}; start again`);
}
