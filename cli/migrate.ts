/**
 * Migrates a deployed database, and keeps the record that `wrangler d1 migrations` keeps.
 *
 * That command itself sends a file to D1's query endpoint, which cuts it into statements, and in
 * the wrong places where a trigger's body holds `CASE … END` (workers-sdk issues 4326 and 15690).
 * So a migration goes in as a file, which D1 reads as SQLite does, whole or not at all.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { refused } from "./failure.ts";
import { plain, projectRoot, wrangler } from "./wrangler.ts";

/** As wrangler makes it. */
const record =
  "CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, " +
  "name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)";

const folder = join(projectRoot, "migrations");

/**
 * Applies what the database bound as DB lacks, in order; the names of what was applied. `options`
 * choose the configuration. Throws a Failure that says how far it came.
 */
export async function migrate(options: string[], tell: (line: string) => void): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  const applied = await appliedOf(options);
  const strange = applied.filter((name) => !names.includes(name));
  if (strange.length > 0) {
    throw refused(
      "MIGRATIONS",
      `The database has migrations that this checkout has not: ${strange.join(", ")}. It is older.`,
    );
  }
  const pending = names.filter((name) => !applied.includes(name));
  for (const name of pending) {
    tell(`migrating: ${name}`);
    await apply(name, options);
  }
  return pending;
}

async function appliedOf(options: string[]): Promise<string[]> {
  const sql = `${record}; SELECT name FROM d1_migrations ORDER BY id`;
  const out = await execute(["--json", "--command", sql], options, "The database cannot be read.");
  const answers = JSON.parse(out.slice(out.indexOf("["))) as { results?: { name: string }[] }[];
  return (answers.at(-1)?.results ?? []).map(({ name }) => name);
}

async function apply(name: string, options: string[]): Promise<void> {
  const sql = await readFile(join(folder, name), "utf8");
  const place = await mkdtemp(join(tmpdir(), "platform-migration-"));
  try {
    const file = join(place, name);
    await writeFile(file, `${sql}\nINSERT INTO d1_migrations (name) VALUES ('${name}');\n`);
    await execute(
      ["--yes", "--file", file],
      options,
      `The migration ${name} failed, and did nothing.`,
    );
  } finally {
    await rm(place, { recursive: true });
  }
}

async function execute(args: string[], options: string[], failed: string): Promise<string> {
  const command = ["d1", "execute", "DB", "--remote", ...args, ...options];
  const { code, out, err } = await wrangler(command, { quiet: true });
  if (code === 0) return out;
  throw refused("MIGRATIONS", `${failed} wrangler says:\n${plain(`${out}${err}`).trim()}`);
}
