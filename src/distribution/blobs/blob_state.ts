/**
 * The state of a blob before a push of it ends. It decides whether the push keeps its own bytes, or uses those of an
 * earlier push.
 */
import { type SQL, sql } from "drizzle-orm";
import { blobs } from "../../../schema/tables/distribution/blobs.ts";
import { objects } from "../../../schema/tables/distribution/objects.ts";
import type { Database } from "../../auth/call.ts";
import { onlyIf, type Statement } from "../../outbox/commit.ts";
import type { RegistryContext } from "../context.ts";
import { dropBytes } from "./objects.ts";
import { blobIdOf, isDigestOf, piecesOf } from "./rows.ts";
import type { Fault, Piece, Stored } from "./storage.ts";

/** The state of a blob that decides whether a push needs its own bytes. */
export interface BlobState {
  size: number | null;
  fault: Fault | null;
  isInline: boolean;
  pieces: Piece[];
}

/** The statement that reads the state of a blob. No row if no one has named it. */
export const selectBlobState = (db: Database, digest: string) =>
  db
    .select({
      size: blobs.size,
      fault: blobs.fault,
      isInline: sql<boolean>`${blobs.content} is not null`.mapWith(Boolean).as("is_inline"),
      pieces: piecesOf(sql`${objects.blob} = ${blobs.id}`).as("pieces"),
    })
    .from(blobs)
    .where(isDigestOf(digest));

/** The objects of a blob that are looked at. A pull looks at all of them. */
const mostLooks = 30;

/**
 * Whether the bytes of a blob are where its row says. A push is answered from the bytes of another push only then. R2
 * is asked about the objects, or some of them if there are many, and the answer must be the one of the write.
 */
export async function isSound(
  { storage }: Pick<RegistryContext, "storage">,
  state: BlobState | undefined,
): Promise<boolean> {
  if (!state || state.size === null || state.fault !== null) return false;
  if (state.isInline) return true;
  const { pieces } = state;
  if (pieces.reduce((sum, { size }) => sum + size, 0) !== state.size) return false;
  const isThere = ({ size, etag }: Piece, object: Stored | undefined) =>
    object?.size === size && object.etag === etag;
  const looked = shuffled(pieces).slice(0, mostLooks);
  for (let start = 0; start < looked.length; start += 6) {
    const batch = looked.slice(start, start + 6);
    const storedObjects = await Promise.all(batch.map(({ key }) => storage.stat(key)));
    if (!batch.every((piece, index) => isThere(piece, storedObjects[index]))) return false;
  }
  return true;
}

const shuffled = (pieces: Piece[]) =>
  pieces
    .map((piece) => ({ piece, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ piece }) => piece);

/** The statement that undoes its batch if the blob is not in the state any more that was read. */
function requireState(db: Database, digest: string, state: BlobState | undefined): Statement {
  const read = sql`select 1 from ${blobs} where ${isDigestOf(digest)} and ${blobs.size} is not null`;
  if (!state || state.size === null) return onlyIf(db, sql`not exists (${read})`);
  const first = sql`(select min(key) from ${objects} where ${objects.blob} = ${blobs.id})`;
  const key = state.pieces.map((piece) => piece.key).sort()[0] ?? null;
  const isSame = sql`${blobs.fault} is ${state.fault} and ${first} is ${key}`;
  return onlyIf(db, sql`exists (${read} and ${isSame})`);
}

/**
 * The statements that store a blob. If its bytes are sound, it keeps them. Otherwise it gets those that `give` gives it.
 * They throw Stale if the state has changed since it was read.
 */
export const storeBytes = (
  db: Database,
  { digest, size }: { digest: string; size: number },
  { state, sound }: { state: BlobState | undefined; sound: boolean },
  give: (blob: SQL<number>) => Statement[],
): Statement[] => [
  requireState(db, digest, state),
  ...(sound
    ? []
    : [
        db
          .insert(blobs)
          .values({ digest, size })
          .onConflictDoUpdate({
            target: blobs.digest,
            set: { size, content: null, fault: null, faultTime: null },
          }),
        dropBytes(db, blobIdOf(digest)),
        ...give(blobIdOf(digest)),
      ]),
];

/** The statement that stores the bytes of a small manifest in D1. They need nothing of R2. */
export const storeInline = (
  db: Database,
  { digest, size, content }: { digest: string; size: number; content: string },
): Statement =>
  db
    .insert(blobs)
    .values({ digest, size, content })
    .onConflictDoUpdate({
      target: blobs.digest,
      set: { size, content, fault: null, faultTime: null },
      setWhere: sql`${blobs.content} is null`,
    });
