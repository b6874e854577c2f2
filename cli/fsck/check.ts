/** What a check of the database is: what it looks at, what it finds, how that is repaired. */

/** A row as D1 answers it. */
export type D1Row = Record<string, unknown>;

/** The database under check. */
export type CheckedDatabase = {
  /** Runs SELECTs; the rows of each. */
  query(statements: string[]): Promise<D1Row[][]>;
  /** Runs statements, all or none of them. */
  execute(statements: string[]): Promise<void>;
  /** Most characters of stored documents that one answer may have. */
  pageSize: number;
};

/** A damaged row, by the uid of the row or of what it is about, and what is wrong with it. */
export type DamagedRow = { uid: string; wrong: string };

/**
 * What a look found: how many rows it read, how many are damaged, the first few of those, and the
 * statements that repair them, or the first part of them where they are many.
 */
export type CheckFinding = {
  rows: number;
  problems: number;
  examples: DamagedRow[];
  repair: string[];
};

/** One promise that the database keeps. */
export type FsckCheck = {
  name: string;
  /** What holds in a healthy database, as a sentence. */
  promise: string;
  /** What a repair does, as the rest of a sentence: `deletes these rows`. */
  remedy: string;
  look(store: Pick<CheckedDatabase, "query" | "pageSize">): Promise<CheckFinding>;
};

/** The part of a check that one table needs. */
export type CheckPart = {
  table: string;
  /** A SELECT of the damaged rows: `uid` and `wrong`, as in a {@link DamagedRow}. */
  damaged: string;
  /** Statements that repair damaged rows, at most {@link maxRowsPerRepair} of them. */
  repair: string[];
};

/** Damaged rows that one statement repairs: D1 ends a statement after 30 seconds. */
export const maxRowsPerRepair = 20_000;

/** How often a repair runs before the next look, which takes longer, where there is that much to repair. */
const maxRepairRuns = 10;

/** Damaged rows that a finding shows. */
export const maxExamples = 3;

/** A check that SQL alone makes, a statement for each part. */
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
  // A table that has two parts is one table.
  const rows = new Map<string, number>();
  for (const [i, { table, repair }] of parts.entries()) {
    const row = answers[i]?.[0];
    if (!row) throw new Error("the database gave no answer to a check");
    rows.set(table, Number(row.rows));
    sum.problems += Number(row.problems);
    sum.examples.push(...(JSON.parse(String(row.examples)) as DamagedRow[]));
    const runs = Math.min(maxRepairRuns, Math.ceil(Number(row.problems) / maxRowsPerRepair));
    sum.repair.push(...Array<string[]>(runs).fill(repair).flat());
  }
  sum.rows = [...rows.values()].reduce((total, one) => total + one, 0);
  return { ...sum, examples: sum.examples.slice(0, maxExamples) };
}
