/** The R2 bucket with the bytes of the registry. Every failure of R2 is logged, and becomes UNAVAILABLE. */
import type {
  R2Bucket,
  R2MultipartUpload,
  R2ObjectBody,
  R2UploadedPart,
  ReadableStream,
} from "@cloudflare/workers-types";
import { StaleError } from "../../aip/stale.ts";
import { logFailure } from "../../rpc/database_failure.ts";
import { inSpan, type Trace } from "../../telemetry/trace.ts";
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
  reads: 0,
  writes: 0,
  pending: 0,
  mostPending: 0,
});

/** The size of an object in R2, and the ETag that only a new write changes. */
export interface Stored {
  size: number;
  etag: string;
}

/** An object as a row names it. */
export interface Piece extends Stored {
  key: string;
}

/** An object with its bytes, or why it does not have them. */
export type Opened = R2ObjectBody | Fault;

/** Why an object does not have the bytes that its row promises. */
export type Fault = "missing" | "changed";

/** An unfinished multipart upload. */
export interface Multipart {
  id: string;
  /** Like `complete`, it throws Stale if the clean-up has ended the upload. */
  sendPart(number: number, bytes: Uint8Array): Promise<R2UploadedPart>;
  complete(parts: R2UploadedPart[]): Promise<Stored>;
  /** The same for parts that a client names. Undefined if R2 refuses the parts, or if the upload has ended. */
  tryComplete(parts: R2UploadedPart[]): Promise<Stored | undefined>;
  /** Does nothing if the upload has ended. */
  abort(): Promise<void>;
}

/** A page of objects, in the order of their keys. */
export interface ObjectPage {
  objects: { key: string; size: number }[];
  isLast: boolean;
}

/** The objects of the registry. */
export interface Storage {
  meter: StorageMeter;
  /** The bytes of an object, or what is wrong with it. */
  open(piece: Piece, range: ByteRange): Promise<Opened>;
  /** Undefined if there is no such object. */
  stat(key: string): Promise<Stored | undefined>;
  /**
   * Writes a new object. R2 refuses it if the key is in use. If `sha256` is given, in hexadecimal digits, R2 refuses
   * other bytes, and stores it with the object.
   */
  put(key: string, bytes: Uint8Array, sha256?: string): Promise<Stored>;
  /**
   * Writes a new object with the bytes of a stream of known length. `isCut` says whether the stream was ended on
   * purpose. The result is then Stale.
   */
  putStream(key: string, stream: ReadableStream, isCut: () => boolean): Promise<Stored>;
  beginMultipart(key: string): Promise<Multipart>;
  resumeMultipart(key: string, id: string): Multipart;
  delete(keys: string[]): Promise<void>;
  /** The objects after a key, at most 1000. */
  list(after: string): Promise<ObjectPage>;
}

async function attempt<T>(
  name: string,
  trace: Trace | undefined,
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await inSpan(trace, { name: `R2 ${name}`, kind: "client" }, call);
  } catch (thrown) {
    if (thrown instanceof StaleError) throw thrown;
    const requestId = trace?.requestId ?? "";
    logFailure("R2 failed", thrown, { requestId });
    throw storageUnavailable();
  }
}

/** The codes of R2 for parts that are too small, missing, or of different sizes, and for no such upload. */
const partErrors = /\((?:10011|10024|10025|10048)\)/;

/** R2 says that the object ends before the range (10039), so it has fewer bytes than were written. */
function ifShort(thrown: unknown): "changed" {
  if (thrown instanceof Error && thrown.message.includes("(10039)")) return "changed";
  throw thrown;
}

const isAboutParts = (thrown: unknown) =>
  thrown instanceof Error && partErrors.test(thrown.message);

/** R2 has no such upload (10024): the clean-up has ended it, because it has waited for too long. */
function ifEnded(thrown: unknown): never {
  if (thrown instanceof Error && thrown.message.includes("(10024)")) throw new StaleError();
  throw thrown;
}

/** The options for an object whose key must not be in use. */
const ifNew = () => ({ onlyIf: new Headers({ "if-none-match": "*" }) as never });

function storedNew(object: Stored | null): Stored {
  if (!object) throw storageUnavailable();
  return storedOf(object);
}

const storedOf = ({ size, etag }: Stored): Stored => ({ size, etag });

/** Opens the bucket for one request. */
export function openStorage(bucket: R2Bucket, meter = newStorageMeter(), trace?: Trace): Storage {
  const read = <T>(name: string, call: () => Promise<T>) => {
    meter.reads += 1;
    return attempt(name, trace, call);
  };
  const write = <T>(name: string, call: () => Promise<T>) => {
    meter.writes += 1;
    return attempt(name, trace, call);
  };
  const multipart = (upload: R2MultipartUpload): Multipart => ({
    id: upload.uploadId,
    sendPart: (number, bytes) =>
      write("upload part", () => upload.uploadPart(number, bytes).catch(ifEnded)),
    complete: async (parts) =>
      storedOf(await write("complete upload", () => upload.complete(parts).catch(ifEnded))),
    tryComplete: (parts) =>
      write("complete upload", () =>
        upload.complete(parts).then(storedOf, (thrown: unknown) => {
          if (!isAboutParts(thrown)) throw thrown;
          return undefined;
        }),
      ),
    abort: () =>
      write("abort upload", () =>
        upload.abort().catch((thrown: unknown) => {
          if (!isAboutParts(thrown)) throw thrown;
        }),
      ),
  });
  return {
    meter,
    open: async ({ key, size, etag }, range) => {
      const object = await read("get", () => bucket.get(key, { range }).catch(ifShort));
      if (object === "changed") return object;
      if (!object) return "missing";
      if (object.size === size && object.etag === etag) return object;
      await object.body.cancel();
      return "changed";
    },
    stat: async (key) => {
      const object = await read("head", () => bucket.head(key));
      return object ? storedOf(object) : undefined;
    },
    put: async (key, bytes, sha256) => {
      const options = { ...ifNew(), ...(sha256 && { sha256 }) };
      return storedNew(await write("put", () => bucket.put(key, bytes, options)));
    },
    putStream: async (key, stream, isCut) => {
      const put = () =>
        bucket.put(key, stream, ifNew()).catch((thrown: unknown) => {
          throw isCut() ? new StaleError() : thrown;
        });
      return storedNew(await write("put", put));
    },
    beginMultipart: async (key) =>
      multipart(await write("begin upload", () => bucket.createMultipartUpload(key))),
    resumeMultipart: (key, id) => multipart(bucket.resumeMultipartUpload(key, id)),
    delete: (keys) => write("delete", () => bucket.delete(keys)),
    list: async (after) => {
      const page = await read("list", () => bucket.list(after === "" ? {} : { startAfter: after }));
      return { objects: page.objects, isLast: !page.truncated };
    },
  };
}
