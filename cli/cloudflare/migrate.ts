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
import {
  migrationFolder,
  migrationNames,
  migrationSql,
  pendingMigrations,
  recordTable,
} from "../migrations.ts";
import { runWrangler, withoutColors } from "../wrangler.ts";

/** The names of migrations: those that were applied, and those that wait until all Workers are deployed. */
interface MigrationResult {
  applied: string[];
  waiting: string[];
}

interface ApplyOptions {
  binding?: string;
  isDeployed?: boolean;
  /** The folder of the migrations, if it is not that of this checkout. */
  folder?: string | undefined;
}

/** Runs wrangler on the database with these options, and returns its output. `failed` begins the message of a Failure. */
type Execute = (args: string[], failed: string) => Promise<string>;

/**
 * Applies the missing migrations to a database, all or none. `options` choose the configuration, and `binding` the
 * database. `isDeployed` says that no Worker runs older code. Throws a Failure with the output of wrangler.
 */
export async function applyMigrations(
  options: string[],
  run = runWrangler,
  { binding = "DB", isDeployed = false, folder = migrationFolder }: ApplyOptions = {},
): Promise<MigrationResult> {
  const execute = executeWith(run, [binding, ...options]);
  const { first, last } = pendingMigrations(await migrationNames(folder), await appliedOf(execute));
  const now = isDeployed ? [...first, ...last] : first;
  if (now.length > 0) await apply(now, folder, execute);
  return { applied: now, waiting: isDeployed ? [] : last };
}

async function appliedOf(execute: Execute): Promise<string[]> {
  const sql = `${recordTable}; SELECT name FROM d1_migrations ORDER BY id`;
  const failed = "The database cannot be read.";
  const out = await execute(["--json", "--command", sql], failed);
  return rowsOf(out).map(({ name }) => String(name));
}

/** Returns the rows of the last statement. */
function rowsOf(out: string): Record<string, unknown>[] {
  const answers = JSON.parse(out.slice(out.indexOf("["))) as {
    results?: Record<string, unknown>[];
  }[];
  return answers.at(-1)?.results ?? [];
}

async function apply(names: string[], folder: string, execute: Execute): Promise<void> {
  const temporary = await mkdtemp(join(tmpdir(), "platform-migrations-"));
  try {
    const file = join(temporary, "pending.sql");
    await writeFile(file, await migrationSql(names, folder));
    const failed = `These migrations were not applied, because one of them failed: ${names.join(", ")}.`;
    await execute(["--yes", "--file", file], failed);
  } finally {
    await rm(temporary, { recursive: true });
  }
}

function executeWith(run: typeof runWrangler, [binding = "", ...options]: string[]): Execute {
  return async (args, failed) => {
    const command = ["d1", "execute", binding, "--remote", ...args, ...options];
    const { code, out, err } = await run(command, { quiet: true });
    if (code === 0) return out;
    throw refusedFailure(
      "MIGRATIONS",
      `${failed} wrangler says:\n${withoutColors(`${out}${err}`).trim()}`,
    );
  };
}
