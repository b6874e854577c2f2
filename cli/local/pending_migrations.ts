/**
 * The migrations that the local database lacks. `wrangler d1 migrations apply` starts a Worker for each of them, which
 * takes 15 seconds of processor time for a new database. A single file with all of them takes 2.
 */
import { DatabaseSync } from "node:sqlite";
import { migrationNames, migrationSql, recordTable } from "../migrations.ts";

/** In milliseconds: how long to wait for a Worker that still writes, because its `npm start` was just killed. */
const timeoutMs = 2_000;

/**
 * Returns SQL for `wrangler d1 execute --file`, which runs it as a whole or not at all. `file` is the database, if
 * there is one.
 */
export async function pendingMigrations(file: string | undefined): Promise<string> {
  const applied = file ? appliedMigrations(file) : [];
  const pending = (await migrationNames()).filter((name) => !applied.includes(name));
  return `${recordTable};\n${await migrationSql(pending)}`;
}

function appliedMigrations(file: string): unknown[] {
  const db = new DatabaseSync(file, { timeout: timeoutMs });
  try {
    const record = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'd1_migrations'").get();
    return record
      ? db
          .prepare("SELECT name FROM d1_migrations")
          .all()
          .map(({ name }) => name)
      : [];
  } finally {
    db.close();
  }
}
