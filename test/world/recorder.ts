/** Records the D1 statements of one call, with a Worker module in front of the measured one. */
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import type { Query } from "../../src/rpc/d1_through.ts";

/** One statement as D1 got it. */
export interface SentStatement extends Query {
  /** Rows, as D1 counted them. Undefined until it has run. */
  rowsRead?: number;
  rowsWritten?: number;
}

/** The response to a call with the header `x-record: 1`. */
export interface Recording {
  status: number;
  /** The answer's text. */
  body: string;
  /** A list for each round trip, in the order in which they were sent. */
  statements: SentStatement[][];
}

/**
 * The text of an ES module that wraps the Worker module at `entry` ("./platform.js"). It passes on the
 * responses, except for a request with the header `x-record: 1`: its response is a {@link Recording} as JSON.
 * The database is the binding `DB`. Statements run in both cases.
 */
export function recorderOf(entry: string): string {
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(new URL("./recording.ts", import.meta.url))],
    ...{ bundle: true, write: false, format: "esm", target: "es2024" },
  });
  const code = outputFiles.map(({ text }) => text).join("");
  return `import worker from ${JSON.stringify(entry)};\n${code}\nexport default withRecording(worker);\n`;
}
