/** Compares one blob with its objects in R2, and quarantines it. */
import { createHash } from "node:crypto";
import type { R2Bucket } from "@cloudflare/workers-types";
import { run, type Sql } from "../../move/sql.ts";

/** A value of `blobs.fault` (schema/tables/distribution/blobs.ts). */
export type Fault = "missing" | "changed";

/** An object as its row names it. */
export interface Piece {
  key: string;
  size: number;
  etag: string | null;
}

/** A blob whose bytes are in R2, with its objects in their order. */
export interface StoredBlob {
  id: number;
  digest: string;
  size: number;
  pieces: Piece[];
  /** The pieces as the database returned them. A blob with the same text still has the same objects. */
  read: string;
}

/** A fault, and what is wrong as the end of a sentence about the blob. */
export interface Damage {
  fault: Fault;
  wrong: string;
}

const pieces = `(SELECT json_group_array(json_array(key, size, etag) ORDER BY first_byte, key)
  FROM objects WHERE blob_id = blobs.id)`;

const isReadable = "size IS NOT NULL AND content IS NULL AND fault IS NULL";

/** SQL: the digest of a row of `blobs` as text. */
export const digestText =
  "iif(length(digest) = 64, 'sha512:', 'sha256:') || lower(hex(digest)) AS digest";

/** Reads a blob. Undefined if it has no bytes in R2, or if it is quarantined. */
export async function readBlob(database: Sql, id: number): Promise<StoredBlob | undefined> {
  const sql = `SELECT ${digestText}, size, ${pieces} AS pieces FROM blobs WHERE id = ? AND ${isReadable}`;
  const [row] = await run(database, sql, id);
  if (!row) return undefined;
  const read = String(row.pieces);
  const listed = JSON.parse(read) as [string, number, string | null][];
  return {
    id,
    digest: String(row.digest),
    size: Number(row.size),
    read,
    pieces: listed.map(([key, size, etag]) => ({ key, size, etag })),
  };
}

/** An object as R2 names it, with the values that its row must have too. */
type StoredObject = { size: number; etag: string } | null | undefined;

/** Compares an object with its row. Undefined if it is the one that was written. */
export function damageOf({ key, size, etag }: Piece, object: StoredObject): Damage | undefined {
  if (!object) return { fault: "missing", wrong: `its object ${key} is missing` };
  if (object.size === size && object.etag === etag) return undefined;
  return {
    fault: "changed",
    wrong: `its object ${key} has another size or ETag than at its write`,
  };
}

/** Asks R2 about the objects of a blob. Returns the first damaged one in the order of keys. */
export async function findDamage(
  bucket: R2Bucket,
  blob: StoredBlob,
): Promise<(Damage & { key: string }) | undefined> {
  const byKey = blob.pieces.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  for (const piece of byKey) {
    const damage = damageOf(piece, await bucket.head(piece.key));
    if (damage) return { ...damage, key: piece.key };
  }
  return undefined;
}

/** The most bytes that one read of R2 returns. A local R2 reads all of them before it returns the first one. */
const readSize = 64 * 1024 * 1024;

/**
 * Reads all bytes of a blob and compares their digest. An object that is missing or that was written again is not
 * damage here: {@link findDamage} finds it.
 */
export async function reread(bucket: R2Bucket, blob: StoredBlob): Promise<Damage | undefined> {
  const stored = blob.pieces.reduce((sum, { size }) => sum + size, 0);
  if (stored !== blob.size) {
    return { fault: "missing", wrong: `its objects have ${stored} of its ${blob.size} bytes` };
  }
  const [algorithm = ""] = blob.digest.split(":");
  const hash = createHash(algorithm);
  for (const piece of blob.pieces) {
    for (let offset = 0; offset < piece.size; offset += readSize) {
      const length = Math.min(readSize, piece.size - offset);
      const object = await bucket.get(piece.key, { range: { offset, length } });
      if (!object || damageOf(piece, object)) {
        await object?.body.cancel();
        return undefined;
      }
      for await (const chunk of object.body as unknown as AsyncIterable<Uint8Array>)
        hash.update(chunk);
    }
  }
  const digest = `${algorithm}:${hash.digest("hex")}`;
  return digest === blob.digest
    ? undefined
    : { fault: "changed", wrong: `its bytes have the digest ${digest}` };
}

/**
 * Quarantines a blob, or only looks whether that would be right. Returns false if it has other objects by now, or if it
 * is quarantined already.
 */
export async function quarantine(
  database: Sql,
  { id, read }: StoredBlob,
  fault: Fault,
  isRepairing: boolean,
): Promise<boolean> {
  const isSame = `id = ? AND ${isReadable} AND ${pieces} = ?`;
  const rows = isRepairing
    ? await run(
        database,
        `UPDATE blobs SET fault = ?, fault_time = NULL WHERE ${isSame} RETURNING id`,
        ...[fault, id, read],
      )
    : await run(database, `SELECT id FROM blobs WHERE ${isSame}`, id, read);
  return rows.length > 0;
}
