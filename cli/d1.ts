/** The platform's database, reached through `wrangler d1 execute` of this checkout. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { refused } from "./failure.ts";
import { plain, wrangler } from "./wrangler.ts";

/** A database of wrangler.toml: the deployed one, or with `folder` the local one kept there. */
export type Database = { name: string; env?: string; folder?: string };

/** Runs one SELECT that answers one row. Throws a Failure with what wrangler says. */
export async function query<Row>(database: Database, sql: string): Promise<Row> {
  const [[row] = []] = await queryAll<Row>(database, [sql]);
  if (row === undefined) throw refused("D1", `The database answered nothing to: ${sql}`);
  return row;
}

/** Runs SELECTs in one go; the rows of each. Throws a Failure with what wrangler says. */
export async function queryAll<Row>(database: Database, selects: string[]): Promise<Row[][]> {
  const output = await run(database, ["--command", selects.join(";\n")]);
  const answers = JSON.parse(output) as { results?: Row[] }[];
  if (answers.length !== selects.length) {
    throw refused(
      "D1",
      `The database gave ${answers.length} answers to ${selects.length} questions.`,
    );
  }
  return answers.map(({ results = [] }) => results);
}

/** Runs SQL, all or nothing of it. Throws a Failure with what wrangler says. */
export async function execute(database: Database, sql: string): Promise<void> {
  // As a file: D1 then reads it as SQLite does, a trigger's body too.
  const folder = await mkdtemp(join(tmpdir(), "platformctl-"));
  try {
    const file = join(folder, "statements.sql");
    await writeFile(file, sql);
    await run(database, ["--yes", "--file", file]);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function run({ name, env, folder }: Database, args: string[]): Promise<string> {
  const place = folder ? ["--local", "--persist-to", folder] : ["--remote"];
  const environment = env ? ["--env", env] : [];
  const command = ["d1", "execute", name, ...place, ...environment, "--json", ...args];
  const { code, out, err } = await wrangler(command, { quiet: true });
  if (code === 0) return out;
  throw refused("D1", explained(`${out}${err}`));
}

/** Wrangler's words without colors, and what to do about the likely ones. */
function explained(output: string): string {
  const text = plain(output).trim();
  if (/no such table/.test(text)) {
    return "The database has no tables yet. Run `npm run deploy` first, which migrates it; locally, `npm start` does.";
  }
  return `wrangler d1 execute failed: ${told(text)}`;
}

/** With --json, wrangler puts some of its messages into a document. */
function told(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error: { text: string } };
    return error.text;
  } catch {
    return text;
  }
}
