/** The platform's database, reached through `runWrangler d1 execute` of this checkout. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { refusedFailure } from "../failure.ts";
import { runWrangler, withoutColors } from "../wrangler.ts";

/** A database of wrangler.toml: the deployed one, or with `folder` the local one kept there. */
export type D1Target = { name: string; env?: string; folder?: string };

/** Runs one SELECT that answers one row. Throws a Failure with what wrangler says. */
export async function queryRow<Row>(database: D1Target, sql: string): Promise<Row> {
  const [[row] = []] = await queryAll<Row>(database, [sql]);
  if (row === undefined) throw refusedFailure("D1", `The database answered nothing to: ${sql}`);
  return row;
}

/** Runs SELECTs in one go; the rows of each. Throws a Failure with what wrangler says. */
export async function queryAll<Row>(database: D1Target, selects: string[]): Promise<Row[][]> {
  const output = await run(database, ["--command", selects.join(";\n")]);
  const answers = JSON.parse(output) as { results?: Row[] }[];
  if (answers.length !== selects.length) {
    throw refusedFailure(
      "D1",
      `The database gave ${answers.length} answers to ${selects.length} questions.`,
    );
  }
  return answers.map(({ results = [] }) => results);
}

/** Runs SQL, all or nothing of it. Throws a Failure with what wrangler says. */
export async function execute(database: D1Target, sql: string): Promise<void> {
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

async function run({ name, env, folder }: D1Target, args: string[]): Promise<string> {
  const place = folder ? ["--local", "--persist-to", folder] : ["--remote"];
  const environment = env ? ["--env", env] : [];
  const command = ["d1", "execute", name, ...place, ...environment, "--json", ...args];
  const { code, out, err } = await runWrangler(command, { quiet: true });
  if (code === 0) return out;
  throw refusedFailure("D1", explainOutput(`${out}${err}`));
}

/** Wrangler's words without colors, and what to do about the likely ones. */
function explainOutput(output: string): string {
  const text = withoutColors(output).trim();
  if (/no such table/.test(text)) {
    return "The database has no tables yet. Run `npm run deploy` first, which migrates it; locally, `npm start` does.";
  }
  return `wrangler d1 execute failed: ${jsonMessage(text)}`;
}

/** With --json, wrangler puts some of its messages into a document. */
function jsonMessage(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error: { text: string } };
    return error.text;
  } catch {
    return text;
  }
}
