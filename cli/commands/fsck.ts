/** `platformctl fsck`: checks the consistency of the database, and repairs it. */
import type { Command } from "commander";
import { type D1Target, execute, queryAll } from "../cloudflare/d1.ts";
import { exitCodes } from "../failure.ts";
import type { CheckedDatabase, D1Row } from "../fsck/check.ts";
import type { CheckOutcome } from "../fsck/run.ts";
import { showWaiting } from "../import/progress.ts";
import { addJsonOption, type JsonOption, printAnswer } from "./answer.ts";
import { addDatabaseOptions, type DatabaseOptions, databaseOf, lockDatabase } from "./database.ts";

type Options = JsonOption & DatabaseOptions & { repair?: boolean };

/** Adds `fsck`. */
export function addFsck(program: Command): void {
  addJsonOption(
    addDatabaseOptions(
      program
        .command("fsck")
        .description(
          "Check the database of a platform for damage. The command runs SQL through wrangler.",
        ),
    ).option("--repair", "Repair the damage."),
    "platformctl fsck --remote",
    "platformctl fsck --remote --repair",
    "platformctl fsck --local --json        # while `npm start` is stopped",
  ).action(run);
}

async function run(options: Options): Promise<void> {
  const database = databaseOf(options);
  const release = await lockDatabase(options, database);
  try {
    await check(options, storeOf(database));
  } finally {
    await release();
  }
}

/**
 * The limits of a response from the database. On this machine there are none. A deployed D1 has less memory, and 30
 * seconds for a statement.
 */
const storeBounds = {
  local: { pageSize: 30_000_000, selects: 100 },
  remote: { pageSize: 5_000_000, selects: 16 },
};

function storeOf(database: D1Target): CheckedDatabase {
  const { pageSize, selects } = database.folder ? storeBounds.local : storeBounds.remote;
  return {
    pageSize,
    async query(statements) {
      const rows: D1Row[][] = [];
      for (let at = 0; at < statements.length; at += selects) {
        rows.push(...(await queryAll<D1Row>(database, statements.slice(at, at + selects))));
      }
      return rows;
    },
    execute: (statements) => execute(database, statements.map((one) => `${one};\n`).join("")),
  };
}

async function check(options: Options, store: CheckedDatabase): Promise<void> {
  // Only fsck needs these modules.
  const { runFsck: runChecks } = await import("../fsck/run.ts");
  const { reportOf } = await import("../fsck/report.ts");
  const isRepairing = options.repair ?? false;
  const checks = await showWaiting("checking the database", runChecks(store, isRepairing));
  const total = totalOf(checks);
  printAnswer(options, { ...total, checks }, reportOf(checks, total, isRepairing));
  if (total.left > 0) process.exitCode = exitCodes.refused;
}

const totalOf = (outcomes: CheckOutcome[]) => ({
  found: outcomes.reduce((sum, { found }) => sum + found, 0),
  repaired: outcomes.reduce((sum, { repaired }) => sum + repaired, 0),
  left: outcomes.reduce((sum, { left }) => sum + left, 0),
});
