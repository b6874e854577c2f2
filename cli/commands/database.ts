/** The options that choose a D1 database. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import type { D1Target } from "../cloudflare/d1.ts";
import { refusedFailure, usageFailure } from "../failure.ts";
import { lockFolder, stateDir } from "../state.ts";
import { demandCheckout } from "../wrangler.ts";

/** The options that choose the deployment or this machine. */
export type LocationOptions = { env?: string; remote?: boolean; local?: boolean; folder?: string };

export type DatabaseOptions = LocationOptions & { database: string };

export const addDatabaseOptions = (command: Command): Command =>
  addLocationOptions(
    command.option(
      "--database <name>",
      "Name or binding of the D1 database in wrangler.toml.",
      "platform",
    ),
  );

export const addLocationOptions = (command: Command): Command =>
  command
    .option("--env <env>", "Environment of wrangler.toml.")
    .option("--remote", "Use the database of the deployment.")
    .option("--local", "Use the database of `npm start` on this machine.")
    .option(
      "--folder <dir>",
      "With --local, use the database in this folder (default: PLATFORM_STATE, otherwise .platform).",
    );

/** Returns the folder of `npm start` that --local refers to. */
const folderOf = ({ folder }: LocationOptions) => (folder ? resolve(folder) : stateDir());

/**
 * Returns the database that the options choose. Throws a USAGE Failure that ends in `note` unless they choose one, and
 * a CHECKOUT Failure in the package.
 */
export const databaseOf = (options: DatabaseOptions, note = ""): D1Target => ({
  name: options.database,
  ...locationOf(options, note),
});

/** Returns where the databases are that the options choose. Throws like `databaseOf`. */
export function locationOf(options: LocationOptions, note = ""): { env?: string; folder?: string } {
  if (Boolean(options.remote) === Boolean(options.local)) {
    throw usageFailure(`Choose the database with --remote or --local. ${note}`.trimEnd());
  }
  demandCheckout();
  const { env } = options;
  const folder = options.local ? { folder: join(folderOf(options), "d1") } : {};
  return { ...(env ? { env } : {}), ...folder };
}

/** If two programs use one SQLite file at once, both fail, because neither waits for the other. */
export async function lockDatabase(
  options: LocationOptions,
  { folder }: { folder?: string },
): Promise<() => Promise<void>> {
  if (folder === undefined) return async () => {};
  if (!existsSync(folder)) {
    const dir = folderOf(options);
    throw refusedFailure(
      "STATE",
      `There is no platform in ${dir} yet. Name another folder with --folder or PLATFORM_STATE.`,
    );
  }
  const advice = "Stop it first, because only one process can use the local database.";
  return lockFolder(folderOf(options), { advice });
}
