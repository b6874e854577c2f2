/** The rows of uploads. */
import { and, eq, sql } from "drizzle-orm";
import { blobs, ContentKind } from "../../../schema/tables/distribution/blobs.ts";
import { organizationStorage, repoStorage } from "../../../schema/tables/distribution/storage.ts";
import { objectDeletions, uploads } from "../../../schema/tables/distribution/uploads.ts";
import { toHex } from "../../aip/sha256.ts";
import { StaleError } from "../../aip/stale.ts";
import { rootOf } from "../../aip/uid_path.ts";
import type { Database } from "../../auth/call.ts";
import { commit, commitIfChanged, onlyIf, onlyIfChanged } from "../../outbox/commit.ts";
import type { Reach } from "../access.ts";
import type { RegistryContext } from "../context.ts";
import { quotaExceeded, uploadUnknown } from "../errors.ts";
import { type ImageName, repoUidOf } from "../repository.ts";
import type { Received } from "./receive.ts";
import { createStorage, digestSql, repoIdOf, storeBlob } from "./rows.ts";

/** A row of an upload. */
export type Upload = Received & Pick<typeof uploads.$inferSelect, "chunks" | "hash" | "identity">;

const columns = {
  id: uploads.id,
  size: uploads.size,
  chunks: uploads.chunks,
  multipart: uploads.multipart,
  parts: uploads.parts,
  hash: uploads.hash,
  identity: uploads.identity,
};

/** The statement that reads an upload of the image. */
export const selectUpload = (db: Database, name: ImageName, id: string) =>
  db
    .select(columns)
    .from(uploads)
    .innerJoin(repoStorage, eq(repoStorage.id, uploads.repo))
    .where(and(eq(uploads.id, id), eq(repoStorage.uid, repoUidOf(db, name))));

/** Writes the row of a new upload. The repository must exist. */
export async function createUpload(
  { db, now }: RegistryContext,
  { guards, caller }: Reach,
  repo: string,
): Promise<Upload> {
  const id = toHex(crypto.getRandomValues(new Uint8Array(16)));
  const identity = caller?.identity ?? "";
  const [first, ...rest] = createStorage(db, repo);
  const row = { id, repo: repoIdOf(repo), identity, updateTime: now };
  await commit({ db, guards }, [
    first as (typeof rest)[number],
    ...rest,
    db.insert(uploads).values(row),
  ]);
  return { id, size: 0, chunks: 0, multipart: null, parts: [], hash: null, identity };
}

/**
 * Writes the state of an upload after a chunk. Throws Stale if another request has changed or ended the
 * upload.
 */
export const writeProgress = (
  { db, now }: RegistryContext,
  { guards }: Reach,
  before: Upload,
  { size, multipart, parts, hash }: Received & { hash: string | null },
): Promise<void> =>
  commitIfChanged({ db, guards }, [
    db
      .update(uploads)
      .set({ size, multipart, parts, hash, chunks: before.chunks + 1, updateTime: now })
      .where(and(eq(uploads.id, before.id), eq(uploads.chunks, before.chunks))),
  ]);

/** Deletes an upload. Its objects are deleted later. */
export const deleteUpload = ({ db }: RegistryContext, id: string) =>
  db.delete(uploads).where(eq(uploads.id, id));

/**
 * Deletes an upload that another request or the clean-up may have ended already. This request may have
 * written objects since then, so they are deleted in any case.
 */
export async function discardUpload(
  { db }: RegistryContext,
  { id, multipart }: Pick<Received, "id" | "multipart">,
): Promise<void> {
  await db.batch([
    db.delete(uploads).where(eq(uploads.id, id)),
    db.insert(objectDeletions).values({ upload: id, multipart }).onConflictDoNothing(),
  ]);
}

/** The bytes that an organization may store, or undefined for any number. */
export const limitOf = ({ config }: RegistryContext, limit: number | null | undefined) =>
  limit ?? config.storageLimitBytes;

/** The error for an organization that may store no more. */
export const storageLimitReached = (limit: number) =>
  quotaExceeded(
    `the organization may store ${limit} bytes in the registry, and this would be more; delete images, or ask the operator for more`,
  );

/** The statement that undoes its batch unless the organization is within its limit at that point. */
export const isWithinLimit = (db: Database, repo: string, limit: number) =>
  onlyIf(
    db,
    sql`(select ${organizationStorage.bytes} from ${organizationStorage}
      where ${eq(organizationStorage.uid, rootOf(repo))}) <= ${limit}`,
  );

/** The statement that records the object of an upload that a stored blob uses. */
export const keepObject = (db: Database, id: string, digest: string, object: string) =>
  db
    .update(uploads)
    .set({
      kept: sql`(select ${blobs.object} from ${blobs}
        where ${blobs.digest} = ${digestSql(digest)} and ${eq(blobs.object, object)})`,
    })
    .where(eq(uploads.id, id));

interface Finished {
  digest: string;
  size: number;
  object: string;
}

/**
 * Ends an upload: the repository has the blob, and the row of the upload is gone. If the platform already has
 * the blob, the object of the upload is deleted later. Throws BLOB_UPLOAD_UNKNOWN if another request has
 * ended the upload, and DENIED if the organization may store no more.
 */
export async function finishUpload(
  context: RegistryContext,
  { guards }: Reach,
  repo: string,
  upload: Upload,
  { digest, size, object }: Finished,
  limit: number | undefined,
): Promise<void> {
  const { db, now } = context;
  const claim = db
    .update(uploads)
    .set({ updateTime: now })
    .where(and(eq(uploads.id, upload.id), eq(uploads.chunks, upload.chunks)));
  try {
    await commit({ db, guards }, [
      claim,
      onlyIfChanged(db),
      ...storeBlob(db, repo, ContentKind.blob, { digest, size, object }, now),
      keepObject(db, upload.id, digest, object),
      deleteUpload(context, upload.id),
      ...(limit === undefined ? [] : [isWithinLimit(db, repo, limit)]),
    ]);
  } catch (thrown) {
    if (!(thrown instanceof StaleError)) throw thrown;
    const [left] = await db
      .select({ chunks: uploads.chunks })
      .from(uploads)
      .where(eq(uploads.id, upload.id));
    // Another request continues the upload, or this one may not have it.
    if (!left) await discardUpload(context, upload);
    const isFull = left?.chunks === upload.chunks && limit !== undefined;
    throw isFull ? storageLimitReached(limit) : uploadUnknown();
  }
}
