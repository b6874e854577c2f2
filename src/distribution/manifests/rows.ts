/** The statements about manifests and what they name. */
import { and, eq, sql } from "drizzle-orm";
import {
  blobLinks,
  blobs,
  ContentKind,
  manifestReferences,
} from "../../../schema/tables/distribution/blobs.ts";
import { digestBytes } from "../../../schema/tables/distribution/digest_column.ts";
import { incompleteIndexes } from "../../../schema/tables/distribution/incomplete_indexes.ts";
import { referrers } from "../../../schema/tables/distribution/referrers.ts";
import { repoStorage } from "../../../schema/tables/distribution/storage.ts";
import { manifests } from "../../../schema/tables/registry/manifests.ts";
import { isInRepo, tags } from "../../../schema/tables/registry/tags.ts";
import { insertFrom } from "../../aip/insert_from.ts";
import { type Given, preparedSelect } from "../../aip/prepared_select.ts";
import type { Database } from "../../auth/call.ts";
import { onlyIf, type Statement } from "../../outbox/commit.ts";
import { isServed as isServedSql, servingSql } from "../../registry/tag_rules/serving.ts";
import { blobColumns, blobIdOf, digestSql, repoIdOf } from "../blobs/rows.ts";
import { isDigest } from "../digest.ts";
import {
  type ImageName,
  type NameShape,
  type NameValue,
  nameValues,
  repoUidIn,
  shapeOf,
} from "../repository.ts";
import type { Child, ManifestDocument } from "./document.ts";

/** A pull of a digest always gets it. */
const none = { isServed: sql<number>`0`, serving: sql<string | null>`null` };

type ReferenceShape = NameShape & { byDigest: boolean; withServing: boolean };

const referencedSelect = preparedSelect(
  (
    db: Database,
    { byDigest, withServing, ...name }: ReferenceShape,
    { reference, ...given }: Given<NameValue | "reference">,
  ) => {
    const repo = repoUidIn(db, name, given);
    const target = byDigest
      ? sql`(select ${repo} as "uid", ${reference} as "digest") as "target"`
      : sql`(select ${tags.parent} as "uid", ${tags.digest} as "digest"
        from (select ${repo} as "uid") as "target_repo" cross join ${tags}
        where ${isInRepo(sql`"target_repo"."uid"`)} and ${tags.name} = ${reference}) as "target"`;
    const uid = sql`"target"."uid"`;
    const isServed = byDigest ? none.isServed : isServedSql(uid);
    const serving = withServing && !byDigest ? servingSql(uid, reference) : none.serving;
    return (
      db
        .select({
          ...blobColumns,
          mediaType: manifests.mediaType,
          isServed: isServed.as("is_served"),
          serving: serving.as("serving"),
        })
        .from(target)
        // In this order: SQLite would otherwise look for the manifest in every repository.
        .crossJoin(manifests)
        .crossJoin(repoStorage)
        .crossJoin(blobs)
        .crossJoin(blobLinks)
        .where(
          and(
            eq(manifests.parent, uid),
            eq(manifests.digest, sql`"target"."digest"`),
            eq(repoStorage.uid, uid),
            eq(blobs.digest, digestBytes(sql`"target"."digest"`)),
            eq(blobLinks.repo, repoStorage.id),
            eq(blobLinks.kind, ContentKind.manifest),
            eq(blobLinks.blob, blobs.id),
          ),
        )
    );
  },
);

/**
 * The statement that reads the manifest that a tag or a digest of the image leads to. For a tag, `isServed` says whether a
 * tag rule chooses images in the repository. With `withServing`, `serving` says what it needs to choose one. That makes
 * the statement three times as long, and most repositories have no such rule.
 */
export const selectReferenced = (
  db: Database,
  name: ImageName,
  reference: string,
  { withServing = false } = {},
) =>
  referencedSelect(
    db,
    { ...shapeOf(name), byDigest: isDigest(reference), withServing },
    { ...nameValues(name), reference },
  );

/** A row of {@link selectReferenced}. */
export type ReferencedRow = Awaited<ReturnType<typeof selectReferenced>>[number];

const toParameter = (children: Child[]) =>
  JSON.stringify(
    children.map(({ digest, isManifest }) => [
      digest,
      isManifest ? ContentKind.manifest : ContentKind.blob,
    ]),
  );

/** The statement that reads which of the children the repository has. */
export const selectChildren = (db: Database, repo: string, children: Child[]) =>
  db
    .select({ ...blobColumns, kind: blobLinks.kind })
    .from(sql`json_each(${toParameter(children)}) as child`)
    .crossJoin(repoStorage)
    .crossJoin(blobs)
    .crossJoin(blobLinks)
    .where(
      and(
        eq(repoStorage.uid, repo),
        eq(blobs.digest, digestBytes(sql`child.value ->> 0`)),
        eq(blobLinks.repo, repoStorage.id),
        eq(blobLinks.kind, sql`child.value ->> 1`),
        eq(blobLinks.blob, blobs.id),
      ),
    );

/** The statement that reads where the bytes of a manifest are. There is no row if the repository does not have it. */
export const selectStoredManifest = (db: Database, repo: string, digest: string) =>
  selectChildren(db, repo, [
    { digest, size: 0, isManifest: true, mediaType: "", isForeign: false },
  ]);

/** Says of a child whether it is in the rows of {@link selectChildren}. */
export const isAmong = (rows: { digest: string; kind: number }[]) => (child: Child) =>
  rows.some(
    ({ digest, kind }) =>
      digest === child.digest && (kind === ContentKind.manifest) === child.isManifest,
  );

/** The statement that undoes its batch unless the repository still has all these children. */
export const requireChildren = (db: Database, repo: string, children: Child[]) =>
  onlyIf(
    db,
    sql`not exists (
      select 1 from json_each(${toParameter(children)}) as child
      where not exists (
        select 1 from ${blobs} join ${blobLinks} on ${blobLinks.repo} = ${repoIdOf(repo)}
          and ${blobLinks.kind} = child.value ->> 1 and ${blobLinks.blob} = ${blobs.id}
        where ${blobs.digest} = ${digestBytes(sql`child.value ->> 0`)}))`,
  );

/**
 * The statements that record what a stored manifest names. A blob that no one has pushed gets a row without bytes. A
 * manifest that the repository does not have gets none: its digest is noted with the index, until it is pushed.
 */
export function insertReferences(
  db: Database,
  repo: string,
  digest: string,
  children: Child[],
): Statement[] {
  const manifests = children.filter(({ isManifest }) => isManifest);
  return [
    ...insertBlobReferences(
      db,
      digest,
      children.filter(({ isManifest }) => !isManifest),
    ),
    ...(manifests.length === 0 ? [] : insertManifestReferences(db, repo, digest, manifests)),
  ];
}

const child = sql`child.value ->> 0`;

function insertBlobReferences(db: Database, digest: string, children: Child[]): Statement[] {
  if (children.length === 0) return [];
  const parameter = toParameter(children);
  return [
    insertFrom(
      db,
      blobs,
      { id: sql`null`, digest: digestBytes(child) },
      sql`from json_each(${parameter}) as child where true`,
    ).onConflictDoNothing(),
    insertFrom(
      db,
      manifestReferences,
      { manifest: blobIdOf(digest), blob: sql`${blobs.id}` },
      sql`from json_each(${parameter}) as child cross join ${blobs}
        where ${blobs.digest} = ${digestBytes(child)}`,
    ).onConflictDoNothing(),
  ];
}

function insertManifestReferences(
  db: Database,
  repo: string,
  digest: string,
  children: Child[],
): Statement[] {
  const parameter = toParameter(children);
  const linked = sql`select ${blobs.id} from ${blobs} cross join ${blobLinks}
    where ${blobs.digest} = ${digestBytes(child)} and ${blobLinks.repo} = ${repoIdOf(repo)}
      and ${blobLinks.kind} = ${ContentKind.manifest} and ${blobLinks.blob} = ${blobs.id}`;
  return [
    insertFrom(
      db,
      manifestReferences,
      { manifest: blobIdOf(digest), blob: sql`(${linked})` },
      sql`from json_each(${parameter}) as child where exists (${linked})`,
    ).onConflictDoNothing(),
    insertFrom(
      db,
      incompleteIndexes,
      {
        repo: repoIdOf(repo),
        manifest: blobIdOf(digest),
        digests: sql`unhex(group_concat(substr(${child}, 8), ''))`,
      },
      sql`from json_each(${parameter}) as child where not exists (${linked}) having count(*) > 0`,
    ).onConflictDoNothing(),
  ];
}

/** The most incomplete indexes of a repository that a push looks at, the newest first. */
const maxIncomplete = 1_000;

/** The statement that records which indexes of the repository name a manifest that they were pushed before. */
export const insertLateReferences = (db: Database, repo: string, digest: string): Statement =>
  insertFrom(
    db,
    manifestReferences,
    { manifest: sql`"incomplete"."manifest_id"`, blob: blobIdOf(digest) },
    sql`from (select * from ${incompleteIndexes} where ${incompleteIndexes.repo} = ${repoIdOf(repo)}
        order by ${incompleteIndexes.manifest} desc limit ${maxIncomplete}) as "incomplete"
      where instr("incomplete"."digests", ${digestSql(digest)}) > 0`,
  ).onConflictDoNothing();

/** The statements that record the subject of a manifest, if it has one. */
export function insertReferrer(
  db: Database,
  repo: string,
  digest: string,
  { subject, mediaType, artifactType, annotations }: ManifestDocument,
): Statement[] {
  if (subject === undefined) return [];
  const row = {
    repo: repoIdOf(repo),
    manifest: blobIdOf(digest),
    subject,
    mediaType,
    artifactType,
    annotations: annotations ?? null,
  };
  return [db.insert(referrers).values(row).onConflictDoNothing()];
}
