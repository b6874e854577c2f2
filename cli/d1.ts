/** The platform's database, reached through `wrangler d1 execute` of this checkout. */
import { spawn } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { refused } from "./failure.ts";

/** A database of wrangler.toml: the deployed one, or with `folder` the local one kept there. */
export type Database = { name: string; env?: string; folder?: string };

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Runs one SELECT that answers one row. Throws a Failure with what wrangler says. */
export async function query<Row>(database: Database, sql: string): Promise<Row> {
  const output = await wrangler(database, ["--command", sql]);
  const [{ results: [row] = [] } = {}] = JSON.parse(output) as { results?: Row[] }[];
  if (row === undefined) throw refused("D1", `The database answered nothing to: ${sql}`);
  return row;
}

/** Runs a file of SQL. Throws a Failure with what wrangler says. */
export async function execute(database: Database, file: string): Promise<void> {
  await wrangler(database, ["--yes", "--file", file]);
}

async function wrangler({ name, env, folder }: Database, args: string[]): Promise<string> {
  const place = folder ? ["--local", "--persist-to", folder] : ["--remote"];
  const environment = env ? ["--env", env] : [];
  const cli = fileURLToPath(import.meta.resolve("wrangler"));
  const child = spawn(
    process.execPath,
    [cli, "d1", "execute", name, ...place, ...environment, "--json", ...args],
    {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true" },
    },
  );
  const texts = [child.stdout, child.stderr].map(async (output) => {
    let text = "";
    for await (const chunk of output.setEncoding("utf8")) text += chunk;
    return text;
  });
  const code = await new Promise<number | null>((done, fail) => {
    child.on("error", fail);
    child.on("close", done);
  });
  const [out = "", err = ""] = await Promise.all(texts);
  if (code === 0) return out;
  throw refused("D1", explained(`${out}${err}`));
}

/** Wrangler's words without colors, and what to do about the likely ones. */
function explained(output: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colors begin with ESC
  const text = output.replace(/\x1b\[[0-9;]*m/g, "").trim();
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
