/** What a check of the database is: what it looks at, what it finds, how that is repaired. */

/** A row as D1 answers it. */
export type Row = Record<string, unknown>;

/** The database under check. */
export type Store = {
  /** Runs SELECTs; the rows of each. */
  query(statements: string[]): Promise<Row[][]>;
  /** Runs statements, all or none of them. */
  execute(statements: string[]): Promise<void>;
  /** Most characters of stored documents that one answer may have. */
  pageSize: number;
};

/** A damaged row, by the uid of the row or of what it is about, and what is wrong with it. */
export type Damage = { uid: string; wrong: string };

/**
 * What a look found: how many rows it read, how many are damaged, the first few of those, and the
 * statements that repair them, or the first part of them where they are many.
 */
export type Finding = { rows: number; problems: number; examples: Damage[]; repair: string[] };

/** One promise that the database keeps. */
export type Check = {
  name: string;
  /** What holds in a healthy database, as a sentence. */
  promise: string;
  /** What a repair does, as the rest of a sentence: `deletes these rows`. */
  remedy: string;
  look(store: Pick<Store, "query" | "pageSize">): Promise<Finding>;
};

/** The part of a check that one table needs. */
export type Part = {
  table: string;
  /** A SELECT of the damaged rows: `uid` and `wrong`, as in a {@link Damage}. */
  damaged: string;
  /** Statements that repair damaged rows, at most {@link mostAtOnce} of them. */
  repair: string[];
};

/** Damaged rows that one statement repairs: D1 ends a statement after 30 seconds. */
export const mostAtOnce = 20_000;

/** How often a repair runs before the next look, which takes longer, where there is that much to repair. */
const mostRuns = 10;

/** Damaged rows that a finding shows. */
export const mostExamples = 3;

/** A check that SQL alone makes, a statement for each part. */
export const checkOf = (words: Omit<Check, "look">, parts: Part[]): Check => ({
  ...words,
  look: async (store) => findingOf(parts, await store.query(parts.map(looking))),
});

const looking = ({ table, damaged }: Part) =>
  `WITH damaged AS MATERIALIZED (${damaged})
  SELECT (SELECT count(*) FROM "${table}") AS "rows", (SELECT count(*) FROM damaged) AS problems,
    (SELECT json_group_array(json_object('uid', uid, 'wrong', wrong))
      FROM (SELECT uid, wrong FROM damaged ORDER BY uid LIMIT ${mostExamples})) AS examples`;

function findingOf(parts: Part[], answers: Row[][]): Finding {
  const sum: Finding = { rows: 0, problems: 0, examples: [], repair: [] };
  // A table that has two parts is one table.
  const rows = new Map<string, number>();
  for (const [i, { table, repair }] of parts.entries()) {
    const row = answers[i]?.[0];
    if (!row) throw new Error("the database gave no answer to a check");
    rows.set(table, Number(row.rows));
    sum.problems += Number(row.problems);
    sum.examples.push(...(JSON.parse(String(row.examples)) as Damage[]));
    const runs = Math.min(mostRuns, Math.ceil(Number(row.problems) / mostAtOnce));
    sum.repair.push(...Array<string[]>(runs).fill(repair).flat());
  }
  sum.rows = [...rows.values()].reduce((total, one) => total + one, 0);
  return { ...sum, examples: sum.examples.slice(0, mostExamples) };
}
