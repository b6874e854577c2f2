/**
 * The migrations that the local database lacks. `wrangler d1 migrations apply` starts a Worker for each of them, which
 * takes 15 seconds of processor time for a new database. A single file with all of them takes 2.
 */
import { DatabaseSync } from "node:sqlite";
import { copyRows, type RowCopy } from "../copies/row_copy.ts";
import { migrationNames, migrationSql, migrationSteps, recordTable } from "../migrations.ts";

/** In milliseconds: how long to wait for a Worker that still writes, because its `npm start` was just killed. */
const timeoutMs = 2_000;

/** SQL for `wrangler d1 execute --file`, which runs it as a whole or not at all, and what must be copied before. */
interface PendingStep {
  copy?: RowCopy;
  sql: string;
}

/** Returns the steps that migrate a database. `file` is the database, if there is one. */
export async function pendingMigrations(file: string | undefined): Promise<PendingStep[]> {
  const applied = file ? appliedMigrations(file) : [];
  const steps = migrationSteps(await migrationNames(), applied);
  return Promise.all(
    steps.map(async ({ copy, names }) => {
      const sql = `${recordTable};\n${await migrationSql(names)}`;
      return copy ? { copy, sql } : { sql };
    }),
  );
}

/** Copies rows in a database that no Worker has open. */
export async function copyLocally(file: string, copy: RowCopy): Promise<void> {
  const db = new DatabaseSync(file, { timeout: timeoutMs });
  try {
    await copyRows(copy, async (statements) => {
      const changes = statements.slice(0, -1).map((one) => `${one};\n`);
      if (changes.length > 0) db.exec(`BEGIN IMMEDIATE;\n${changes.join("")}COMMIT;`);
      return db.prepare(statements.at(-1) ?? "").get();
    });
  } finally {
    db.close();
  }
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
