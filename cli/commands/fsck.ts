/** `platformctl fsck`: looks whether the database keeps its promises, and repairs it. */
import { existsSync } from "node:fs";
import type { Command } from "commander";
import { type Database, execute, queryAll } from "../d1.ts";
import { exitCodes, refused } from "../failure.ts";
import type { Row, Store } from "../fsck/check.ts";
import type { Outcome } from "../fsck/run.ts";
import { waiting } from "../progress.ts";
import { lock } from "../state.ts";
import { answer, finish, type JsonOption } from "./answer.ts";
import { addDatabaseOptions, type DatabaseOptions, databaseOf, folderOf } from "./database.ts";

type Options = JsonOption & DatabaseOptions & { repair?: boolean };

/** Adds `fsck`. */
export function addFsck(program: Command): void {
  finish(
    addDatabaseOptions(
      program
        .command("fsck")
        .description("check the database of a platform for damage, by SQL through wrangler"),
    ).option("--repair", "repair what is damaged"),
    "platformctl fsck --remote",
    "platformctl fsck --remote --repair",
    "platformctl fsck --local --json        # while `npm start` is stopped",
  ).action(run);
}

async function run(options: Options): Promise<void> {
  const database = databaseOf(options);
  const release = await take(options, database);
  try {
    await check(options, storeOf(database));
  } finally {
    await release();
  }
}

/** Two programs at once on one SQLite file fail, both: neither waits for the other. */
async function take(options: Options, { folder }: Database): Promise<() => Promise<void>> {
  if (folder === undefined) return async () => {};
  if (!existsSync(folder)) {
    const dir = folderOf(options);
    throw refused(
      "STATE",
      `No platform in ${dir} yet. --state or PLATFORM_STATE name another folder.`,
    );
  }
  const advice = "Stop it first: only one at a time can use the local database.";
  return lock(folderOf(options), { advice });
}

/**
 * What an answer of the database may have: on this machine anything. A deployed D1 has less memory, and
 * 30 seconds for a statement.
 */
const bounds = {
  local: { pageSize: 30_000_000, selects: 100 },
  remote: { pageSize: 5_000_000, selects: 16 },
};

function storeOf(database: Database): Store {
  const { pageSize, selects } = database.folder ? bounds.local : bounds.remote;
  return {
    pageSize,
    async query(statements) {
      const rows: Row[][] = [];
      for (let at = 0; at < statements.length; at += selects) {
        rows.push(...(await queryAll<Row>(database, statements.slice(at, at + selects))));
      }
      return rows;
    },
    execute: (statements) => execute(database, statements.map((one) => `${one};\n`).join("")),
  };
}

async function check(options: Options, store: Store): Promise<void> {
  // Only fsck needs them.
  const { run: runChecks } = await import("../fsck/run.ts");
  const { reportOf } = await import("../fsck/report.ts");
  const isRepairing = options.repair ?? false;
  const checks = await waiting("checking the database", runChecks(store, isRepairing));
  const total = totalOf(checks);
  answer(options, { ...total, checks }, reportOf(checks, total, isRepairing));
  if (total.left > 0) process.exitCode = exitCodes.refused;
}

const totalOf = (outcomes: Outcome[]) => ({
  found: outcomes.reduce((sum, { found }) => sum + found, 0),
  repaired: outcomes.reduce((sum, { repaired }) => sum + repaired, 0),
  left: outcomes.reduce((sum, { left }) => sum + left, 0),
});
