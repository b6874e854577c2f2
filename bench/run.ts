/**
 * `npm run bench`: what the platform promises to cost, measured on this machine. Counts are exact;
 * times are this machine's. Exits 1 when a measure is out of bounds.
 *
 *   node bench/run.ts [rows|round-trips|import|throughput|all] [--sizes 200000,1000000] [--moves FILE] [--markdown]
 */
import { parseArgs } from "node:util";
import { importMoves } from "./import.ts";
import { Report } from "./report.ts";
import { roundTrips } from "./round_trips.ts";
import { rows } from "./rows.ts";
import { build, makeFolder, removeFolder } from "./stage.ts";
import { throughput } from "./throughput.ts";

const measures = ["rows", "round-trips", "import", "throughput"] as const;

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      sizes: { type: "string", default: "200000,1000000" },
      moves: { type: "string", default: "../shared/data/tag-moves.jsonl.gz" },
      markdown: { type: "boolean", default: false },
    },
  });
  const [asked = "all"] = positionals;
  const chosen = measures.filter((name) => asked === "all" || asked === name);
  const sizes = values.sizes.split(",").map(Number);
  const isUsable = sizes.every((size) => Number.isInteger(size) && size >= 20_000);
  if (chosen.length === 0 || positionals.length > 1 || !isUsable) {
    throw new Error(
      `Usage: node bench/run.ts [${measures.join("|")}|all] [--sizes N,N] [--markdown], N at least 20000`,
    );
  }
  return { chosen, sizes, moves: values.moves, markdown: values.markdown };
}

async function run(): Promise<number> {
  const { chosen, sizes, moves, markdown } = readArguments();
  const report = new Report(markdown);
  const folder = await makeFolder();
  try {
    const bundle = await build(folder);
    if (chosen.includes("rows")) await rows(bundle, folder, sizes, report);
    if (chosen.includes("round-trips")) await roundTrips(bundle, folder, report);
    if (chosen.includes("import")) await importMoves(folder, moves, report);
    if (chosen.includes("throughput")) await throughput(bundle, folder, report);
  } finally {
    await removeFolder(folder);
  }
  report.line(
    report.failures.length === 0
      ? "All within bounds."
      : `${report.failures.length} out of bounds.`,
  );
  return report.failures.length === 0 ? 0 : 1;
}

process.exitCode = await run();
