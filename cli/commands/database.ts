/** The options that say which D1 database a command is about. */
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
    .option("--database <name>", "name or binding of the D1 database in wrangler.toml", "platform")
    .option("--env <env>", "environment of wrangler.toml")
    .option("--remote", "the database of the deployment")
    .option("--local", "the database of `npm start` on this machine")
    .option("--state <dir>", "with --local: its folder (default: PLATFORM_STATE, .platform)");

/** The folder of `npm start` that --local is about. */
export const folderOf = ({ state }: DatabaseOptions) => (state ? resolve(state) : stateDir());

/** Throws a USAGE Failure that ends in `note` unless the options name one database, and a CHECKOUT Failure in the package. */
export function databaseOf(options: DatabaseOptions, note = ""): D1Target {
  if (Boolean(options.remote) === Boolean(options.local)) {
    throw usageFailure(`Say which database it is: --remote or --local. ${note}`.trimEnd());
  }
  demandCheckout();
  const { database: name, env } = options;
  const at = options.local ? { folder: join(folderOf(options), "d1") } : {};
  return { name, ...(env ? { env } : {}), ...at };
}
