/** The platform's database, reached through `wrangler d1 execute` of this checkout. */
import { refused } from "./failure.ts";
import { plain, wrangler } from "./wrangler.ts";

/** A database of wrangler.toml: the deployed one, or with `folder` the local one kept there. */
export type Database = { name: string; env?: string; folder?: string };

/** Runs one SELECT that answers one row. Throws a Failure with what wrangler says. */
export async function query<Row>(database: Database, sql: string): Promise<Row> {
  const output = await run(database, ["--command", sql]);
  const [{ results: [row] = [] } = {}] = JSON.parse(output) as { results?: Row[] }[];
  if (row === undefined) throw refused("D1", `The database answered nothing to: ${sql}`);
  return row;
}

/** Runs a file of SQL. Throws a Failure with what wrangler says. */
export async function execute(database: Database, file: string): Promise<void> {
  await run(database, ["--yes", "--file", file]);
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
