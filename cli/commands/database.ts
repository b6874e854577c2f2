/** The options that choose a D1 database. */
import { join, resolve } from "node:path";
import type { Command } from "commander";
import type { D1Target } from "../cloudflare/d1.ts";
import { usageFailure } from "../failure.ts";
import { stateDir } from "../state.ts";
import { demandCheckout } from "../wrangler.ts";

export type DatabaseOptions = {
  database: string;
  env?: string;
  remote?: boolean;
  local?: boolean;
  state?: string;
};

export const addDatabaseOptions = (command: Command): Command =>
  command
    .option("--database <name>", "Name or binding of the D1 database in wrangler.toml.", "platform")
    .option("--env <env>", "Environment of wrangler.toml.")
    .option("--remote", "Use the database of the deployment.")
    .option("--local", "Use the database of `npm start` on this machine.")
    .option(
      "--state <dir>",
      "With --local, use the database in this folder (default: PLATFORM_STATE, otherwise .platform).",
    );

/** Returns the folder of `npm start` that --local refers to. */
export const folderOf = ({ state }: DatabaseOptions) => (state ? resolve(state) : stateDir());

/**
 * Returns the database that the options choose. Throws a USAGE Failure that ends in `note` unless they choose one, and
 * a CHECKOUT Failure in the package.
 */
export function databaseOf(options: DatabaseOptions, note = ""): D1Target {
  if (Boolean(options.remote) === Boolean(options.local)) {
    throw usageFailure(`Choose the database with --remote or --local. ${note}`.trimEnd());
  }
  demandCheckout();
  const { database: name, env } = options;
  const at = options.local ? { folder: join(folderOf(options), "d1") } : {};
  return { name, ...(env ? { env } : {}), ...at };
}
