/** The platform's database: the deployed one through wrangler of this checkout, or the SQLite file of `npm start`. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { refusedFailure } from "../failure.ts";
import type { LocalDatabase } from "../local/statements.ts";
import { runWrangler, withoutColors } from "../wrangler.ts";

/** A database of wrangler.toml, by name or binding: the deployed one, or the local one in `folder`. */
export type D1Target = { name: string; env?: string; folder?: string };

/** Runs a SELECT that returns one row. Throws a Failure with the reason. */
export async function queryRow<Row>(
  database: D1Target,
  sql: string,
  run = runWrangler,
): Promise<Row> {
  const [[row] = []] = await queryAll<Row>(database, [sql], run);
  if (row === undefined) throw refusedFailure("D1", `The database returned no row for: ${sql}`);
  return row;
}

/**
 * Runs several SELECTs and returns the rows of each. Throws a Failure with the reason. `run` is for the deployed
 * database.
 */
export async function queryAll<Row>(
  database: D1Target,
  selects: string[],
  run = runWrangler,
): Promise<Row[][]> {
  if (isLocal(database)) return (await localStatements()).queryLocally(database, selects);
  const output = await runRemotely(database, ["--command", selects.join(";\n")], run);
  const answers = JSON.parse(output) as { results?: Row[] }[];
  if (answers.length !== selects.length) {
    throw refusedFailure(
      "D1",
      `The database returned ${answers.length} results for ${selects.length} queries.`,
    );
  }
  return answers.map(({ results = [] }) => results);
}

/** Runs SQL as a whole or not at all. Throws like {@link queryAll}. */
export async function execute(database: D1Target, sql: string, run = runWrangler): Promise<void> {
  if (isLocal(database)) return (await localStatements()).executeLocally(database, sql);
  // D1 parses a file as SQLite does, including the body of a trigger.
  const folder = await mkdtemp(join(tmpdir(), "platformctl-"));
  try {
    const file = join(folder, "statements.sql");
    await writeFile(file, sql);
    await runRemotely(database, ["--yes", "--file", file], run);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const isLocal = (database: D1Target): database is LocalDatabase => database.folder !== undefined;

/** The package does not contain this module, and only `--local` needs it. */
const localStatements = () => import("../local/statements.ts");

async function runRemotely(
  { name, env }: D1Target,
  args: string[],
  run: typeof runWrangler,
): Promise<string> {
  const environment = env ? ["--env", env] : [];
  const command = ["d1", "execute", name, "--remote", ...environment, "--json", ...args];
  const { code, out, err } = await run(command, { quiet: true });
  if (code === 0) return out;
  throw refusedFailure("D1", explainOutput(`${out}${err}`));
}

/** Returns the reason of wrangler, or advice for a common problem. */
function explainOutput(output: string): string {
  const text = withoutColors(output).trim();
  return /no such table/.test(text)
    ? "The database has no tables yet. Run `npm run deploy` first."
    : `wrangler d1 execute failed: ${jsonMessage(text)}`;
}

/** With --json, wrangler puts some of its messages into a JSON document. */
function jsonMessage(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error: { text: string } };
    return error.text;
  } catch {
    return text;
  }
}
