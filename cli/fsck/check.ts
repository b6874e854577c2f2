/** The types of a database check: what it reads, what it finds, and how it repairs that. */
import { sqlLiteral } from "../bootstrap.ts";

/** A row as D1 returns it. */
export type D1Row = Record<string, unknown>;

/** The database to check. */
export type CheckedDatabase = {
  /** Runs SELECTs and returns the rows of each. */
  query(statements: string[]): Promise<D1Row[][]>;
  /** Runs statements, all or none. */
  execute(statements: string[]): Promise<void>;
  /** The most characters of stored documents that one response may contain. */
  pageSize: number;
};

/** A damaged row: the uid of the row or of its subject, and what is wrong. */
export type DamagedRow = { uid: string; wrong: string };

/**
 * The result of one look: the number of rows read and of damaged rows, the first few of those, and statements that
 * repair them. If there are many damaged rows, the statements repair only the first part.
 */
export type CheckFinding = {
  rows: number;
  problems: number;
  examples: DamagedRow[];
  repair: string[];
};

/** One guarantee of the database. */
export type FsckCheck = {
  name: string;
  /** The guarantee that a healthy database fulfills, as a sentence. */
  promise: string;
  /** The effect of a repair, as the end of a sentence: `deletes these rows`. */
  remedy: string;
  look(store: Pick<CheckedDatabase, "query" | "pageSize">): Promise<CheckFinding>;
};

/** The part of a check for one table. */
export type CheckPart = {
  table: string;
  /** A SELECT of the damaged rows: `uid` and `wrong`, as in a {@link DamagedRow}. */
  damaged: string;
  /** Statements that repair damaged rows, at most {@link maxRowsPerRepair} of them. */
  repair: string[];
};

/** The damaged rows that one statement repairs. D1 ends a statement after 30 seconds. */
export const maxRowsPerRepair = 20_000;

/** The uids in one statement, because D1 accepts statements of at most 100 KB. */
const maxUidsPerStatement = 500;

/** Returns a statement for each part of some rows. `statement` gets those rows, which have a uid each. */
export const forRows = <Row>(rows: Row[], statement: (part: Row[]) => string): string[] =>
  Array.from({ length: Math.ceil(rows.length / maxUidsPerStatement) }, (_, i) =>
    statement(rows.slice(i * maxUidsPerStatement, (i + 1) * maxUidsPerStatement)),
  );

/** Returns a statement for each part of the uids. `statement` gets the condition on the column `uid`. */
export const forUids = (uids: string[], statement: (isOne: string) => string): string[] =>
  forRows(uids, (part) => statement(`uid IN (${part.map(sqlLiteral).join(", ")})`));

/** How often a repair of many rows runs before the next look, which takes longer. */
const maxRepairRuns = 10;

/** The damaged rows that a finding shows. */
export const maxExamples = 3;

/** Returns a check that needs only SQL, with one statement for each part. */
export const newCheck = (words: Omit<FsckCheck, "look">, parts: CheckPart[]): FsckCheck => ({
  ...words,
  look: async (store) => findingOf(parts, await store.query(parts.map(lookStatement))),
});

const lookStatement = ({ table, damaged }: CheckPart) =>
  `WITH damaged AS MATERIALIZED (${damaged})
  SELECT (SELECT count(*) FROM "${table}") AS "rows", (SELECT count(*) FROM damaged) AS problems,
    (SELECT json_group_array(json_object('uid', uid, 'wrong', wrong))
      FROM (SELECT uid, wrong FROM damaged ORDER BY uid LIMIT ${maxExamples})) AS examples`;

function findingOf(parts: CheckPart[], answers: D1Row[][]): CheckFinding {
  const sum: CheckFinding = { rows: 0, problems: 0, examples: [], repair: [] };
  // A table that has two parts counts once.
  const rows = new Map<string, number>();
  for (const [i, { table, repair }] of parts.entries()) {
    const row = answers[i]?.[0];
    if (!row) throw new Error("the database returned no result for a check");
    rows.set(table, Number(row.rows));
    sum.problems += Number(row.problems);
    sum.examples.push(...(JSON.parse(String(row.examples)) as DamagedRow[]));
    const runs = Math.min(maxRepairRuns, Math.ceil(Number(row.problems) / maxRowsPerRepair));
    sum.repair.push(...Array<string[]>(runs).fill(repair).flat());
  }
  sum.rows = [...rows.values()].reduce((total, count) => total + count, 0);
  return { ...sum, examples: sum.examples.slice(0, maxExamples) };
}
