/** The command line of `npm run bench`. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";

export const families = [
  ...([
    "cost",
    "speed",
    "neighbors",
    "growth",
    "size",
    "events",
    "registry",
    "console",
    "rules",
    "matching",
    "peers",
  ] as const),
];
export type Family = (typeof families)[number];

/** The options of a run. */
export interface BenchArguments {
  /** In the order of {@link families}. */
  families: Family[];
  /** Rows of the resource, ascending and without duplicates. */
  sizes: number[];
  /** Whether to print only the cost records, as JSON. */
  json: boolean;
  /** The path of a file of tag moves. */
  moves: string | undefined;
  /** Whether to print only the help. */
  help: boolean;
}

/** The command line is wrong. `message` says why. */
export class ArgumentsError extends Error {
  override readonly name = "ArgumentsError";
}

const defaultSizes = [1_000, 100_000, 1_000_000];
/** With fewer rows, pages are not full and lists are not deep. More rows were never tried. */
const sizeRange = [1_000, 10_000_000] as const;

export const usageText = `Usage: npm run bench [-- FAMILY] [--rows N[,N...]] [--moves FILE]
       npm run -s bench -- cost --json [--rows N[,N...]]

Measure whether the platform meets its goals, on this machine and without a network. The counts are
exact. The times are valid only for this machine.

  FAMILY        ${families.join(", ")}, or all. A run of all families writes bench/RESULTS.md
                and its charts. A run of one family prints its results and writes no file.
  --rows N,N    Rows of a resource, ${sizeRange[0]} to ${sizeRange[1]} (default: ${defaultSizes.join(",")}).
  --moves FILE  Import these tag moves in growth (JSON lines, as for platformctl import).
  --json        Print only a JSON array of {rpc, case, rows, pageSize, roundTrips, rowsRead,
                rowsWritten} on standard output (with npm's -s, npm prints nothing itself).

Exit codes: 0 if all goals are met, 1 if a goal is not met or a measurement failed, 2 if the arguments
are wrong.`;

/** Parses the command line. Throws {@link ArgumentsError}. */
export function readArguments(args: string[]): BenchArguments {
  const { values, positionals } = parse(args);
  const asked = {
    families: familiesOf(positionals),
    sizes: values.rows === undefined ? defaultSizes : sizesOf(values.rows),
    json: values.json ?? false,
    moves: values.moves === undefined ? undefined : resolve(values.moves),
    help: values.help ?? false,
  };
  if (asked.json && asked.families.join() !== "cost") {
    throw new ArgumentsError("--json works only with cost: npm run -s bench -- cost --json");
  }
  if (asked.moves !== undefined && !asked.families.includes("growth")) {
    throw new ArgumentsError("--moves works only with growth");
  }
  if (asked.moves !== undefined && !existsSync(asked.moves)) {
    throw new ArgumentsError(`the file of --moves does not exist: ${asked.moves}`);
  }
  return asked;
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        rows: { type: "string" },
        moves: { type: "string" },
        json: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new ArgumentsError(error instanceof Error ? error.message : String(error));
  }
}

function familiesOf(positionals: string[]): Family[] {
  if (positionals.length > 1) {
    throw new ArgumentsError(`name one family or all, not ${positionals.join(" ")}`);
  }
  const [name = "all"] = positionals;
  const chosen = families.filter((family) => name === "all" || name === family);
  if (chosen.length > 0) return chosen;
  throw new ArgumentsError(`there is no family ${name}; choose ${families.join(", ")} or all`);
}

function sizesOf(text: string): number[] {
  const [least, most] = sizeRange;
  const sizes = text.split(",").map((part) => {
    const size = /^[0-9]+$/.test(part) ? Number(part) : Number.NaN;
    if (size >= least && size <= most) return size;
    throw new ArgumentsError(
      `--rows must be whole numbers from ${least} to ${most}, not "${part}"`,
    );
  });
  return [...new Set(sizes)].toSorted((a, b) => a - b);
}
