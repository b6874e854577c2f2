/** What D1 gets from one call: a Worker module in front of the one that is measured records it. */
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import type { Query } from "../../src/rpc/d1_through.ts";

/** One statement as D1 got it. */
export interface SentStatement extends Query {
  /** Rows, as D1 counted them. Undefined until it has run. */
  rowsRead?: number;
  rowsWritten?: number;
}

/** What a call with the header `x-record: 1` is answered instead of its own answer. */
export interface Recording {
  status: number;
  /** The answer's text. */
  body: string;
  /** A list for each round trip, in the order in which they were sent. */
  statements: SentStatement[][];
}

/**
 * Text of an ES module that answers as the Worker module at `entry` ("./platform.js") does, and, for
 * a request with the header `x-record: 1`, answers instead a {@link Recording} as JSON. The database
 * is the binding `DB`. Statements are run in both cases.
 */
export function recorderOf(entry: string): string {
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(new URL("./recording.ts", import.meta.url))],
    ...{ bundle: true, write: false, format: "esm", target: "es2024" },
  });
  const code = outputFiles.map(({ text }) => text).join("");
  return `import worker from ${JSON.stringify(entry)};\n${code}\nexport default withRecording(worker);\n`;
}
