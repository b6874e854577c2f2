/** The migrations of this checkout as SQL that also keeps the record of `wrangler d1 migrations`. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { RowCopy } from "./copies/row_copy.ts";
import { tagRecordsCopy } from "./copies/tag_records.ts";
import { projectRoot } from "./project.ts";

const folder = join(projectRoot, "migrations");

/** Some migrations that apply at once, and what must be copied before. */
export interface MigrationStep {
  copy?: RowCopy;
  names: string[];
}

const copies = [tagRecordsCopy];

/**
 * Creates the table of the record if necessary, with the same columns as wrangler. One statement, without a semicolon.
 */
export const recordTable =
  "CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, " +
  "name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)";

/** Returns the file names in the order in which they apply. */
export const migrationNames = async (): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();

/** Returns the steps that apply the pending ones of these migrations. A new database has nothing to copy. */
export function migrationSteps(names: string[], applied: string[]): MigrationStep[] {
  const pending = names.filter((name) => !applied.includes(name));
  const steps: MigrationStep[] = [];
  for (const name of pending) {
    const copy = applied.length > 0 ? copyBefore(name) : undefined;
    const last = steps.at(-1);
    if (copy || !last) steps.push({ ...(copy ? { copy } : {}), names: [name] });
    else last.names.push(name);
  }
  return steps;
}

/** Returns the copy that must end before a migration. */
export const copyBefore = (name: string): RowCopy | undefined =>
  copies.find(({ before }) => name.replace(/^\d+_/, "") === `${before}.sql`);

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
