/**
 * Streams the body of a request into R2. R2 requires the parts of a multipart upload to be equal in
 * size, except for the last. Bytes after the last full part are therefore an object of their own until the
 * next request.
 */
import type { R2UploadedPart, ReadableStream } from "@cloudflare/workers-types";
import { clientLeft } from "../../aip/errors.ts";
import { tooLarge } from "../errors.ts";
import type { Hash } from "./hash.ts";
import type { Multipart, Storage } from "./storage.ts";

/** The bytes of a part. Two of them are in memory at most: one that fills, and one on its way to R2. */
export const partSize = 8 * 1024 * 1024;

/** R2 takes at most 10,000 parts. */
export const maxBlobSize = partSize * 10_000;

/** The key of the object that the parts of an upload become. */
export const objectKey = (upload: string) => `${upload}/blob`;

/** The key of the bytes after the last full part of an upload with `size` bytes. */
export const restKey = (upload: string, size: number) => `${upload}/${size}`;

/** The state of an upload, as its row keeps it. */
export interface Received {
  id: string;
  size: number;
  multipart: string | null;
  parts: string[];
}

/** The bytes after the last full part, as a number. */
export const restSize = ({ size, parts }: Received) => size - parts.length * partSize;

/** The state after a request, with the bytes after the last full part. */
export type Receipt = Received & { rest: Uint8Array; open: Multipart | undefined };

interface Source {
  body: Request["body"];
  /** The most bytes that the request may have. */
  limit: number;
  hash: Hash | undefined;
}

/** Reads the bytes after the last full part of earlier requests into the beginning of a buffer. */
async function readRest(storage: Storage, upload: Received, buffer: Uint8Array): Promise<number> {
  const waiting = restSize(upload);
  if (waiting === 0) return 0;
  const object = await storage.get(restKey(upload.id, upload.size));
  const bytes = new Uint8Array((await object?.arrayBuffer()) ?? new ArrayBuffer(0));
  if (bytes.byteLength !== waiting) throw new Error(`upload ${upload.id} has lost its last bytes`);
  buffer.set(bytes);
  return waiting;
}

/** Sends full parts to R2, one at a time. */
class PartSender {
  readonly #storage: Storage;
  readonly #upload: Received;
  readonly parts: string[];
  open: Multipart | undefined;
  #sending: Promise<R2UploadedPart> | undefined;

  constructor(storage: Storage, upload: Received) {
    this.#storage = storage;
    this.#upload = upload;
    this.parts = [...upload.parts];
    if (upload.multipart) {
      this.open = storage.resumeMultipart(objectKey(upload.id), upload.multipart);
    }
  }

  /** Waits for the previous part, and begins to send this one. */
  async send(bytes: Uint8Array): Promise<void> {
    await this.settle();
    this.open ??= await this.#storage.beginMultipart(objectKey(this.#upload.id));
    const sending = this.open.sendPart(this.parts.length + 1, bytes);
    // The error is thrown where the result is awaited.
    sending.catch(() => {});
    this.#sending = sending;
  }

  async settle(): Promise<void> {
    if (!this.#sending) return;
    const { etag } = await this.#sending;
    this.#sending = undefined;
    this.parts.push(etag);
    this.#storage.meter.pending -= partSize;
  }
}

/**
 * Takes the bytes of a request. Full parts are in R2 when it returns, and the rest is only in memory. Throws
 * SIZE_INVALID over the limit, and CANCELED if the client leaves.
 */
export async function receive(
  storage: Storage,
  upload: Received,
  { body, limit, hash }: Source,
): Promise<Receipt> {
  const { meter } = storage;
  const sender = new PartSender(storage, upload);
  let buffer = new Uint8Array(partSize);
  let filled = await readRest(storage, upload, buffer);
  let taken = 0;
  const reader = (body as unknown as ReadableStream<Uint8Array> | null)?.getReader({
    mode: "byob",
  });
  while (reader) {
    const view = buffer.subarray(filled);
    const { done, value } = await reader.readAtLeast(view.byteLength, view).catch(() => {
      throw clientLeft();
    });
    if (value) buffer = new Uint8Array(value.buffer as ArrayBuffer);
    if (value && value.byteLength > 0) {
      taken += value.byteLength;
      filled += value.byteLength;
      meter.pending += value.byteLength;
      meter.mostPending = Math.max(meter.mostPending, meter.pending);
      if (taken > limit || upload.size + taken > maxBlobSize) throw bodyTooLarge(limit);
      await hash?.update(value);
    }
    if (filled === partSize) {
      await sender.send(buffer);
      buffer = new Uint8Array(partSize);
      filled = 0;
    }
    if (done) break;
  }
  await sender.settle();
  return {
    id: upload.id,
    size: upload.size + taken,
    multipart: sender.open?.id ?? null,
    parts: sender.parts,
    rest: buffer.subarray(0, filled),
    open: sender.open,
  };
}

/** The error for a body over the limit. It names the way for larger blobs. */
export const bodyTooLarge = (limit: number) =>
  tooLarge(
    `the body of a request may have at most ${limit} bytes; push the blob in smaller chunks, as platformctl push does`,
  );

/**
 * Completes the object of an upload. Returns its key. If an earlier attempt completed it and its response was
 * lost, the object is there already.
 */
export async function completeObject(
  storage: Storage,
  upload: Received,
  { parts, rest, open, size }: Receipt,
): Promise<string> {
  const key = objectKey(upload.id);
  if (!open) {
    if (size === upload.size && size > 0) return restKey(upload.id, size);
    await storage.put(key, rest);
    return key;
  }
  const etags = parts.map((etag, index) => ({ partNumber: index + 1, etag }));
  try {
    const last = rest.byteLength > 0 ? [await open.sendPart(parts.length + 1, rest)] : [];
    await open.complete([...etags, ...last]);
  } catch (thrown) {
    if ((await storage.sizeOf(key)) !== size) throw thrown;
  }
  return key;
}
