/** Copies the rows of tables whose keys begin with the path of their organization. */
import {
  decoded,
  deletionByKeys,
  deletionOf,
  encodedRow,
  inRange,
  isDamaged,
  jsonOf,
  quoted,
  rangeOf,
  run,
  type Sql,
  type Statement,
  toParameters,
} from "./sql.ts";
import type { PathTable } from "./tables.ts";

/** A row that travels, its key as a JSON array, and its position in the order of pages. */
export interface Travelling {
  row: string;
  row_key: string;
  position: string;
}

const known = new WeakMap<Sql, Map<string, string[]>>();

/** The columns of a table that are stored, in their order. */
export async function columnsOf(database: Sql, table: string): Promise<string[]> {
  const tables = known.get(database) ?? new Map<string, string[]>();
  known.set(database, tables);
  const names = tables.get(table) ?? (await readColumns(database, table));
  tables.set(table, names);
  return names;
}

async function readColumns(database: Sql, table: string): Promise<string[]> {
  const rows = await run(database, `PRAGMA table_xinfo(${quoted(table)})`);
  return rows.filter(({ hidden }) => hidden === 0).map(({ name }) => String(name));
}

/** The key first, then the other columns. */
const ordered = ({ key }: PathTable, columns: string[]) => [
  ...key,
  ...columns.filter((name) => !key.includes(name)),
];

/** Reads a page after a key, or the rows of some keys. Texts that are not valid UTF-8 come as their bytes. */
export async function readPaths(
  source: Sql,
  table: PathTable,
  root: string,
  where: { after: unknown[] } | { keys: string },
): Promise<Travelling[]> {
  const columns = ordered(table, await columnsOf(source, table.name));
  const rows = await select(source, table, columns, root, where, false);
  const damaged = rows.filter(({ row }) => isDamaged(row));
  if (damaged.length === 0) return rows;
  const keys = jsonOf(damaged.map(({ row_key }) => row_key));
  const whole = await select(source, table, columns, root, { keys }, true);
  const byKey = new Map(whole.map((row) => [row.row_key, row]));
  return rows.map((row) => byKey.get(row.row_key) ?? row);
}

async function select(
  source: Sql,
  { name, path, key, pageSize = 500 }: PathTable,
  columns: string[],
  root: string,
  where: { after: unknown[] } | { keys: string },
  isHex: boolean,
): Promise<Travelling[]> {
  const keys = key.map(quoted);
  const keyArray = `json_array(${keys.join(", ")})`;
  const row = `${encodedRow(columns.map(quoted), isHex)} AS row, ${keyArray} AS row_key, ${keyArray} AS position`;
  const [first, end] = rangeOf(root);
  // A second lower bound would make SQLite read all earlier pages again.
  const [condition, params] =
    "keys" in where
      ? [
          `${inRange(path)} AND (${keys.join(", ")}) IN (SELECT ${key.map((_, index) => `value ->> ${index}`).join(", ")} FROM json_each(?))`,
          [first, end, where.keys],
        ]
      : where.after.length > 0
        ? [
            `${quoted(path)} < ? AND (${keys.join(", ")}) > (${key.map(() => "?").join(", ")})`,
            [end, ...where.after],
          ]
        : [inRange(path), [first, end]];
  const sql = `SELECT ${row} FROM ${quoted(name)} WHERE ${condition}
    ORDER BY ${keys.join(", ")} LIMIT ${"keys" in where ? -1 : pageSize}`;
  return (await run(source, sql, ...params)) as unknown as Travelling[];
}

/** The statements that write rows, or replace those with the same keys. */
export async function writePaths(
  target: Sql,
  table: PathTable,
  rows: string[],
  isArmed: boolean,
): Promise<void> {
  const columns = ordered(table, await columnsOf(target, table.name));
  for (const part of toParameters(rows)) {
    const [first = ""] = part;
    const isLong = part.length === 1 && first.length > maxJson;
    const insert = insertOf(table, columns, part, isArmed);
    await target.batch([isLong ? insertLong(insert, columns, first) : insert]);
  }
}

/** A longer row does not fit into one parameter, so each of its columns has its own. */
const maxJson = 1_500_000;

function insertLong({ sql }: Statement, columns: string[], row: string): Statement {
  const [mask, ...values] = JSON.parse(row) as [string, ...unknown[]];
  const named = columns.map((name, index) => {
    const isBytes = mask[index] === "b" || mask[index] === "B";
    const value = mask[index] === "T" ? "CAST(unhex(?) AS TEXT)" : isBytes ? "unhex(?)" : "?";
    return `${value} AS ${quoted(name)}`;
  });
  const start = sql.slice(0, sql.indexOf("SELECT"));
  const end = sql.slice(sql.indexOf("ON CONFLICT"));
  return { sql: `${start} SELECT ${named.join(", ")} WHERE true ${end}`, params: values };
}

function insertOf(
  { name, key, armed = [] }: PathTable,
  columns: string[],
  rows: string[],
  isArmed: boolean,
): Statement {
  const values = columns.map((column, index) =>
    !isArmed && armed.includes(column) ? "NULL" : decoded(index + 1),
  );
  const changes = columns
    .filter((column) => !key.includes(column) && (isArmed || !armed.includes(column)))
    .map((column) => `${quoted(column)} = excluded.${quoted(column)}`);
  const conflict = changes.length > 0 ? `DO UPDATE SET ${changes.join(", ")}` : "DO NOTHING";
  return {
    sql: `INSERT INTO ${quoted(name)} (${columns.map(quoted).join(", ")})
      SELECT ${values.join(", ")} FROM json_each(?) WHERE true
      ON CONFLICT (${key.map(quoted).join(", ")}) ${conflict}`,
    params: [jsonOf(rows)],
  };
}

/** The statement that deletes the rows of some keys, which are JSON arrays. */
export const deletePaths = ({ name, key }: PathTable, keys: string): Statement =>
  deletionByKeys(quoted(name), key.map(quoted))(keys);

/** The statement that makes room for rows that exchange values which only one of them can have. */
export const parkPaths = (table: PathTable, keys: string): Statement =>
  table.parked === undefined
    ? deletePaths(table, keys)
    : {
        sql: `UPDATE ${quoted(table.name)} SET ${quoted(table.parked)} = 'moving ' || uid
          WHERE uid IN (SELECT value ->> 0 FROM json_each(?))`,
        params: [keys],
      };

/** The statement that deletes rows of an organization, at most `limit`. */
export const purgePaths = (
  { name, path, key }: PathTable,
  root: string,
  limit: number,
): Statement => {
  const keys = key.map(quoted);
  const chosen = `SELECT ${keys.join(", ")} FROM ${quoted(name)} WHERE ${inRange(path)}`;
  return deletionOf(quoted(name), keys, chosen)(root, limit);
};

/** The number of rows of an organization. */
export const countPaths = ({ name, path }: PathTable, root: string): Statement => ({
  sql: `SELECT count(*) AS n FROM ${quoted(name)} WHERE ${inRange(path)}`,
  params: rangeOf(root),
});
