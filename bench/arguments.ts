/** The command line of `npm run bench`. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";

export const families = ["cost", "speed", "growth", "size", "peers"] as const;
export type Family = (typeof families)[number];

/** What a run was asked for. */
export interface BenchArguments {
  /** In the order of {@link families}. */
  families: Family[];
  /** Rows of the resource, ascending, without repetition. */
  sizes: number[];
  /** Only the cost records, as JSON. */
  json: boolean;
  /** Path of a file of tag moves. */
  moves: string | undefined;
  /** Only the manual. */
  help: boolean;
}

/** The command line says what cannot be done; `message` tells what. */
export class ArgumentsError extends Error {
  override readonly name = "ArgumentsError";
}

const defaultSizes = [1_000, 100_000, 1_000_000];
/** Below the first, pages are not full and lists not deep; above the last, nothing was tried. */
const sizeRange = [1_000, 10_000_000] as const;

export const usageText = `Usage: npm run bench [-- FAMILY] [--rows N[,N...]] [--moves FILE]
       npm run -s bench -- cost --json [--rows N[,N...]]

Measures what the platform promises, on this machine and without a network. Counts are exact; times
are this machine's.

  FAMILY        ${families.join(", ")}, or all. All of them are written to bench/RESULTS.md,
                with charts beside it; one family is only printed.
  --rows N,N    rows of a resource, ${sizeRange[0]} to ${sizeRange[1]}; ${defaultSizes.join(",")} unless told
  --moves FILE  imports these tag moves (JSON lines, as platformctl import takes) in growth
  --json        one JSON array of {rpc, case, rows, pageSize, roundTrips, rowsRead, rowsWritten} on
                standard output, and nothing else (npm's own lines are left out by its -s)

Exit code: 0 all goals are kept, 1 one is not or something failed, 2 wrong arguments.`;

/** Reads the command line. Throws {@link ArgumentsError}. */
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
    throw new ArgumentsError("--json is for cost alone: npm run -s bench -- cost --json");
  }
  if (asked.moves !== undefined && !asked.families.includes("growth")) {
    throw new ArgumentsError("--moves is for growth");
  }
  if (asked.moves !== undefined && !existsSync(asked.moves)) {
    throw new ArgumentsError(`--moves: there is no file ${asked.moves}`);
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
    throw new ArgumentsError(`one family or all of them, not ${positionals.join(" ")}`);
  }
  const [name = "all"] = positionals;
  const chosen = families.filter((family) => name === "all" || name === family);
  if (chosen.length > 0) return chosen;
  throw new ArgumentsError(`no family ${name}; there are ${families.join(", ")} and all`);
}

function sizesOf(text: string): number[] {
  const [least, most] = sizeRange;
  const sizes = text.split(",").map((part) => {
    const size = /^[0-9]+$/.test(part) ? Number(part) : Number.NaN;
    if (size >= least && size <= most) return size;
    throw new ArgumentsError(`--rows takes whole numbers from ${least} to ${most}, not "${part}"`);
  });
  return [...new Set(sizes)].toSorted((a, b) => a - b);
}
