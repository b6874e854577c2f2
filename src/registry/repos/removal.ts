/**
 * Removes what is left in deleted repositories (`deletion.ts`). The schedule of the registry runs it. A batch removes some
 * rows of one table, and the repositories take turns. A batch depends only on the rows that are left, so a run can end at
 * any place, and two runs can overlap.
 */
import { and, asc, eq, notInArray, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { blobLinks } from "../../../schema/tables/distribution/blobs.ts";
import { referrers } from "../../../schema/tables/distribution/referrers.ts";
import { uploads } from "../../../schema/tables/distribution/uploads.ts";
import { deletions } from "../../../schema/tables/platform/deletions.ts";
import { findings, scannedImages } from "../../../schema/tables/registry/findings.ts";
import { indexEntries } from "../../../schema/tables/registry/index_entries.ts";
import { manifests } from "../../../schema/tables/registry/manifests.ts";
import { sbomPackages } from "../../../schema/tables/registry/sbom_packages.ts";
import { sboms } from "../../../schema/tables/registry/sboms.ts";
import { isInRepo, tags } from "../../../schema/tables/registry/tags.ts";
import { vulnReports } from "../../../schema/tables/registry/vuln_reports.ts";
import type { Database } from "../../auth/call.ts";
import { isWritable } from "../../auth/databases.ts";
import type { Statement } from "../../outbox/commit.ts";
import { recordDeletions } from "../tags/tags.ts";

/** The most batches of one run. The next run continues. */
const maxBatches = 100;

/** The tags of one batch. Each takes a record in its history. */
const tagsOfBatch = 1_000;

type Deletion = typeof deletions.$inferSelect;

/** A table with rows of deleted repositories. */
interface Stage {
  table: SQLiteTable;
  /** The condition for the rows of a repository with this uid, which has this id in `repo_storage`. */
  rows: (uid: SQL, storage: SQL) => SQL;
  /** The statements that remove one batch. */
  remove: (db: Database, deletion: Deletion) => Statement[];
}

/** A stage with batches of a size. `owner` names the repository by its uid or, with `byId`, by its id. */
function stage(
  table: SQLiteTable,
  key: SQLiteColumn[],
  owner: SQLiteColumn,
  size: number,
  { byId = false } = {},
): Stage {
  const columns = sql.join(key, sql`, `);
  const rows = (uid: SQL, storage: SQL) => sql`${owner} = ${byId ? storage : uid}`;
  return {
    table,
    rows,
    remove: (db, { uid, storage }) => {
      const isOfRepo = rows(sql`${uid}`, sql`${storage}`);
      const some = sql`select ${columns} from ${table} where ${isOfRepo} limit ${size}`;
      return [db.delete(table).where(sql`${isOfRepo} and (${columns}) in (${some})`)];
    },
  };
}

/** Each deletion of a tag is recorded with the time when the deletion of the repository was accepted. */
function removeTags(db: Database, { uid, time, identity, identityName }: Deletion): Statement[] {
  const isOfRepo = isInRepo(uid);
  const some = and(
    isOfRepo,
    sql`${tags.name} <= (select max("name") from (
      select "name" from ${tags} where ${isOfRepo} order by "name" limit ${tagsOfBatch}))`,
  );
  const deleter = { identity, name: identityName };
  return [recordDeletions({ db, now: time }, deleter, some), db.delete(tags).where(some)];
}

/**
 * The tables in the order in which they are emptied. A row is removed after those that its triggers would delete with
 * it, so that the size of a batch bounds its work. Rows with documents are long, and an upload has many objects.
 */
const stages: Stage[] = [
  { table: tags, rows: (uid) => isInRepo(uid), remove: removeTags },
  stage(findings, [findings.uid], findings.parent, 2_000),
  stage(scannedImages, [scannedImages.uid], scannedImages.parent, 1_000),
  stage(vulnReports, [vulnReports.uid], vulnReports.parent, 20),
  stage(sbomPackages, [sbomPackages.uid], sbomPackages.parent, 2_000),
  stage(sboms, [sboms.uid], sboms.parent, 20),
  stage(indexEntries, [indexEntries.digest, indexEntries.indexUid], indexEntries.repo, 2_000),
  stage(manifests, [manifests.uid], manifests.parent, 1_000),
  stage(referrers, [referrers.manifest], referrers.repo, 1_000, { byId: true }),
  stage(blobLinks, [blobLinks.kind, blobLinks.blob], blobLinks.repo, 1_000, { byId: true }),
  stage(uploads, [uploads.id], uploads.repo, 5, { byId: true }),
];

/** The statement that reads whose turn it is, with the number of the first stage that has rows, or null. */
function selectNext(db: Database, failed: string[]) {
  const hasRows = ({ table, rows }: Stage) =>
    sql`exists (select 1 from ${table} where ${rows(sql`${deletions.uid}`, sql`${deletions.storage}`)})`;
  const cases = stages.map((one, at) => sql`when ${hasRows(one)} then ${at}`);
  const first = sql<number | null>`case ${sql.join(cases, sql` `)} end`;
  return db
    .select({ deletion: deletions, at: first.as("at") })
    .from(deletions)
    .where(and(isWritable(sql`${deletions.uid}`), notInArray(deletions.uid, failed)))
    .orderBy(asc(deletions.turn), asc(deletions.uid))
    .limit(1);
}

/** One batch of a stage. The triggers let it change the rows, and the repository goes to the end of the queue. */
function removeSome(
  db: Database,
  { remove }: Stage,
  deletion: Deletion,
): [Statement, ...Statement[]] {
  const isSame = eq(deletions.uid, deletion.uid);
  const turn = sql`1 + (select max("turn") from ${deletions})`;
  return [
    db.update(deletions).set({ isRemoving: true, turn }).where(isSame),
    ...remove(db, deletion),
    db.update(deletions).set({ isRemoving: false }).where(isSame),
  ];
}

/** Runs up to 100 batches. A repository whose batch fails holds up no other. Throws the first error at the end. */
export async function removeDeleted(db: Database): Promise<void> {
  const failures = new Map<string, unknown>();
  for (let batch = 0; batch < maxBatches; batch += 1) {
    const [next] = await selectNext(db, [...failures.keys()]);
    if (!next) break;
    const { deletion, at } = next;
    const found = at === null ? undefined : stages[at];
    const statements: [Statement, ...Statement[]] = found
      ? removeSome(db, found, deletion)
      : [db.delete(deletions).where(eq(deletions.uid, deletion.uid))];
    await db.batch(statements).catch((thrown) => failures.set(deletion.uid, thrown));
  }
  for (const thrown of failures.values()) throw thrown;
}
