/** The statements about blobs. A repository reaches a blob only through its own link. */
import { and, eq, isNotNull, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { blobLinks, blobs } from "../../../schema/tables/distribution/blobs.ts";
import { organizationStorage, repoStorage } from "../../../schema/tables/distribution/storage.ts";
import { insertFrom } from "../../aip/insert_from.ts";
import { rootOf } from "../../aip/uid_path.ts";
import type { Database } from "../../auth/call.ts";
import { type ImageName, repoUidOf } from "../repository.ts";

type Statement = BatchItem<"sqlite">;

/** A digest as a value in SQL. */
export const digestSql = (digest: string) => sql`${sql.param(digest, blobs.digest)}`;

/** The columns of a blob that a response needs. */
export const blobColumns = {
  digest: blobs.digest,
  size: blobs.size,
  content: blobs.content,
  object: blobs.object,
};

export interface BlobRow {
  digest: string;
  size: number | null;
  content: string | null;
  object: string | null;
}

/** The statement that reads a blob or a manifest of the image, with the idle time of its link. */
export const selectLinked = (db: Database, name: ImageName, kind: number, digest: string) =>
  db
    .select({
      ...blobColumns,
      id: blobs.id,
      repo: sql<number>`${repoStorage.id}`.as("storage_id"),
      linkIdle: sql<number | null>`${blobLinks.idleTime}`.as("link_idle"),
    })
    .from(repoStorage)
    // In this order: SQLite would otherwise look for the blob in every repository.
    .crossJoin(blobs)
    .crossJoin(blobLinks)
    .where(
      and(
        eq(repoStorage.uid, repoUidOf(db, name)),
        sql`${blobs.digest} = ${digestSql(digest)}`,
        eq(blobLinks.repo, repoStorage.id),
        eq(blobLinks.kind, kind),
        eq(blobLinks.blob, blobs.id),
      ),
    );

/** The statement that reads how much the organization of the image has, and its own limit. */
export const selectQuota = (db: Database, name: ImageName) =>
  db
    .select({ bytes: organizationStorage.bytes, limit: organizationStorage.limit })
    .from(organizationStorage)
    .where(eq(organizationStorage.uid, sql`substr(${repoUidOf(db, name)}, 1, 40)`));

/** The statements that create the storage rows of a repository, unless they exist. */
export const createStorage = (db: Database, repo: string): Statement[] => [
  db
    .insert(organizationStorage)
    .values({ uid: rootOf(repo) })
    .onConflictDoNothing(),
  insertFrom(
    db,
    repoStorage,
    { uid: repo, organization: sql`${organizationStorage.id}`, id: sql`null` },
    sql`from ${organizationStorage} where ${eq(organizationStorage.uid, rootOf(repo))}`,
  ).onConflictDoNothing(),
];

/** The number of a repository in the other tables, as a subquery. */
export const repoIdOf = (repo: string): SQL<number> =>
  sql`(select ${repoStorage.id} from ${repoStorage} where ${eq(repoStorage.uid, repo)})`;

/** The number of a blob, as a subquery. */
export const blobIdOf = (digest: string): SQL<number> =>
  sql`(select ${blobs.id} from ${blobs} where ${blobs.digest} = ${digestSql(digest)})`;

interface NewBlob {
  digest: string;
  size: number;
  content?: string;
  object?: string;
}

/**
 * The statements that store a blob, unless it exists, and link it to the repository. A blob that only
 * manifests have named gets its bytes.
 */
export const storeBlob = (
  db: Database,
  repo: string,
  kind: number,
  { digest, size, content, object }: NewBlob,
  idleTime: number | null,
): Statement[] => [
  db
    .insert(blobs)
    .values({ digest, size, content: content ?? null, object: object ?? null })
    .onConflictDoUpdate({
      target: blobs.digest,
      set: {
        size: sql`excluded.size`,
        content: sql`excluded.content`,
        object: sql`excluded.object`,
      },
      setWhere: sql`${blobs.size} is null`,
    }),
  linkBlob(db, repo, kind, digest, idleTime),
];

/** The statement that links a stored blob to the repository, or renews the time of an idle link. */
export const linkBlob = (
  db: Database,
  repo: string,
  kind: number,
  digest: string,
  idleTime: number | null,
) =>
  insertFrom(
    db,
    blobLinks,
    { repo: repoIdOf(repo), kind, blob: sql`${blobs.id}`, idleTime },
    sql`from ${blobs} where ${and(sql`${blobs.digest} = ${digestSql(digest)}`, isNotNull(blobs.size))}`,
  ).onConflictDoUpdate({
    target: [blobLinks.repo, blobLinks.kind, blobLinks.blob],
    set: { idleTime },
    setWhere: isNotNull(blobLinks.idleTime),
  });
