/**
 * Migrates a deployed database, and keeps the same record as `runWrangler d1 migrations`.
 *
 * That command sends a file to D1's query endpoint, which splits it into statements. It splits in the wrong places if
 * the body of a trigger contains `CASE … END` (workers-sdk issues 4326 and 15690). Migrations are therefore sent as a
 * file, which D1 parses as SQLite does.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { refusedFailure } from "../failure.ts";
import { migrationNames, migrationSql, recordTable } from "../migrations.ts";
import { runWrangler, withoutColors } from "../wrangler.ts";

/**
 * Applies the missing migrations to a database, in order, all or nothing. Returns the names of the applied migrations.
 * `options` choose the configuration, and `binding` the database. Throws a Failure with the output of wrangler.
 */
export async function applyMigrations(options: string[], binding = "DB"): Promise<string[]> {
  const names = await migrationNames();
  const applied = await appliedOf(options, binding);
  const strange = applied.filter((name) => !names.includes(name));
  if (strange.length > 0) {
    throw refusedFailure(
      "MIGRATIONS",
      `The database has migrations that this checkout does not have: ${strange.join(", ")}. Check out a newer version.`,
    );
  }
  const pending = names.filter((name) => !applied.includes(name));
  if (pending.length > 0) await apply(pending, options, binding);
  return pending;
}

async function appliedOf(options: string[], binding: string): Promise<string[]> {
  const sql = `${recordTable}; SELECT name FROM d1_migrations ORDER BY id`;
  const failed = "The database cannot be read.";
  const out = await execute(["--json", "--command", sql], [binding, ...options], failed);
  const answers = JSON.parse(out.slice(out.indexOf("["))) as { results?: { name: string }[] }[];
  return (answers.at(-1)?.results ?? []).map(({ name }) => name);
}

async function apply(names: string[], options: string[], binding: string): Promise<void> {
  const place = await mkdtemp(join(tmpdir(), "platform-migrations-"));
  try {
    const file = join(place, "pending.sql");
    await writeFile(file, await migrationSql(names));
    const failed = `No migration was applied, because one of these failed: ${names.join(", ")}.`;
    await execute(["--yes", "--file", file], [binding, ...options], failed);
  } finally {
    await rm(place, { recursive: true });
  }
}

async function execute(args: string[], options: string[], failed: string): Promise<string> {
  const [binding = "", ...others] = options;
  const command = ["d1", "execute", binding, "--remote", ...args, ...others];
  const { code, out, err } = await runWrangler(command, { quiet: true });
  if (code === 0) return out;
  throw refusedFailure(
    "MIGRATIONS",
    `${failed} wrangler says:\n${withoutColors(`${out}${err}`).trim()}`,
  );
}
