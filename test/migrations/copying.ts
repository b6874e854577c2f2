/** Migrations in a database in memory, and copies of rows between them that end where a test wants. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../migrations/", import.meta.url));

/** The file names of all migrations, in their order. */
export const migrations = readdirSync(folder)
  .filter((name) => name.endsWith(".sql"))
  .sort();

/** The place of a migration, whatever its number is. */
export const placeOf = (title: string) =>
  migrations.findIndex((name) => name.endsWith(`_${title}.sql`));

/** Applies migrations. */
export function migrate(db: DatabaseSync, some: string[]): void {
  for (const name of some) db.exec(readFileSync(join(folder, name), "utf8"));
}

/**
 * Runs the statements of a copy as D1 does. The batch after `most` ends after its first `kept` statements, and D1 keeps
 * them or not, as `end` says.
 */
export const runIn = (db: DatabaseSync, most: { batches: number; kept?: number; end?: string }) => {
  return async (statements: string[]) => {
    const changes = statements.slice(0, -1);
    if (changes.length > 0 && most.batches === 0) {
      db.exec(`begin; ${changes.slice(0, most.kept).join("; ")}; ${most.end}`);
      throw new Error("killed");
    }
    if (changes.length > 0) most.batches -= 1;
    db.exec(`begin; ${changes.map((one) => `${one}; `).join("")} commit`);
    return db.prepare(statements.at(-1) ?? "").get();
  };
};
