/** The statements about the documents of a repository: which were read, and which wait for their image. */
import { and, eq, isNull, sql } from "drizzle-orm";
import { blobs } from "../../../schema/tables/distribution/blobs.ts";
import { digestBytes, digestText } from "../../../schema/tables/distribution/digest_column.ts";
import { pushedDocuments } from "../../../schema/tables/distribution/pushed_documents.ts";
import { organizationStorage, repoStorage } from "../../../schema/tables/distribution/storage.ts";
import { manifests } from "../../../schema/tables/registry/manifests.ts";
import { insertFrom } from "../../aip/insert_from.ts";
import { rootOf } from "../../aip/uid_path.ts";
import type { Database } from "../../auth/call.ts";
import { digestSql, repoIdOf, storedBytes } from "../blobs/rows.ts";

/**
 * The statement that reads which of the documents the repository has noted already. It has a row for each digest, and
 * says with each whether the repository has the subject.
 */
export const selectDocuments = (
  db: Database,
  repo: string,
  digests: string[],
  subject: string | undefined,
) =>
  db
    .select({
      digest: sql<string>`document.value`.as("document_digest"),
      isRead: sql<number>`${pushedDocuments.readTime} is not null`.as("is_read"),
      subject: pushedDocuments.subject,
      hasSubject: sql<number>`exists (select 1 from ${manifests}
        where ${manifests.parent} = ${repo} and ${manifests.digest} = ${subject ?? ""})`.as(
        "has_subject",
      ),
    })
    .from(sql`json_each(${JSON.stringify(digests)}) as document`)
    .leftJoin(repoStorage, eq(repoStorage.uid, repo))
    .leftJoin(blobs, eq(blobs.digest, digestBytes(sql`document.value`)))
    .leftJoin(
      pushedDocuments,
      and(eq(pushedDocuments.repo, repoStorage.id), eq(pushedDocuments.blob, blobs.id)),
    );

/** A row of {@link selectDocuments}. */
export type DocumentRow = Awaited<ReturnType<typeof selectDocuments>>[number];

/** The most documents that a push of their image reads. */
const maxWaiting = 4;

/** The statement that reads the documents that wait for an image. */
export const selectWaiting = (db: Database, repo: string, subject: string) =>
  db
    .select({ digest: sql<string>`${digestText(sql`${blobs.digest}`)}`.as("waiting_digest") })
    .from(repoStorage)
    .crossJoin(pushedDocuments)
    .crossJoin(blobs)
    .where(
      and(
        eq(repoStorage.uid, repo),
        eq(pushedDocuments.repo, repoStorage.id),
        sql`${pushedDocuments.subject} = ${digestSql(subject)}`,
        isNull(pushedDocuments.readTime),
        eq(blobs.id, pushedDocuments.blob),
      ),
    )
    .limit(maxWaiting);

/** The statement that reads whether a repository has a manifest, and what its organization stores: one row. */
export const selectRoom = (db: Database, repo: string, digest: string) =>
  db
    .select({
      hasManifest: sql<number>`exists (select 1 from ${manifests}
        where ${manifests.parent} = ${repo} and ${manifests.digest} = ${digest})`.as(
        "has_manifest",
      ),
      bytes: storedBytes.as("bytes"),
      limit: organizationStorage.limit,
    })
    .from(organizationStorage)
    .where(eq(organizationStorage.uid, rootOf(repo)));

/** A document to note, and the image that it is about, if that is known. */
export interface NotedDocument {
  digest: string;
  subject: string | undefined;
}

/** The statements that note documents, so that each is read once. One that was read keeps its image. */
export const noteDocuments = (db: Database, repo: string, documents: NotedDocument[]) =>
  documents.map(({ digest, subject }) =>
    insertFrom(
      db,
      pushedDocuments,
      {
        repo: repoIdOf(repo),
        blob: sql`${blobs.id}`,
        subject: subject === undefined ? sql`null` : digestSql(subject),
        readTime: sql`null`,
      },
      sql`from ${blobs} where ${blobs.digest} = ${digestSql(digest)}`,
    ).onConflictDoUpdate({
      target: [pushedDocuments.repo, pushedDocuments.blob],
      set: { subject: sql`excluded.subject` },
      setWhere: sql`${pushedDocuments.readTime} is null and ${pushedDocuments.subject} is not excluded.subject`,
    }),
  );

/** The statement that records that a document was read, and about which image. Without an image, nothing was stored. */
export const recordReading = (
  { db, now }: { db: Database; now: number },
  repo: string,
  { digest, subject }: NotedDocument,
) =>
  db
    .update(pushedDocuments)
    .set({ readTime: now, subject: subject === undefined ? null : sql`${digestSql(subject)}` })
    .where(
      and(
        eq(pushedDocuments.repo, repoIdOf(repo)),
        sql`${pushedDocuments.blob} = (select ${blobs.id} from ${blobs} where ${blobs.digest} = ${digestSql(digest)})`,
        isNull(pushedDocuments.readTime),
      ),
    );
