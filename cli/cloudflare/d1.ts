/** The platform's database, through `runWrangler d1 execute` of this checkout. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { refusedFailure } from "../failure.ts";
import { runWrangler, withoutColors } from "../wrangler.ts";

/** A database of wrangler.toml: the deployed one, or the local one in `folder`. */
export type D1Target = { name: string; env?: string; folder?: string };

/** Runs a SELECT that returns one row. Throws a Failure with the output of wrangler. */
export async function queryRow<Row>(database: D1Target, sql: string): Promise<Row> {
  const [[row] = []] = await queryAll<Row>(database, [sql]);
  if (row === undefined) throw refusedFailure("D1", `The database returned no row for: ${sql}`);
  return row;
}

/** Runs several SELECTs at once and returns the rows of each. Throws a Failure with the output of wrangler. */
export async function queryAll<Row>(database: D1Target, selects: string[]): Promise<Row[][]> {
  const output = await run(database, ["--command", selects.join(";\n")]);
  const answers = JSON.parse(output) as { results?: Row[] }[];
  if (answers.length !== selects.length) {
    throw refusedFailure(
      "D1",
      `The database returned ${answers.length} results for ${selects.length} queries.`,
    );
  }
  return answers.map(({ results = [] }) => results);
}

/** Runs SQL as a whole or not at all. Throws a Failure with the output of wrangler. */
export async function execute(database: D1Target, sql: string): Promise<void> {
  // D1 parses a file as SQLite does, including the body of a trigger.
  const folder = await mkdtemp(join(tmpdir(), "platformctl-"));
  try {
    const file = join(folder, "statements.sql");
    await writeFile(file, sql);
    await run(database, ["--yes", "--file", file]);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function run({ name, env, folder }: D1Target, args: string[]): Promise<string> {
  const place = folder ? ["--local", "--persist-to", folder] : ["--remote"];
  const environment = env ? ["--env", env] : [];
  const command = ["d1", "execute", name, ...place, ...environment, "--json", ...args];
  const { code, out, err } = await runWrangler(command, { quiet: true });
  if (code === 0) return out;
  throw refusedFailure("D1", explainOutput(`${out}${err}`));
}

/** Returns the output of wrangler without colors, or advice for a common problem. */
function explainOutput(output: string): string {
  const text = withoutColors(output).trim();
  if (/no such table/.test(text)) {
    return "The database has no tables yet. Run `npm run deploy` first, or `npm start` for a local database.";
  }
  return `wrangler d1 execute failed: ${jsonMessage(text)}`;
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
