/**
 * Reads of blobs that begin while access is checked. An isolate remembers where the blobs are that a caller was allowed to
 * pull. When the caller asks for one of them again, R2 is asked at the same time as D1. Only the answer of D1 decides: if
 * it refuses, or names another object, the bytes are dropped.
 */
import { callerUid } from "../../auth/call.ts";
import type { RegistryBearer } from "../bearer.ts";
import type { RegistryContext } from "../context.ts";
import type { ImageName } from "../repository.ts";
import { readRange } from "./byte_range.ts";
import { firstReadOf } from "./contents.ts";
import type { BlobRow } from "./rows.ts";
import type { Opened, Piece } from "./storage.ts";

/** The most blobs that an isolate remembers. */
const most = 1_000;

const known = new Map<string, Piece>();

const keyOf = (bearer: RegistryBearer, image: ImageName, digest: string) =>
  `${callerUid(bearer.credential)} ${image.full} ${digest}`;

/** Remembers where a blob is that the caller has just been allowed to pull. */
export function rememberBlob(
  bearer: RegistryBearer,
  image: ImageName,
  { digest, pieces: [piece, ...others] }: BlobRow,
): void {
  if (!bearer.credential || !piece || others.length > 0) return;
  const key = keyOf(bearer, image, digest);
  known.delete(key);
  known.set(key, piece);
  const [oldest] = known.keys();
  if (known.size > most && oldest !== undefined) known.delete(oldest);
}

/** A read of R2 that has begun. One of `take` and `drop` must be called. */
export class EarlyRead {
  readonly #piece: Piece;
  readonly #opened: Promise<Opened>;

  constructor(piece: Piece, opened: Promise<Opened>) {
    this.#piece = piece;
    this.#opened = opened;
    opened.catch(() => {});
  }

  /** The object, if it is where the row says that the blob is. */
  take({ pieces: [piece, ...others] }: BlobRow): Promise<Opened> | undefined {
    const isSame =
      others.length === 0 && piece?.key === this.#piece.key && piece.etag === this.#piece.etag;
    if (isSame) return this.#opened;
    this.drop();
    return undefined;
  }

  /** Sends none of the bytes. */
  drop(): void {
    this.#opened
      .then((opened) => (typeof opened === "string" ? undefined : opened.body.cancel()))
      .catch(() => {});
  }
}

/** Begins the read of a GET. Undefined if the caller was not allowed to pull the blob before, as far as this isolate knows. */
export function beginEarly(
  { request, storage, config }: RegistryContext,
  bearer: RegistryBearer,
  image: ImageName,
  digest: string,
): EarlyRead | undefined {
  // A client that has the blob, or is sent elsewhere, gets no bytes.
  if (request.method !== "GET" || request.headers.has("if-none-match")) return undefined;
  if (!bearer.credential || config.s3?.redirectsPulls) return undefined;
  const piece = known.get(keyOf(bearer, image, digest));
  if (!piece) return undefined;
  const range = readRange(request.headers, piece.size, `"${digest}"`);
  if (range === "unsatisfiable") return undefined;
  const first = firstReadOf([piece], range ?? { offset: 0, length: piece.size });
  return first && new EarlyRead(piece, storage.open(first.piece, first.range));
}
