/**
 * Deletes what no one needs any more. Each step is one batch or can be repeated, so a run that is interrupted
 * loses nothing. An object of R2 is deleted once its row says that nothing can lead to it again.
 */
import { and, asc, eq, inArray, isNotNull, isNull, lt, or, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import {
  blobLinks,
  blobs,
  ContentKind,
  manifestReferences,
} from "../../schema/tables/distribution/blobs.ts";
import { objects, RELEASED } from "../../schema/tables/distribution/objects.ts";
import { repoStorage } from "../../schema/tables/distribution/storage.ts";
import { uploads } from "../../schema/tables/distribution/uploads.ts";
import { runBatches } from "../aip/batches.ts";
import type { Database } from "../auth/call.ts";
import { isWritable } from "../auth/databases.ts";
import { configOf, type Env, requireBucket } from "../config.ts";
import { removalOfRepos } from "../registry/repos/removal.ts";
import { runRemoval } from "../resource/removal.ts";
import { openDatabase } from "../rpc/database.ts";
import type { Execution } from "../rpc/runtime.ts";
import { deleteFromBucket, deleteRows } from "./blobs/objects.ts";
import { openStorage, type Storage } from "./blobs/storage.ts";
import { announceFaults } from "./faults.ts";
import { deleteOldHours, deleteOldPulls } from "./pulls/old_pulls.ts";
import { namedIn, sweepBucket } from "./sweep.ts";

const hourMs = 60 * 60 * 1000;

/** How long a blob is linked to a repository without a use. */
const blobGrace = 24 * hourMs;

/** How long an upload is kept in all, and without new bytes. */
const uploadLifetime = { all: 7 * 24 * hourMs, idle: 24 * hourMs };

/** How long an object is kept that nothing needs. A pull that has begun still reads it. */
export const objectGrace = 24 * hourMs;

/** The uid of a repository, as SQL. */
const uidOf = (repo: SQLiteColumn) =>
  sql`(select ${repoStorage.uid} from ${repoStorage} where ${repoStorage.id} = ${repo})`;

/** The uid of the repository of an object's upload, as SQL. */
const repoOfUpload = sql`(select ${repoStorage.uid} from ${uploads} join ${repoStorage}
  on ${repoStorage.id} = ${uploads.repo} where ${uploads.id} = ${objects.upload})`;

/** The rows of one batch. */
const batchSize = 100;

/** The schedule of the registry. */
export async function cleanUp(env: Env, execution: Execution): Promise<void> {
  const config = configOf(env);
  const { databases } = openDatabase(env, execution);
  const storage = openStorage(requireBucket(env), undefined, execution.trace);
  const now = Date.now();
  const failures: unknown[] = [];
  for (const db of databases.all) {
    const others = await databases.othersThan(db);
    const steps = [
      () => expireUploads(db, now),
      () => unlinkBlobs(db, now - blobGrace),
      () => deleteBlobs(db),
      () => deleteObjects(db, others, storage, now - objectGrace),
      () => announceFaults(config, db, now),
      () => deleteOldPulls(db, now, batchSize),
      () => deleteOldHours(db, now, batchSize),
    ];
    await runRemoval(db, removalOfRepos).catch((thrown) => failures.push(thrown));
    for (const step of steps)
      await runBatches(batchSize, step).catch((thrown) => failures.push(thrown));
  }
  await sweepBucket(databases, storage, now);
  if (failures.length > 0) throw failures[0];
}

/** Ends uploads that are too old, or that get no more bytes. Returns their number. */
async function expireUploads(db: Database, now: number): Promise<number> {
  const expired = db
    .select({ id: uploads.id })
    .from(uploads)
    .where(
      and(
        or(
          lt(uploads.updateTime, now - uploadLifetime.idle),
          lt(uploads.createTime, now - uploadLifetime.all),
        ),
        isWritable(uidOf(uploads.repo)),
      ),
    )
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
  // The bytes of a manifest that has expired hold what it names until the end of its undo.
  const isUsed = sql`exists (
    select 1 from ${manifestReferences} as named join ${blobLinks} as holder
      on holder.repo_id = ${blobLinks}.repo_id and holder.blob_id = named.manifest_id
        and holder.kind in (${ContentKind.blob}, ${ContentKind.manifest})
        and (holder.kind = ${ContentKind.manifest} or holder.idle_time is null or holder.idle_time > ${before})
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
async function deleteBlobs(db: Database): Promise<number> {
  const rows = await db
    .select({ id: blobs.id })
    .from(blobs)
    .where(isNotNull(blobs.idleTime))
    .orderBy(asc(blobs.idleTime))
    .limit(batchSize);
  if (rows.length === 0) return 0;
  // A push may have linked a blob since the rows were read.
  const unused = and(
    sql`${blobs.id} in (select value from json_each(${JSON.stringify(rows.map(({ id }) => id))}))`,
    eq(blobs.organizations, 0),
    isNotNull(blobs.idleTime),
  );
  const isNamed = sql`exists (select 1 from ${manifestReferences} as named where named.blob_id = ${blobs.id})`;
  await db.batch([
    db.delete(blobs).where(and(unused, sql`not ${isNamed}`)),
    db
      .update(blobs)
      .set({ size: null, content: null, fault: null, faultTime: null, idleTime: null })
      .where(unused),
  ]);
  return rows.length;
}

/**
 * Deletes objects that nothing has needed since `before`, first from R2. A request that still writes one of them can
 * not keep it any more. Returns their number.
 */
async function deleteObjects(
  db: Database,
  others: readonly Database[],
  storage: Storage,
  before: number,
): Promise<number> {
  const due = db
    .select({ key: objects.key })
    .from(objects)
    .where(
      and(
        isNull(objects.blob),
        isNotNull(objects.idleTime),
        lt(objects.idleTime, before),
        or(isNull(objects.upload), isWritable(repoOfUpload)),
      ),
    )
    .orderBy(asc(objects.idleTime))
    .limit(batchSize);
  const released = await db
    .update(objects)
    .set({ upload: null, idleTime: RELEASED })
    .where(inArray(objects.key, due))
    .returning({ key: objects.key, multipart: objects.multipart });
  if (released.length === 0) return 0;
  const named = await namedIn(others, released);
  await deleteFromBucket(
    { storage },
    released.filter(({ key }) => !named.has(key)),
  );
  await deleteRows(db, released);
  return released.length;
}
