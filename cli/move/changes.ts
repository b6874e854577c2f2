/**
 * Notes the rows that change while a move copies them. Triggers do that. They exist only during the move, and only for
 * its organization. While the organization leaves, the same triggers refuse every write.
 */
import { numbered } from "./numbered.ts";
import type { TablePart } from "./numbered_table.ts";
import { literal, quoted, run, type Sql, type Statement } from "./sql.ts";
import { pathTables } from "./tables.ts";

/** A table with a trigger. */
interface Noted extends TablePart {
  /** The table whose rows are copied again. By default the same. */
  copied?: string;
}

/** The SELECT of the only key of a row. */
const only = (key: string) => `SELECT ${key} AS key`;

const noted: Noted[] = [
  ...pathTables.map(({ name, path, key }) => ({
    name,
    path: (row: string) => `${row}.${quoted(path)}`,
    keysOf: (row: string) =>
      only(`json_array(${key.map((column) => `${row}.${quoted(column)}`).join(", ")})`),
  })),
  ...numbered.flatMap(({ name, path, keyOf, events, parts = [] }) => [
    { name, path, keysOf: (row: string) => only(keyOf(row)), ...(events ? { events } : {}) },
    ...parts.map((part) => ({ ...part, copied: name })),
  ]),
  {
    name: "deliveries",
    path: (row) => `${row}.uid`,
    keysOf: (row) => only(`json_array(${row}.uid)`),
  },
  // An event never changes, and those that come are found by their numbers.
  {
    name: "events",
    path: (row) => `${row}.uid`,
    keysOf: (row) => only(`json_array(${row}.uid)`),
    events: ["INSERT", "DELETE"],
  },
];

const allEvents = ["INSERT", "UPDATE", "DELETE"];

/** The names of the triggers of a move begin with this text. */
const prefixOf = (root: string) => `move_${root.slice(0, 16)}_`;

function triggerOf(root: string, noted: Noted, event: string): Statement {
  const { name, copied = name, path, keysOf, isLeaving = false } = noted;
  const [kind = ""] = event.split(" ");
  const row = kind === "DELETE" || (kind === "UPDATE" && isLeaving) ? "OLD" : "NEW";
  const leaving = `SELECT 1 FROM organization_moves WHERE uid = ${literal(root)} AND state = 'leaving'`;
  return {
    sql: `CREATE TRIGGER IF NOT EXISTS ${prefixOf(root)}${name}_${kind.toLowerCase()} BEFORE ${event} ON ${quoted(name)}
      WHEN substr(${path(row, root)}, 1, 40) = ${literal(root)} BEGIN
      SELECT RAISE(ABORT, 'organization is leaving') WHERE EXISTS (${leaving});
      INSERT INTO organization_changes (uid, table_name, row_key)
        SELECT ${literal(root)}, ${literal(copied)}, key FROM (${keysOf(row, root)});
    END`,
  };
}

/** Creates the triggers. */
export async function noteChanges(source: Sql, root: string): Promise<void> {
  const statements = noted.flatMap((table) =>
    (table.events ?? allEvents).map((event) => triggerOf(root, table, event)),
  );
  for (let start = 0; start < statements.length; start += 40) {
    await source.batch(statements.slice(start, start + 40));
  }
}

/** Drops the triggers. */
export async function stopNoting(source: Sql, root: string): Promise<void> {
  const triggers = await run(
    source,
    "SELECT name FROM sqlite_master WHERE type = 'trigger' AND substr(name, 1, ?) = ?",
    prefixOf(root).length,
    prefixOf(root),
  );
  const drops = triggers.map(({ name }) => ({ sql: `DROP TRIGGER ${quoted(String(name))}` }));
  if (drops.length > 0) await source.batch(drops);
}

/** The number of the last note, and how many there are. */
export async function countChanges(
  source: Sql,
  root: string,
): Promise<{ last: number; n: number }> {
  const [row] = await run(
    source,
    "SELECT ifnull(max(seq), 0) AS last, count(*) AS n FROM organization_changes WHERE uid = ?",
    root,
  );
  return { last: Number(row?.last), n: Number(row?.n) };
}

/** The keys of one page. */
export const changePage = 200;

/** A page of the keys of changed rows of a table, after a key and up to a note. */
export async function readChanges(
  source: Sql,
  root: string,
  { table, last, after }: { table: string; last: number; after: string },
): Promise<string[]> {
  const rows = await run(
    source,
    `SELECT DISTINCT row_key FROM organization_changes
      WHERE uid = ? AND table_name = ? AND row_key > ? AND seq <= ? ORDER BY row_key LIMIT ${changePage}`,
    root,
    table,
    after,
    last,
  );
  return rows.map(({ row_key }) => String(row_key));
}

/** The tables with notes up to one. */
export async function changedTables(source: Sql, root: string, last: number): Promise<Set<string>> {
  const rows = await run(
    source,
    "SELECT DISTINCT table_name AS name FROM organization_changes WHERE uid = ? AND seq <= ?",
    root,
    last,
  );
  return new Set(rows.map(({ name }) => String(name)));
}

/** Forgets notes up to one, at most `limit` of them. Returns whether there can be more. */
export async function forgetChanges(
  source: Sql,
  root: string,
  last: number,
  limit = 1000,
): Promise<boolean> {
  const rows = await run(
    source,
    `DELETE FROM organization_changes WHERE seq IN (
      SELECT seq FROM organization_changes WHERE uid = ? AND seq <= ? LIMIT ${limit}) RETURNING seq`,
    root,
    last,
  );
  return rows.length === limit;
}
