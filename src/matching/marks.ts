/** The marks of matching that is left to do. */
import { and, asc, eq, gt, notInArray, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { MARK, matchMarks } from "../../schema/tables/registry/match_marks.ts";
import { insertFrom } from "../aip/insert_from.ts";
import { fromParameter, toJsonParameters } from "../aip/json_parameters.ts";
import { type Database, isWritable } from "../auth/databases.ts";
import { onlyIf, type Statement } from "../outbox/commit.ts";

export type Mark = typeof matchMarks.$inferSelect;

/** The statements that mark advisories or images. They belong into the batch that causes the work. */
export const markStatements = (
  db: Database,
  kind: number,
  uids: string[],
  condition?: SQL,
): Statement[] =>
  toJsonParameters(uids.map((uid) => JSON.stringify(uid))).map((parameter) =>
    insertMarks(db, kind, sql`"given"."value"`, fromParameter(parameter, condition)),
  );

/** The statement that marks the uids in a source of rows. */
export const insertMarks = (
  db: Database,
  kind: number,
  uid: SQL | SQLiteColumn,
  source: SQL,
): Statement =>
  insertFrom(
    db,
    matchMarks,
    { root: sql`substr(${uid}, 1, 40)`, kind, uid: sql`${uid}`, revision: 1, cursor: "" },
    source,
  ).onConflictDoUpdate({
    target: [matchMarks.root, matchMarks.kind, matchMarks.uid],
    set: { revision: sql`${matchMarks.revision} + 1`, cursor: "" },
  });

/** The first organization after another one that has marks, without `failed` ones. Undefined if there is none. */
export async function nextRoot(
  db: Database,
  after: string,
  failed: string[],
): Promise<string | undefined> {
  const [mark] = await db
    .select({ root: matchMarks.root })
    .from(matchMarks)
    .where(
      and(
        gt(matchMarks.root, after),
        notInArray(matchMarks.root, failed),
        isWritable(sql`${matchMarks.root}`),
      ),
    )
    .orderBy(asc(matchMarks.root))
    .limit(1);
  return mark?.root;
}

/** The most marks of one piece. */
export const maxMarks = 100;

/** The kinds of which one piece does several marks. */
const severalAtOnce: number[] = [MARK.advisory, MARK.announcement];

/** The next marks of an organization, which have the same kind: the first ones, or those after a mark. */
export async function nextMarks(db: Database, root: string, after?: Mark): Promise<Mark[]> {
  const isAfter =
    after && sql`(${matchMarks.kind}, ${matchMarks.uid}) > (${after.kind}, ${after.uid})`;
  const marks = await db
    .select()
    .from(matchMarks)
    .where(and(eq(matchMarks.root, root), isAfter, isWritable(sql`${matchMarks.root}`)))
    .orderBy(asc(matchMarks.kind), asc(matchMarks.uid))
    .limit(maxMarks);
  const kind = marks[0]?.kind ?? 0;
  return severalAtOnce.includes(kind)
    ? marks.filter((mark) => mark.kind === kind)
    : marks.slice(0, 1);
}

/** SQL: the marks as they were read. */
const readMarks = (marks: Mark[]) =>
  sql`json_each(${JSON.stringify(marks.map(({ kind, uid, revision }) => [kind, uid, revision]))}) as "read"`;

/** Undoes the batch if one of the marks was made again, or is gone. */
export const onlyIfMarked = (db: Database, root: string, marks: Mark[]) =>
  onlyIf(
    db,
    sql`not exists (select 1 from ${readMarks(marks)} where not exists (select 1 from ${matchMarks}
      where ${matchMarks.root} = ${root} and ${matchMarks.kind} = "read"."value" ->> 0
        and ${matchMarks.uid} = "read"."value" ->> 1 and ${matchMarks.revision} = "read"."value" ->> 2))`,
  );

/** The statement that ends marks, unless they were made again. */
export const endMarks = (db: Database, root: string, marks: Mark[]) =>
  db.delete(matchMarks).where(
    and(
      eq(matchMarks.root, root),
      sql`(${matchMarks.kind}, ${matchMarks.uid}, ${matchMarks.revision}) in (
        select "read"."value" ->> 0, "read"."value" ->> 1, "read"."value" ->> 2 from ${readMarks(marks)})`,
    ),
  );

/** The statement that notes where the work of a mark continues, unless it was made again. */
export const moveMark = (db: Database, { root, kind, uid, revision }: Mark, cursor: object) =>
  db
    .update(matchMarks)
    .set({ cursor: JSON.stringify(cursor) })
    .where(
      and(
        eq(matchMarks.root, root),
        eq(matchMarks.kind, kind),
        eq(matchMarks.uid, uid),
        eq(matchMarks.revision, revision),
      ),
    );
