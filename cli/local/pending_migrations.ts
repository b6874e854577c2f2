/**
 * The migrations that the local database lacks. `wrangler d1 migrations apply` starts a Worker for each of them. A
 * single file with all of them needs one.
 */
import { DatabaseSync } from "node:sqlite";
import {
  migrationFolder,
  migrationNames,
  migrationSql,
  pendingMigrations,
  recordTable,
} from "../migrations.ts";

/** In milliseconds: how long to wait for a Worker that still writes, because its `npm start` was just killed. */
const timeoutMs = 2_000;

/**
 * Returns SQL that migrates a database, for `wrangler d1 execute --file`, which runs it as a whole or not at all. Empty if
 * nothing is missing. `file` is the database, if there is one. Throws a MIGRATIONS Failure.
 */
export async function pendingSql(
  file: string | undefined,
  folder = migrationFolder,
): Promise<string> {
  const names = await migrationNames(folder);
  const { first, last } = pendingMigrations(names, file ? appliedMigrations(file) : []);
  const missing = [...first, ...last];
  return missing.length > 0 ? `${recordTable};\n${await migrationSql(missing, folder)}` : "";
}

function appliedMigrations(file: string): string[] {
  const db = new DatabaseSync(file, { timeout: timeoutMs });
  try {
    const record = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'd1_migrations'").get();
    return record
      ? db
          .prepare("SELECT name FROM d1_migrations")
          .all()
          .map(({ name }) => String(name))
      : [];
  } finally {
    db.close();
  }
}
