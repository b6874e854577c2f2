/**
 * Removes what is left of deleted resources (`deletion_in_batches.ts`). The schedule of their domain runs it. A batch
 * removes some rows of one table, and the resources take turns. A batch depends only on the rows that are left, so a run can
 * end at any place, and two runs can overlap.
 */
import { and, asc, eq, inArray, notInArray, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { type DeletedKind, deletions } from "../../schema/tables/platform/deletions.ts";
import type { Database } from "../auth/call.ts";
import { isWritable } from "../auth/databases.ts";
import type { Statement } from "../outbox/commit.ts";

/** The most batches of one run. The next run continues. */
const maxBatches = 100;

/** A row of `deletions`. */
export type Deletion = typeof deletions.$inferSelect;

/** A table with rows that are left of deleted resources. */
export interface Stage {
  table: SQLiteTable;
  /** The condition for the rows of a resource with this uid. A repository has this id in `repo_storage`. */
  rows: (uid: SQL, storage: SQL) => SQL;
  /** The statements that remove one batch. */
  remove: (db: Database, deletion: Deletion) => Statement[];
}

/**
 * A stage with batches of a size. `owner` is the column with the uid of the resource or, with `byId`, with the id of a
 * repository. If no column has either, it is the condition for the rows.
 */
export function stage(
  table: SQLiteTable,
  key: SQLiteColumn[],
  owner: SQLiteColumn | Stage["rows"],
  size: number,
  { byId = false } = {},
): Stage {
  const columns = sql.join(key, sql`, `);
  const rows =
    typeof owner === "function"
      ? owner
      : (uid: SQL, storage: SQL) => sql`${owner} = ${byId ? storage : uid}`;
  return {
    table,
    rows,
    remove: (db, { uid, storage }) => {
      const isLeft = rows(sql`${uid}`, sql`${storage}`);
      const batch = sql`select ${columns} from ${table} where ${isLeft} limit ${size}`;
      return [db.delete(table).where(sql`${isLeft} and (${columns}) in (${batch})`)];
    },
  };
}

/** The removal of a domain. */
export interface Removal {
  kinds: DeletedKind[];
  /** The tables in the order in which they are emptied. */
  stages: Stage[];
}

/** The statement that reads whose turn it is, with the number of the first stage that has rows, or null. */
function selectNext(db: Database, { kinds, stages }: Removal, failed: string[]) {
  const hasRows = ({ table, rows }: Stage) =>
    sql`exists (select 1 from ${table} where ${rows(sql`${deletions.uid}`, sql`${deletions.storage}`)})`;
  const cases = stages.map((stage, index) => sql`when ${hasRows(stage)} then ${index}`);
  const first = sql<number | null>`case ${sql.join(cases, sql` `)} end`;
  return db
    .select({ deletion: deletions, stage: first.as("stage") })
    .from(deletions)
    .where(
      and(
        inArray(deletions.kind, kinds),
        isWritable(sql`${deletions.uid}`),
        notInArray(deletions.uid, failed),
      ),
    )
    .orderBy(asc(deletions.turn), asc(deletions.uid))
    .limit(1);
}

/** One batch of a stage. The triggers let it change the rows, and the resource goes to the end of the queue. */
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

/** Runs up to 100 batches. A resource whose batch fails holds up no other. Throws the first error at the end. */
export async function runRemoval(db: Database, removal: Removal): Promise<void> {
  const failures = new Map<string, unknown>();
  for (let batch = 0; batch < maxBatches; batch += 1) {
    const [next] = await selectNext(db, removal, [...failures.keys()]);
    if (!next) break;
    const { deletion, stage } = next;
    const stageWithRows = stage === null ? undefined : removal.stages[stage];
    const statements: [Statement, ...Statement[]] = stageWithRows
      ? removeSome(db, stageWithRows, deletion)
      : [db.delete(deletions).where(eq(deletions.uid, deletion.uid))];
    await db.batch(statements).catch((thrown) => failures.set(deletion.uid, thrown));
  }
  for (const thrown of failures.values()) throw thrown;
}
