/** The R2 bucket with all blobs. Every failure of R2 is logged, and becomes UNAVAILABLE. */
import type {
  R2Bucket,
  R2MultipartUpload,
  R2ObjectBody,
  R2UploadedPart,
} from "@cloudflare/workers-types";
import { logText } from "../../rpc/database_failure.ts";
import { storageUnavailable } from "../errors.ts";
import type { ByteRange } from "./byte_range.ts";

/** The calls to R2 so far. */
export interface StorageMeter {
  reads: number;
  writes: number;
  /** Bytes that were taken from the body and that R2 has not acknowledged yet, and the most of them so far. */
  pending: number;
  mostPending: number;
}

export const newStorageMeter = (): StorageMeter => ({
  ...{ reads: 0, writes: 0 },
  ...{ pending: 0, mostPending: 0 },
});

/** An unfinished multipart upload. */
export interface Multipart {
  id: string;
  sendPart(number: number, bytes: Uint8Array): Promise<R2UploadedPart>;
  complete(parts: R2UploadedPart[]): Promise<void>;
  /** The same for parts that a client names. The size of the object, or undefined if R2 refuses the parts. */
  tryComplete(parts: R2UploadedPart[]): Promise<number | undefined>;
  /** Does nothing if the upload has ended. */
  abort(): Promise<void>;
}

/** The objects of the registry. */
export interface Storage {
  meter: StorageMeter;
  /** Undefined if there is no such object. */
  get(key: string, range?: ByteRange): Promise<R2ObjectBody | undefined>;
  /** The number of bytes. Undefined if there is no such object. */
  sizeOf(key: string): Promise<number | undefined>;
  put(key: string, bytes: Uint8Array | string): Promise<void>;
  beginMultipart(key: string): Promise<Multipart>;
  resumeMultipart(key: string, id: string): Multipart;
  delete(keys: string[]): Promise<void>;
  /** At most 1000 keys that begin with the prefix. */
  list(prefix: string): Promise<string[]>;
}

async function attempt<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (thrown) {
    console.error(`R2 failed: ${logText(thrown)}`);
    throw storageUnavailable();
  }
}

/** The codes of R2 for parts that are too small, missing, or of different sizes, and for no such upload. */
const partErrors = /\((?:10011|10024|10025|10048)\)/;

const isAboutParts = (thrown: unknown) =>
  thrown instanceof Error && partErrors.test(thrown.message);

/** Opens the bucket for one request. */
export function openStorage(bucket: R2Bucket, meter = newStorageMeter()): Storage {
  const read = <T>(call: () => Promise<T>) => {
    meter.reads += 1;
    return attempt(call);
  };
  const write = <T>(call: () => Promise<T>) => {
    meter.writes += 1;
    return attempt(call);
  };
  const multipart = (upload: R2MultipartUpload): Multipart => ({
    id: upload.uploadId,
    sendPart: (number, bytes) => write(() => upload.uploadPart(number, bytes)),
    complete: async (parts) => void (await write(() => upload.complete(parts))),
    tryComplete: (parts) =>
      write(() =>
        upload.complete(parts).then(
          ({ size }) => size,
          (thrown: unknown) => {
            if (!isAboutParts(thrown)) throw thrown;
            return undefined;
          },
        ),
      ),
    abort: () => upload.abort().catch(() => {}),
  });
  return {
    meter,
    get: async (key, range) =>
      (await read(() => bucket.get(key, range ? { range } : {}))) ?? undefined,
    sizeOf: async (key) => (await read(() => bucket.head(key)))?.size,
    put: async (key, bytes) => void (await write(() => bucket.put(key, bytes))),
    beginMultipart: async (key) => multipart(await write(() => bucket.createMultipartUpload(key))),
    resumeMultipart: (key, id) => multipart(bucket.resumeMultipartUpload(key, id)),
    delete: (keys) => write(() => bucket.delete(keys)),
    list: async (prefix) =>
      (await write(() => bucket.list({ prefix }))).objects.map(({ key }) => key),
  };
}
