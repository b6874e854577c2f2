/** The statements about blobs. A repository reaches a blob only through its own link. */
import { and, eq, isNotNull, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { blobLinks, blobs } from "../../../schema/tables/distribution/blobs.ts";
import { digestBytes } from "../../../schema/tables/distribution/digest_column.ts";
import { objects } from "../../../schema/tables/distribution/objects.ts";
import { organizationStorage, repoStorage } from "../../../schema/tables/distribution/storage.ts";
import { insertFrom } from "../../aip/insert_from.ts";
import { type Given, preparedSelect } from "../../aip/prepared_select.ts";
import { rootOf } from "../../aip/uid_path.ts";
import type { Database } from "../../auth/call.ts";
import { onlyIf } from "../../outbox/commit.ts";
import {
  type ImageName,
  type NameShape,
  type NameValue,
  nameValues,
  repoUidIn,
  shapeOf,
} from "../repository.ts";
import type { Fault, Piece } from "./storage.ts";

type Statement = BatchItem<"sqlite">;

/** A digest as a value in SQL. */
export const digestSql = (digest: string) => sql`${sql.param(digest, blobs.digest)}`;

/** The condition that a blob has the digest. */
export const isDigestOf = (digest: string) => sql`${blobs.digest} = ${digestSql(digest)}`;

/** SQL: the pieces of a blob or an upload, in their order. `isOwner` is the condition on `objects`. */
export const piecesOf = (isOwner: SQL | undefined) =>
  sql`(select json_group_array(json_array("first_byte", "key", "size", "etag"))
    from ${objects} where ${isOwner})`.mapWith(readPieces);

/** SQLite does not promise the order of an aggregate. */
const readPieces = (json: string): Piece[] =>
  (JSON.parse(json) as [start: number, key: string, size: number, etag: string][])
    .toSorted(([a], [b]) => a - b)
    .map(([, key, size, etag]) => ({ key, size, etag }));

/** The columns of a blob that a response needs. */
export const blobColumns = {
  id: blobs.id,
  digest: blobs.digest,
  size: blobs.size,
  content: blobs.content,
  fault: blobs.fault,
  pieces: piecesOf(sql`${objects.blob} = ${blobs.id}`).as("pieces"),
};

export interface BlobRow {
  id: number;
  digest: string;
  size: number | null;
  content: string | null;
  fault: Fault | null;
  pieces: Piece[];
}

const linkedSelect = preparedSelect(
  (
    db: Database,
    { kind, ...name }: NameShape & { kind: number },
    { digest, ...given }: Given<NameValue | "digest">,
  ) =>
    db
      .select({
        ...blobColumns,
        repo: sql<number>`${repoStorage.id}`.as("storage_id"),
        linkIdle: sql<number | null>`${blobLinks.idleTime}`.as("link_idle"),
      })
      .from(repoStorage)
      // In this order: SQLite would otherwise look for the blob in every repository.
      .crossJoin(blobs)
      .crossJoin(blobLinks)
      .where(
        and(
          eq(repoStorage.uid, repoUidIn(db, name, given)),
          eq(blobs.digest, digestBytes(sql`${digest}`)),
          eq(blobLinks.repo, repoStorage.id),
          eq(blobLinks.kind, kind),
          eq(blobLinks.blob, blobs.id),
        ),
      ),
);

/** The statement that reads a blob or a manifest of the image, with the idle time of its link. */
export const selectLinked = (db: Database, name: ImageName, kind: number, digest: string) =>
  linkedSelect(db, { ...shapeOf(name), kind }, { ...nameValues(name), digest });

/** SQL: the bytes that an organization has or has reserved, with those of the documents that were read. */
export const storedBytes = sql<number>`${organizationStorage.bytes} + ${organizationStorage.reservedBytes}
  + ${organizationStorage.documentBytes}`;

/** The statement that reads how much the organization of a repository has or has reserved, and its own limit. */
export const selectQuota = (db: Database, repo: string | SQL) =>
  db
    .select({
      bytes: storedBytes.as("bytes"),
      limit: organizationStorage.limit,
    })
    .from(organizationStorage)
    .where(eq(organizationStorage.uid, sql`substr(${repo}, 1, 40)`));

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

/**
 * The statement that undoes its batch unless the organization of the repository is within its limit at that point, with
 * the bytes that are reserved.
 */
export const isWithinLimit = (db: Database, repo: string, limit: number): Statement =>
  onlyIf(
    db,
    sql`(select ${storedBytes} from ${organizationStorage}
      where ${eq(organizationStorage.uid, rootOf(repo))}) <= ${limit}`,
  );

/**
 * The statement that links a stored blob to the repository, or renews the time of an idle link. A later time stays: it holds
 * the bytes of a manifest that has expired.
 */
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
    sql`from ${blobs} where ${and(isDigestOf(digest), isNotNull(blobs.size))}`,
  ).onConflictDoUpdate({
    target: [blobLinks.repo, blobLinks.kind, blobLinks.blob],
    set: { idleTime: sql`max(${blobLinks.idleTime}, ${idleTime})` },
    setWhere: isNotNull(blobLinks.idleTime),
  });
