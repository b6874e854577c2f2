/** The rows of uploads. */
import { and, eq, inArray, lt, type SQL, sql } from "drizzle-orm";
import { ContentKind } from "../../../schema/tables/distribution/blobs.ts";
import { organizationStorage, repoStorage } from "../../../schema/tables/distribution/storage.ts";
import { OPEN_UPLOADS, uploads } from "../../../schema/tables/distribution/uploads.ts";
import { insertFrom } from "../../aip/insert_from.ts";
import { toHex } from "../../aip/sha256.ts";
import { rootOf } from "../../aip/uid_path.ts";
import type { Database } from "../../auth/call.ts";
import { commit, commitIfChanged, onlyIfChanged, type Statement } from "../../outbox/commit.ts";
import { limitOfBytes, limitOfKind, usedOfKind } from "../../resource/quotas.ts";
import type { Reach } from "../access.ts";
import type { RegistryContext } from "../context.ts";
import { type ImageName, repoUidOf } from "../repository.ts";
import { type BlobState, storeBytes } from "./blob_state.ts";
import {
  discardObjects,
  dropPiece,
  dropReserved,
  givePieces,
  giveWritten,
  isBeingWrittenTo,
  isPieceOf,
  keepPiece,
} from "./objects.ts";
import { createStorage, linkBlob, piecesOf, repoIdOf } from "./rows.ts";
import type { Piece } from "./storage.ts";

/** An upload that no request has changed for this long is idle, in milliseconds. */
const idleAfter = 60_000;

/** A row of an upload, with the objects that have its bytes. */
export type Upload = Pick<
  typeof uploads.$inferSelect,
  "id" | "size" | "chunks" | "hash" | "direct" | "identity"
> & { pieces: Piece[] };

const columns = {
  id: uploads.id,
  size: uploads.size,
  chunks: uploads.chunks,
  hash: uploads.hash,
  direct: uploads.direct,
  identity: uploads.identity,
};

/** The statement that reads an upload of the image. */
export const selectUpload = (db: Database, name: ImageName, id: string) =>
  db
    .select({ ...columns, pieces: piecesOf(isPieceOf(id)).as("pieces") })
    .from(uploads)
    .innerJoin(repoStorage, eq(repoStorage.id, uploads.repo))
    .where(and(eq(uploads.id, id), eq(repoStorage.uid, repoUidOf(db, name))));

/**
 * Writes the row of a new upload. The repository must exist. If the organization has too many uploads, those that have
 * been idle for longest end. Throws RESOURCE_EXHAUSTED if none is idle, and Stale if the repository or the access is gone.
 */
export async function createUpload(
  { db, now }: RegistryContext,
  { guards, caller }: Reach,
  repo: string,
): Promise<Upload> {
  const id = toHex(crypto.getRandomValues(new Uint8Array(16)));
  const identity = caller?.identity ?? "";
  const root = rootOf(repo);
  const organization = sql<number>`(select ${organizationStorage.id} from ${organizationStorage}
    where ${eq(organizationStorage.uid, root)})`;
  const isIdle = and(
    sql`${uploads.organization} = ${organization}`,
    lt(uploads.updateTime, now - idleAfter),
    sql`not ${isBeingWrittenTo(now)}`,
  );
  const excess = sql`(select "used" + 1 - "most" from (select ${usedOfKind(root, OPEN_UPLOADS)} as "used",
    ${limitOfKind(root, OPEN_UPLOADS)} as "most" limit 1) where "most" >= 0)`;
  const oldest = sql`(select ${uploads.id} from ${uploads} where ${isIdle}
    order by ${uploads.updateTime} limit max(0, ifnull(${excess}, 0)))`;
  const row = {
    id,
    repo: repoIdOf(repo),
    organization,
    identity,
    createTime: now,
    updateTime: now,
  };
  const [first, ...rest] = [
    ...createStorage(db, repo),
    db.delete(uploads).where(inArray(uploads.id, oldest)),
    insertFrom(db, uploads, row, sql`where true`),
  ] as unknown as [Statement, ...Statement[]];
  await commit({ db, guards }, [first, ...rest]);
  return { id, size: 0, chunks: 0, hash: null, direct: null, identity, pieces: [] };
}

/** The condition that no request has changed an upload since it was read. */
const isAsRead = ({ id, chunks }: Pick<Upload, "id" | "chunks">) =>
  and(eq(uploads.id, id), eq(uploads.chunks, chunks));

/** A piece that a request has written, and the piece whose bytes it contains too. */
export interface NewPiece {
  piece: Piece;
  tail: Piece | undefined;
}

/** The statements that add a piece to its upload, instead of the tail. */
const addPiece = (db: Database, { id, size }: Upload, { piece, tail }: NewPiece): Statement[] => [
  keepPiece(db, piece, { id, start: size - (tail?.size ?? 0) }),
  onlyIfChanged(db),
  ...(tail ? [dropPiece(db, tail.key)] : []),
];

/** Writes the state of an upload after a chunk. Throws Stale if another request has changed or ended the upload. */
export const writeProgress = (
  { db, now }: RegistryContext,
  { guards }: Reach,
  before: Upload,
  { size, hash, added }: { size: number; hash: string | null; added: NewPiece },
): Promise<void> =>
  commitIfChanged({ db, guards }, [
    db
      .update(uploads)
      .set({ size, hash, chunks: before.chunks + 1, updateTime: now })
      .where(isAsRead(before)),
    ...addPiece(db, before, added),
  ]);

/** Records the object that the client sends to R2 itself. Throws Stale like {@link writeProgress}. */
export const writeDirect = (
  { db, now }: RegistryContext,
  { guards }: Reach,
  before: Upload,
  direct: string,
): Promise<void> =>
  commitIfChanged({ db, guards }, [
    db
      .update(uploads)
      .set({ direct, chunks: before.chunks + 1, updateTime: now })
      .where(isAsRead(before)),
  ]);

/**
 * Ends an upload, and deletes its objects. With `isUnchanged`, it does so only if no other request
 * has changed the upload.
 */
export async function deleteUpload(
  context: RegistryContext,
  upload: Upload,
  isUnchanged = false,
): Promise<void> {
  const condition = isUnchanged ? isAsRead(upload) : eq(uploads.id, upload.id);
  const deleted = await context.db.delete(uploads).where(condition).returning({ id: uploads.id });
  if (deleted.length === 0) return;
  const keys = upload.pieces.map(({ key }) => key);
  await discardObjects(context, upload.direct ? [...keys, upload.direct] : keys);
}

/** The bytes that an organization may store, or undefined for any number. */
export const limitOf = ({ config }: RegistryContext, limit: number | null | undefined) =>
  limitOfBytes(limit, config);

/** The statements that give all bytes of an upload to a blob. */
function giveAll(
  db: Database,
  { id, size, pieces }: Upload,
  added: NewPiece | undefined,
  blob: SQL<number>,
): Statement[] {
  const isOne = pieces.length === (added?.tail ? 1 : 0);
  const start = size - (added?.tail?.size ?? 0);
  return [
    ...(added
      ? [giveWritten(db, added.piece, { upload: id, start, blob }), onlyIfChanged(db)]
      : []),
    ...(added?.tail ? [dropPiece(db, added.tail.key)] : []),
    ...(isOne ? [] : [givePieces(db, id, blob)]),
  ];
}

/** How an upload ends. */
export interface Ending {
  digest: string;
  size: number;
  added: NewPiece | undefined;
  state: BlobState | undefined;
  sound: boolean;
}

/**
 * Ends an upload: the repository has the blob, and the row of the upload is gone. The bytes are reserved already, so the
 * organization may have them. Throws Stale if the access or the state of the blob has changed, or if another request has
 * changed or ended the upload.
 */
export async function finishUpload(
  { db, now }: RegistryContext,
  { guards }: Reach,
  repo: string,
  upload: Upload,
  { digest, size, added, state, sound }: Ending,
): Promise<void> {
  await commit({ db, guards }, [
    db.update(uploads).set({ updateTime: now }).where(isAsRead(upload)),
    onlyIfChanged(db),
    ...storeBytes(db, { digest, size }, { state, sound }, (blob) =>
      giveAll(db, upload, added, blob),
    ),
    linkBlob(db, repo, ContentKind.blob, digest, now),
    // The bytes of the other push count instead.
    ...(sound ? [dropReserved(db, upload.id)] : []),
    db.delete(uploads).where(eq(uploads.id, upload.id)),
  ]);
}
