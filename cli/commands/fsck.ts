/** `platformctl fsck`: checks the consistency of the database and of the stored bytes, and repairs it. */
import { type Command, InvalidArgumentError } from "commander";
import { type D1Target, execute, queryAll } from "../cloudflare/d1.ts";
import { exitCodes, usageFailure } from "../failure.ts";
import type { CheckedDatabase, D1Row } from "../fsck/check.ts";
import type { CheckOutcome } from "../fsck/run.ts";
import { showWaiting } from "../import/progress.ts";
import { here } from "../surroundings.ts";
import { addJsonOption, type JsonOption, printAnswer } from "./answer.ts";
import {
  addDatabaseOptions,
  type DatabaseOptions,
  databaseOf,
  locationOf,
  lockDatabase,
} from "./database.ts";

type Options = JsonOption &
  DatabaseOptions & { repair?: boolean; objects?: boolean; sample?: number; everyBlob?: boolean };

/** The blobs that `--objects` reads without `--sample` and `--every-blob`. */
const defaultSample = 20;

const description = `Check the database of a platform for damage. With --remote, the command runs SQL
through wrangler.

With --objects, compare the objects of the registry in R2 with the rows of
all databases, and read some blobs again. The command lists what the clean-up
will delete, and blobs whose bytes are missing or changed. With --repair it
quarantines these blobs: no one can pull them until someone pushes them again.
Without --repair it changes nothing. It never deletes an object.`;

/** Adds `fsck`. */
export function addFsck(program: Command): void {
  addJsonOption(
    addDatabaseOptions(
      program
        .command("fsck")
        .summary("Check the database of a platform for damage.")
        .description(description),
    )
      .option("--repair", "Repair the damage.")
      .option("--objects", "Compare the bytes in R2 with the rows of all databases instead.")
      .option(
        "--sample <n>",
        `With --objects, read n blobs, chosen at random (default: ${defaultSample}).`,
        sampleOf,
      )
      .option("--every-blob", "With --objects, read all blobs."),
    "platformctl fsck --remote",
    "platformctl fsck --remote --repair",
    "platformctl fsck --local --json        # while `npm start` is stopped",
    "platformctl fsck --remote --objects --sample 100",
  ).action(run);
}

function sampleOf(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 0 to 999999.");
}

async function run(options: Options): Promise<void> {
  if (options.objects) return checkObjects(options);
  if (options.everyBlob || options.sample !== undefined) {
    throw usageFailure("--sample and --every-blob need --objects.");
  }
  const database = databaseOf(options);
  const release = await lockDatabase(options, database);
  try {
    await check(options, storeOf(database));
  } finally {
    await release();
  }
}

async function checkObjects(options: Options): Promise<void> {
  if (options.everyBlob && options.sample !== undefined) {
    throw usageFailure("Choose --sample or --every-blob.");
  }
  const sample = options.everyBlob ? Number.POSITIVE_INFINITY : (options.sample ?? defaultSample);
  const location = locationOf(options);
  const release = await lockDatabase(options, location);
  try {
    // The package does not contain this module, because it needs wrangler.
    const { compareObjects } = await import("../fsck/bucket/command.ts");
    const isRepairing = options.repair ?? false;
    const { outcome, text } = await compareObjects(location, { sample, isRepairing });
    const damaged = outcome.damaged.count;
    const total = {
      found: damaged,
      repaired: isRepairing ? damaged : 0,
      left: isRepairing ? 0 : damaged,
    };
    printAnswer(options, { ...total, ...outcome }, text);
    if (total.left + outcome.unread.count > 0) here().exitCode = exitCodes.refused;
  } finally {
    await release();
  }
}

/**
 * The characters of a response, and the SELECTs at once. A deployed D1 has little memory, and 30 seconds for a
 * statement.
 */
const storeBounds = { pageSize: 5_000_000, selects: 16 };

function storeOf(database: D1Target): CheckedDatabase {
  const { pageSize, selects } = storeBounds;
  return {
    pageSize,
    async query(statements) {
      const rows: D1Row[][] = [];
      for (let start = 0; start < statements.length; start += selects) {
        rows.push(...(await queryAll<D1Row>(database, statements.slice(start, start + selects))));
      }
      return rows;
    },
    execute: (statements) =>
      execute(database, statements.map((statement) => `${statement};\n`).join("")),
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
  if (total.left > 0) here().exitCode = exitCodes.refused;
}

const totalOf = (outcomes: CheckOutcome[]) => ({
  found: outcomes.reduce((sum, { found: count }) => sum + count, 0),
  repaired: outcomes.reduce((sum, { repaired }) => sum + repaired, 0),
  left: outcomes.reduce((sum, { left }) => sum + left, 0),
});
