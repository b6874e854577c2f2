/** The migrations of this checkout as SQL that also keeps the record of `wrangler d1 migrations`. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { refusedFailure } from "./failure.ts";
import { projectRoot } from "./project.ts";

/** The folder of the migrations. Tests name another one. */
export const migrationFolder = join(projectRoot, "migrations");

/** The names of the migrations that a database lacks, in their order. */
export interface PendingMigrations {
  /** Those that apply before the Workers are deployed. */
  first: string[];
  /** Those that take away what older Workers need. They wait until all Workers are deployed. */
  last: string[];
}

/**
 * Creates the table of the record if necessary, with the same columns as wrangler. One statement, without a semicolon.
 */
export const recordTable =
  "CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, " +
  "name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)";

/** Returns the file names in the order in which they apply. */
export const migrationNames = async (folder = migrationFolder): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();

/**
 * Returns what a database with the applied ones of these migrations lacks. A migration whose name begins with `drop_`
 * waits until all Workers are deployed, unless one that does not wait comes after it. A new database needs no waiting.
 * Throws a MIGRATIONS Failure if the database was not made by this checkout or an older one.
 */
export function pendingMigrations(names: string[], applied: string[]): PendingMigrations {
  const [baseline = ""] = names;
  if (applied.length > 0 && !applied.includes(baseline)) throw madeBeforeRelease();
  const strange = applied.filter((name) => !names.includes(name));
  if (strange.length > 0) {
    throw refusedFailure(
      "MIGRATIONS",
      `The database has migrations that this checkout does not have: ${strange.join(", ")}. Check out a newer version.`,
    );
  }
  const pending = names.filter((name) => !applied.includes(name));
  if (applied.length === 0) return { first: pending, last: [] };
  const split = pending.findLastIndex((name) => !/^\d+_drop_/.test(name)) + 1;
  return { first: pending.slice(0, split), last: pending.slice(split) };
}

const madeBeforeRelease = () =>
  refusedFailure(
    "MIGRATIONS",
    "The database was made by an unreleased version of the platform, and was not changed. Start afresh with a new " +
      "database (locally: `npm start -- --state <new folder>`), and keep the old one as long as you need its data.",
  );

/**
 * Returns SQL that applies these migrations and records them. The database must already have the table of the record.
 */
export async function migrationSql(names: string[], folder = migrationFolder): Promise<string> {
  const texts = names.map(async (name) => {
    const sql = await readFile(join(folder, name), "utf8");
    return `${sql}\nINSERT INTO d1_migrations (name) VALUES ('${name}');\n`;
  });
  return (await Promise.all(texts)).join("\n");
}
