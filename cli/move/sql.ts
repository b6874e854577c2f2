/** The databases of a move, and the form in which rows travel from one to the other. */

/** A statement, with `?` in place of its parameters. */
export type Statement = { sql: string; params?: unknown[] };

/** A row as D1 returns it. */
export type Row = Record<string, unknown>;

/** A D1 database. `batch` runs its statements in one transaction, and returns the rows of each. */
export interface Sql {
  batch(statements: Statement[]): Promise<Row[][]>;
}

/** Runs one statement. */
export async function run(database: Sql, sql: string, ...params: unknown[]): Promise<Row[]> {
  return (await database.batch([{ sql, params }]))[0] ?? [];
}

/** The part of D1 that a move uses. */
interface D1Like {
  prepare(sql: string): { bind(...params: unknown[]): unknown };
  batch(statements: never[]): Promise<{ results?: unknown[] }[]>;
}

/** Wraps a D1 binding. */
export const sqlOf = (database: D1Like): Sql => ({
  async batch(statements) {
    const prepared = statements.map(({ sql, params = [] }) =>
      database.prepare(sql).bind(...params),
    );
    const results = await database.batch(prepared as never[]);
    return results.map(({ results: rows = [] }) => rows as Row[]);
  },
});

/** An identifier in SQL. */
export const quoted = (name: string) => `"${name}"`;

/** A text in SQL. The texts of a move are uids and names, without quotes. */
export const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** The condition that a column with a path is in an organization. The two parameters come from {@link rangeOf}. */
export const inRange = (column: string) => `${quoted(column)} >= ? AND ${quoted(column)} < ?`;

/** The first path of an organization, and the first path after it: `0` is the character after `/`. */
export const rangeOf = (root: string): [string, string] => [root, `${root}0`];

/**
 * How a row travels: a JSON array of a mask and the columns. Each letter of the mask is the type of a column. JSON
 * cannot contain bytes, so those columns are hexadecimal. With `isHex`, texts are too: a text that is not valid UTF-8
 * would change on its way.
 */
export function encodedRow(columns: string[], isHex = false): string {
  const types = columns.map((column) => `substr(typeof(${column}), 1, 1)`).join(" || ");
  const bytes = isHex ? "'blob', 'text'" : "'blob'";
  const values = columns.map(
    (column) => `CASE WHEN typeof(${column}) IN (${bytes}) THEN hex(${column}) ELSE ${column} END`,
  );
  const mask = isHex ? `upper(${types})` : types;
  return `json_array(${[mask, ...values].join(", ")})`;
}

/** The stored value of a column of a row: `value` is the JSON array, and columns count from 1. */
export function decoded(column: number, value = "value"): string {
  const stored = `${value} ->> ${column}`;
  return `CASE substr(${value} ->> 0, ${column}, 1) WHEN 'b' THEN unhex(${stored}) WHEN 'B' THEN unhex(${stored})
    WHEN 'T' THEN CAST(unhex(${stored}) AS TEXT) ELSE ${stored} END`;
}

/** Whether a text has lost bytes on its way, because they were not UTF-8. */
export const isDamaged = (row: string) => row.includes("\ufffd");

/** The most characters of rows in one parameter. D1 allows 2,000,000 bytes. */
const maxCharacters = 400_000;

/** Divides rows so that each part fits into one parameter. */
export function toParameters(rows: string[]): string[][] {
  const parts: string[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    size += row.length + 1;
    if (size > maxCharacters) {
      parts.push([]);
      size = row.length;
    }
    parts.at(-1)?.push(row);
  }
  return parts;
}

/** The JSON array of rows, which are JSON themselves. */
export const jsonOf = (rows: string[]) => `[${rows.join(",")}]`;

/**
 * Deletes rows of a table by the JSON array of their keys, which are arrays themselves. `values` is SQL for the columns
 * over such a key, `value`. By default the key contains them in their order.
 */
export const deletionByKeys =
  (table: string, columns: string[], values = columns.map((_, index) => `value ->> ${index}`)) =>
  (keys: string): Statement => ({
    sql: `DELETE FROM ${table} WHERE (${columns.join(", ")}) IN (SELECT ${values.join(", ")} FROM json_each(?))`,
    params: [keys],
  });

/** Deletes at most `limit` rows of an organization. `chosen` selects their columns for the parameters of {@link rangeOf}. */
export const deletionOf =
  (table: string, columns: string[], chosen: string) =>
  (root: string, limit: number): Statement => ({
    sql: `DELETE FROM ${table} WHERE (${columns.join(", ")}) IN (${chosen} LIMIT ${limit})`,
    params: rangeOf(root),
  });
