/**
 * Deletes what no one needs any more. Each step is one batch or can be repeated, so a run that is interrupted
 * loses nothing. D1 goes first: a row that is gone can no longer lead to an object of R2 that is not there.
 */
import { and, asc, eq, inArray, isNotNull, lt, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import {
  blobLinks,
  blobs,
  ContentKind,
  manifestReferences,
} from "../../schema/tables/distribution/blobs.ts";
import { repoStorage } from "../../schema/tables/distribution/storage.ts";
import { objectDeletions, uploads } from "../../schema/tables/distribution/uploads.ts";
import { runBatches } from "../aip/batches.ts";
import { insertFrom } from "../aip/insert_from.ts";
import type { Database } from "../auth/call.ts";
import { isWritable } from "../auth/databases.ts";
import { type Env, requireBucket } from "../config.ts";
import { openDatabase } from "../rpc/database.ts";
import type { Execution } from "../rpc/runtime.ts";
import { objectKey } from "./blobs/receive.ts";
import { openStorage, type Storage } from "./blobs/storage.ts";
import { isNeededElsewhere } from "./shared_objects.ts";
import { deleteOldPulls } from "./tag_pulls.ts";

const hourMs = 60 * 60 * 1000;

/** How long a blob without a use is kept. */
export const blobGrace = 24 * hourMs;

/** How long an upload is kept that gets no more bytes. R2 keeps multipart uploads as long. */
export const uploadLifetime = 7 * 24 * hourMs;

/** The uid of a repository, as SQL. */
const uidOf = (repo: SQLiteColumn) =>
  sql`(select ${repoStorage.uid} from ${repoStorage} where ${repoStorage.id} = ${repo})`;

/** The rows of one batch. */
const batchSize = 100;

/** The schedule of the registry. */
export async function cleanUp(env: Env, execution: Execution): Promise<void> {
  const { databases } = openDatabase(env, execution);
  const storage = openStorage(requireBucket(env));
  const now = Date.now();
  for (const db of databases.all) {
    const others = await databases.othersThan(db);
    await runBatches(batchSize, () => expireUploads(db, now - uploadLifetime));
    await runBatches(batchSize, () => unlinkBlobs(db, now - blobGrace));
    await runBatches(batchSize, () => deleteBlobs(db, now - blobGrace));
    await runBatches(batchSize, () => deleteObjects(db, others, storage));
    await runBatches(batchSize, () => deleteOldPulls(db, now, batchSize));
  }
}

/** Ends uploads that get no more bytes. Returns their number. */
async function expireUploads(db: Database, before: number): Promise<number> {
  const expired = db
    .select({ id: uploads.id })
    .from(uploads)
    .where(and(lt(uploads.updateTime, before), isWritable(uidOf(uploads.repo))))
    .limit(batchSize);
  const rows = await db
    .delete(uploads)
    .where(inArray(uploads.id, expired))
    .returning({ id: uploads.id });
  return rows.length;
}

/** Unlinks blobs that no manifest of their repository needs. Returns the number of links that were looked at. */
async function unlinkBlobs(db: Database, before: number): Promise<number> {
  const idle = await db
    .select({ repo: blobLinks.repo, blob: blobLinks.blob })
    .from(blobLinks)
    .where(
      and(
        isNotNull(blobLinks.idleTime),
        lt(blobLinks.idleTime, before),
        isWritable(uidOf(blobLinks.repo)),
      ),
    )
    .orderBy(asc(blobLinks.idleTime))
    .limit(batchSize);
  if (idle.length === 0) return 0;
  const pairs = JSON.stringify(idle.map(({ repo, blob }) => [repo, blob]));
  // A push may have renewed the time, or begun to use the blob, since the rows were read.
  const stillIdle = and(
    eq(blobLinks.kind, ContentKind.blob),
    lt(blobLinks.idleTime, before),
    sql`(${blobLinks.repo}, ${blobLinks.blob}) in (select value ->> 0, value ->> 1 from json_each(${pairs}))`,
  );
  const isUsed = sql`exists (
    select 1 from ${manifestReferences} as named join ${blobLinks} as holder
      on holder.repo_id = ${blobLinks}.repo_id and holder.kind = ${ContentKind.manifest}
        and holder.blob_id = named.manifest_id
    where named.blob_id = ${blobLinks}.blob_id)`;
  await db.batch([
    db.delete(blobLinks).where(and(stillIdle, sql`not ${isUsed}`)),
    db.update(blobLinks).set({ idleTime: null }).where(stillIdle),
  ]);
  return idle.length;
}

/**
 * Deletes blobs that no repository has. Their objects are deleted later. A blob that a manifest names keeps its
 * row without bytes. Returns the number of blobs.
 */
async function deleteBlobs(db: Database, before: number): Promise<number> {
  const rows = await db
    .select({ id: blobs.id })
    .from(blobs)
    .where(and(isNotNull(blobs.idleTime), lt(blobs.idleTime, before)))
    .orderBy(asc(blobs.idleTime))
    .limit(batchSize);
  if (rows.length === 0) return 0;
  // A push may have linked a blob since the rows were read.
  const unused = and(
    sql`${blobs.id} in (select value from json_each(${JSON.stringify(rows.map(({ id }) => id))}))`,
    eq(blobs.organizations, 0),
    lt(blobs.idleTime, before),
  );
  const isNamed = sql`exists (select 1 from ${manifestReferences} as named where named.blob_id = ${blobs.id})`;
  await db.batch([
    insertFrom(
      db,
      objectDeletions,
      { upload: sql`substr(${blobs.object}, 1, instr(${blobs.object}, '/') - 1)` },
      sql`from ${blobs} where ${and(unused, isNotNull(blobs.object))}`,
    ).onConflictDoUpdate({ target: objectDeletions.upload, set: { kept: null } }),
    db.delete(blobs).where(and(unused, sql`not ${isNamed}`)),
    db.update(blobs).set({ size: null, content: null, object: null, idleTime: null }).where(unused),
  ]);
  return rows.length;
}

/** Deletes the objects in R2. Returns the number of uploads that they came from. */
async function deleteObjects(
  db: Database,
  others: readonly Database[],
  storage: Storage,
): Promise<number> {
  const due = await db.select().from(objectDeletions).limit(batchSize);
  for (const { upload, multipart, kept } of due) {
    if (!(await isNeededElsewhere(db, others, upload))) {
      if (multipart !== null) await storage.resumeMultipart(objectKey(upload), multipart).abort();
      const keys = (await storage.list(`${upload}/`)).filter((key) => key !== kept);
      if (keys.length > 0) await storage.delete(keys);
    }
    // A blob may have lost its last use in between, and then its object has to go too.
    const isSame =
      kept === null ? sql`${objectDeletions.kept} is null` : eq(objectDeletions.kept, kept);
    await db.delete(objectDeletions).where(and(eq(objectDeletions.upload, upload), isSame));
  }
  return due.length;
}
