/** The migrations of this checkout as SQL that also keeps the record of `wrangler d1 migrations`. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { RowCopy } from "./copies/row_copy.ts";
import { shortTagsCopy } from "./copies/short_tags.ts";
import { tagRecordsCopy } from "./copies/tag_records.ts";
import { projectRoot } from "./project.ts";

const folder = join(projectRoot, "migrations");

/** Some migrations that apply at once, and what must be copied before. */
export interface MigrationStep {
  copy?: RowCopy;
  names: string[];
  /** Whether the step waits until all Workers are deployed. */
  isRemoval?: true;
}

const copies = [tagRecordsCopy, shortTagsCopy];

/**
 * The names, without their numbers, of migrations that take away what older Workers need. Newer ones work with and without
 * them. So they wait until all Workers are deployed, unless a later migration is pending.
 */
const removals = ["replace_tags", "drop_redundant_indexes"];

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
  const isNew = applied.length === 0;
  const firstRemoval = isNew ? pending.length : pending.findLastIndex((one) => !isRemoval(one)) + 1;
  const steps: MigrationStep[] = [];
  for (const [at, name] of pending.entries()) {
    const copy = isNew ? undefined : copyBefore(name);
    const last = steps.at(-1);
    if (!copy && last && at !== firstRemoval) last.names.push(name);
    else {
      const removal = at >= firstRemoval ? ({ isRemoval: true } as const) : {};
      steps.push({ ...(copy ? { copy } : {}), names: [name], ...removal });
    }
  }
  return steps;
}

const isNamed = (name: string, title: string) => name.replace(/^\d+_/, "") === `${title}.sql`;

const isRemoval = (name: string) => removals.some((one) => isNamed(name, one));

/** Returns the copy that must end before a migration. */
export const copyBefore = (name: string): RowCopy | undefined =>
  copies.find(({ before }) => isNamed(name, before));

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
