/** The migrations of this checkout as SQL that also keeps the record that `wrangler d1 migrations` keeps. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { projectRoot } from "./project.ts";

const folder = join(projectRoot, "migrations");

/** Makes the table of the record unless it is there, as wrangler makes it. One statement, without a semicolon. */
export const recordTable =
  "CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, " +
  "name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)";

/** File names, in the order in which they apply. */
export const migrationNames = async (): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();

/** What applies these to a database that has the record's table, and records them. */
export async function migrationSql(names: string[]): Promise<string> {
  const texts = names.map(async (name) => {
    const sql = await readFile(join(folder, name), "utf8");
    return `${sql}\nINSERT INTO d1_migrations (name) VALUES ('${name}');\n`;
  });
  return (await Promise.all(texts)).join("\n");
}
