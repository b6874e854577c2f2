/**
 * Writes the migration that schema/tables and schema/views need: the part of drizzle-kit, the views and the triggers.
 */
import { spawnSync } from "node:child_process";
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { schemaChanges, schemaStatements } from "../../schema/describe/views.ts";
import { refusedFailure } from "../failure.ts";

/**
 * Returns the path of the new migration below `root`, such as `migrations/0028_create_pets.sql`, or undefined if no
 * migration is missing. drizzle-kit may ask whether a column was renamed. Throws a MIGRATION Failure if it fails.
 */
export async function writeMigration(root: string, name: string): Promise<string | undefined> {
  const folder = join(root, "migrations");
  let path = generate(root, ["--name", name]);
  const statements = schemaStatements(await schemaChanges(root, folder));
  if (statements === "") return path;
  if (path) appendFileSync(join(root, path), "\n--> statement-breakpoint\n");
  else {
    path = generate(root, ["--custom", "--name", name]);
    if (!path)
      throw refusedFailure(
        "MIGRATION",
        "drizzle-kit created no migration for the views and triggers.",
      );
    writeFileSync(join(root, path), "");
  }
  appendFileSync(join(root, path), statements);
  return path;
}

/** Runs `drizzle-kit generate` and returns the path of the new migration, if there is one. */
function generate(root: string, options: string[]): string | undefined {
  const before = new Set(readdirSync(join(root, "migrations")));
  const { status } = spawnSync(
    "drizzle-kit",
    ["generate", "--config", "schema/drizzle.config.ts", ...options],
    {
      cwd: root,
      stdio: ["inherit", 2, "inherit"],
      env: { ...process.env, PATH: join(root, "node_modules/.bin") + delimiter + process.env.PATH },
    },
  );
  if (status !== 0)
    throw refusedFailure("MIGRATION", "drizzle-kit created no migration; see above.");
  const made = readdirSync(join(root, "migrations")).find((name) => !before.has(name));
  if (!made) return undefined;
  removeOldSnapshots(join(root, "migrations/meta"));
  const path = join("migrations", made);
  writeFileSync(join(root, path), `${readFileSync(join(root, path), "utf8").trimEnd()}\n`);
  return path;
}

/** drizzle-kit compares the tables with the newest snapshot. The others are never read. */
function removeOldSnapshots(folder: string): void {
  const snapshots = readdirSync(folder).filter((name) => name.endsWith("_snapshot.json"));
  for (const name of snapshots.sort().slice(0, -1)) rmSync(join(folder, name));
}
