/** The migrations of this checkout as SQL that also keeps the record of `wrangler d1 migrations`. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { projectRoot } from "./project.ts";

const folder = join(projectRoot, "migrations");

/**
 * Creates the table of the record if necessary, with the same columns as wrangler. One statement, without a semicolon.
 */
export const recordTable =
  "CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, " +
  "name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)";

/** Returns the file names in the order in which they apply. */
export const migrationNames = async (): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();

/**
 * Returns SQL that applies these migrations and records them. The database must already have the table of the record.
 */
export async function migrationSql(names: string[]): Promise<string> {
  const texts = names.map(async (name) => {
    const sql = await readFile(join(folder, name), "utf8");
    return `${sql}\nINSERT INTO d1_migrations (name) VALUES ('${name}');\n`;
  });
  return (await Promise.all(texts)).join("\n");
}
