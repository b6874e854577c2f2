/**
 * Writes many rows into D1's SQLite file at once, so that a million take seconds: without triggers
 * and secondary indexes, which are made again afterwards, and with what the triggers of an insert keep
 * (counts, aliases) computed for all rows at once, by the triggers' own SQL.
 */
import { DatabaseSync } from "node:sqlite";

/** One statement that inserts rows of a table. */
export interface TableLoad {
  table: string;
  sql: string;
}

interface Part {
  name: string;
  sql: string;
}

/** Opens the file of a D1 that nobody else has open, for fast writing: a crash may spoil it. */
export function openFile(file: string): DatabaseSync {
  const db = new DatabaseSync(file);
  db.exec(
    "pragma journal_mode = off; pragma synchronous = off; pragma locking_mode = exclusive; pragma cache_size = -1000000; pragma temp_store = memory; pragma threads = 2",
  );
  return db;
}

/** Runs the loads. The outcome is that of running them with the triggers in place. */
export function loadInBulk(
  db: DatabaseSync,
  loads: TableLoad[],
  say: (line: string) => void,
): void {
  const tables = [...new Set(loads.map(({ table }) => table))];
  const triggers = tables.flatMap((table) => partsOf(db, "trigger", table));
  for (const { name } of triggers) db.exec(`drop trigger ${name}`);
  const indexes = new Map(tables.map((table) => [table, partsOf(db, "index", table)]));
  for (const { name } of [...indexes.values()].flat()) db.exec(`drop index ${name}`);
  const begun = Date.now();
  for (const { sql } of loads) db.exec(sql);
  say(`  rows: ${secondsSince(begun)}`);
  const kept = Date.now();
  db.exec("create temp table steps (value integer primary key)");
  db.exec("insert into steps values (0), (1), (2), (3), (4), (5)");
  for (const sql of triggers.flatMap(toBulkStatements)) {
    db.exec(sql);
  }
  say(`  counts: ${secondsSince(kept)}`);
  for (const [table, parts] of indexes) {
    const started = Date.now();
    for (const { sql } of parts) db.exec(sql);
    if (Date.now() - started > 5_000) say(`  indexes of ${table}: ${secondsSince(started)}`);
  }
  for (const { sql } of triggers) db.exec(sql);
}

/** Runs the loads row by row through the triggers: slow, and what {@link loadInBulk} has to equal. */
export function loadByTriggers(db: DatabaseSync, loads: TableLoad[]): void {
  db.exec("begin");
  for (const { sql } of loads) db.exec(sql);
  db.exec("commit");
}

const secondsSince = (time: number) => `${((Date.now() - time) / 1000).toFixed(1)} s`;

/** What the schema has of a table, by its name. Indexes that SQLite made for a key have no SQL. */
function partsOf(db: DatabaseSync, type: "index" | "trigger", table: string): Part[] {
  return db
    .prepare(
      "select name, sql from sqlite_master where type = ? and tbl_name = ? and sql is not null",
    )
    .all(type, table) as unknown as Part[];
}

const trigger =
  /^CREATE TRIGGER \S+ AFTER INSERT ON (\w+) BEGIN\s+(INSERT (?:OR IGNORE )?INTO \w+ \([^)]*\))\s+(SELECT[\s\S]*?)(\s+ON CONFLICT[\s\S]*?)?;\s*END$/;

/**
 * What an insert's trigger does to one row, as a statement for all rows of its table: the row's name,
 * NEW, becomes the table's. Triggers that only refuse, or tell of other changes, have none.
 */
function toBulkStatements({ name, sql }: Part): string[] {
  if (!/ AFTER INSERT /.test(sql)) return [];
  const [, table = "", head = "", select = "", conflict = ""] = trigger.exec(sql) ?? [];
  if (table === "") throw new Error(`the trigger ${name} has a form that cannot be run in bulk`);
  const rows = select
    .replace(/FROM json_each/, `FROM ${table} AS NEW, json_each`)
    // A table of the same numbers: the list would be parsed once a row.
    .replace("json_each('[0,1,2,3,4,5]')", "steps");
  if (rows === select) throw new Error(`the trigger ${name} has no json_each to join with`);
  if (conflict === "") return [`${head} ${rows}`];
  // A row of counts gathers many rows of the table: summed first, each is written once. Rows that the
  // migrations insert are counted already, and counted once more here.
  const countColumns = "(ancestor, kind, class, children, descendants)";
  const summed =
    "select ancestor, kind, class, sum(children), sum(descendants) from counted where true group by 1, 2, 3";
  return [
    `delete from counts where kind = '${table}'`,
    `with counted ${countColumns} as (${rows}) ${head} ${summed}${conflict}`,
  ];
}
