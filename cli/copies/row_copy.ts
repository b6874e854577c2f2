/**
 * A copy of rows between two migrations. It would take too long in a migration, because D1 ends a statement after 30
 * seconds and serves no other call meanwhile. It can end at any point, and then continues there.
 */
export interface RowCopy {
  /** The name, without its number, of the migration that fails unless all rows are copied. */
  before: string;
  /** The name of the rows in messages: `the history of tags`. */
  what: string;
  /** The statements that copy some of the rows. After the last rows, they change nothing. */
  batch: string[];
  /** A SELECT of the number of rows that are not copied: `left`. */
  left: string;
}

/** Copies all rows. `run` runs statements, all or none, and returns the row of the last one. */
export async function copyRows(
  { batch, left }: RowCopy,
  run: (statements: string[]) => Promise<Record<string, unknown> | undefined>,
): Promise<void> {
  let rows = Number((await run([left]))?.left);
  while (rows > 0) rows = Number((await run([...batch, left]))?.left);
}
