/**
 * D1 and R2 with a gate before every call. The real bindings do the work. The bytes of a body are read within the call,
 * so that a call has returned completely.
 */
import type {
  D1Database,
  R2Bucket,
  R2GetOptions,
  R2ListOptions,
  R2MultipartUpload,
  R2Object,
  R2ObjectBody,
  R2UploadedPart,
} from "@cloudflare/workers-types";
import { databaseThrough, type Query } from "../../../src/rpc/d1_through.ts";

/** Makes a call when it may be made. The label is for the history. */
export type Through = <T>(label: string, work: () => Promise<T>) => Promise<T>;

/** The verb and the first table of each statement. */
const labelOf = (queries: Query[]) => {
  const names = queries.map(({ sql }) => {
    const [verb = ""] = /\w+/.exec(sql) ?? [];
    const [, table = ""] = /(?:from|into|update)\s+"?(\w+)/i.exec(sql) ?? [];
    return `${verb} ${table}`.trim();
  });
  return `D1 ${[...new Set(names)].join(", ")}`;
};

export function gatedDatabase(db: D1Database, through: Through): D1Database {
  return databaseThrough((queries) =>
    through(labelOf(queries), () => {
      const session = db.withSession("first-primary");
      return session.batch(queries.map(({ sql, params }) => session.prepare(sql).bind(...params)));
    }),
  );
}

type Bytes = Uint8Array<ArrayBuffer>;

/** A value for R2 as bytes. The chunks of a stream have gates of their own. */
const bytesOf = async (value: unknown): Promise<Bytes> =>
  new Uint8Array(await new Response(value as BodyInit | null).arrayBuffer());

/** Long hexadecimal numbers are shortened. */
const short = (key: string) => key.replace(/[0-9a-f]{12,}/g, (id) => `${id.slice(0, 6)}…`);

/** The same object, whose bytes are in memory. */
function withBytes(object: R2ObjectBody, bytes: ArrayBuffer): R2ObjectBody {
  const response = () => new Response(bytes);
  const own: Record<string, unknown> = {
    arrayBuffer: () => response().arrayBuffer(),
    blob: () => response().blob(),
    bytes: async () => new Uint8Array(await response().arrayBuffer()),
    json: () => response().json(),
    text: () => response().text(),
  };
  const { body } = response();
  return new Proxy(object, {
    get(target, name) {
      if (name === "body") return body;
      if (typeof name === "string" && Object.hasOwn(own, name)) return own[name];
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function gatedUpload(upload: R2MultipartUpload, through: Through): R2MultipartUpload {
  const key = short(upload.key);
  return {
    key: upload.key,
    uploadId: upload.uploadId,
    async uploadPart(number: number, value: unknown) {
      const bytes = await bytesOf(value);
      const label = `R2 part ${number} of ${key}, ${bytes.length} bytes`;
      return through(label, () => upload.uploadPart(number, bytes));
    },
    complete: (parts: R2UploadedPart[]) =>
      through(`R2 complete ${key}`, () => upload.complete(parts)),
    abort: () => through(`R2 abort ${key}`, () => upload.abort()),
  };
}

export function gatedBucket(bucket: R2Bucket, through: Through): R2Bucket {
  const gated = {
    head: (key: string) => through(`R2 head ${short(key)}`, () => bucket.head(key)),
    get: (key: string, options?: R2GetOptions) =>
      through(`R2 get ${short(key)}`, async () => {
        const found: R2ObjectBody | R2Object | null = await bucket.get(key, options);
        if (!found || !("body" in found)) return found;
        return withBytes(found as R2ObjectBody, await (found as R2ObjectBody).arrayBuffer());
      }),
    async put(key: string, value: unknown, options?: object) {
      const bytes = await bytesOf(value);
      const label = `R2 put ${short(key)}, ${bytes.length} bytes`;
      return through(label, () => bucket.put(key, bytes, options));
    },
    delete: (keys: string | string[]) =>
      through(`R2 delete ${[keys].flat().map(short).join(", ")}`, () => bucket.delete(keys)),
    list: (options?: R2ListOptions) => through("R2 list", () => bucket.list(options)),
    createMultipartUpload: (key: string, options?: object) =>
      through(`R2 begin ${short(key)}`, async () =>
        gatedUpload(await bucket.createMultipartUpload(key, options), through),
      ),
    resumeMultipartUpload: (key: string, id: string) =>
      gatedUpload(bucket.resumeMultipartUpload(key, id), through),
  };
  return gated as unknown as R2Bucket;
}
