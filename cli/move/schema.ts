/** Compares the tables of databases with each other, and with the plan of a move. */
import { run, type Sql } from "./sql.ts";
import { derivedTables, numberedTables, pathTables, stayingTables } from "./tables.ts";

/** Names that a database has for itself, or that tools of this project create for a while. */
const isOwn = (name: string) =>
  /^(sqlite_|_cf_|d1_migrations|move_[0-9a-f]{16}_|storage_full_)/.test(name);

async function schemaOf(database: Sql): Promise<Map<string, string>> {
  const rows = await run(database, "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL");
  return new Map(
    rows
      .map(({ name, sql }) => [String(name), String(sql)] as const)
      .filter(([name]) => !isOwn(name)),
  );
}

/** The names of tables, indexes and triggers that differ. */
export async function changedSchema(source: Sql, target: Sql): Promise<string[]> {
  const [a, b] = await Promise.all([schemaOf(source), schemaOf(target)]);
  const names = new Set([...a.keys(), ...b.keys()]);
  return [...names].filter((name) => a.get(name) !== b.get(name)).sort();
}

/** The tables of a database that a move does not know. */
export async function unplannedTables(database: Sql): Promise<string[]> {
  const rows = await run(database, "SELECT name FROM sqlite_master WHERE type = 'table'");
  const known = new Set([
    ...pathTables.map(({ name }) => name),
    ...derivedTables,
    ...numberedTables,
    ...stayingTables,
  ]);
  const names = rows.map(({ name }) => String(name));
  return names.filter((name) => !isOwn(name) && !known.has(name)).sort();
}
