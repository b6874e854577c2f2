/** Records the D1 statements of one call, with a Worker module in front of the measured one. */
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import type { Query } from "../../src/rpc/d1_through.ts";

/** One statement as D1 received it. */
export interface SentStatement extends Query {
  /** The rows that D1 counted. Undefined until the statement has run. */
  rowsRead?: number;
  rowsWritten?: number;
}

/** The response to a call with the header `x-record`. */
export interface Recording {
  status: number;
  /** The text of the response. */
  body: string;
  /** One list for each round trip, in the order of their start. It includes those after the response. */
  statements: SentStatement[][];
}

/**
 * The text of an ES module that wraps the Worker module at `entry` ("./platform.js"). It passes on the
 * responses, except for a request with the header `x-record`: its response is a {@link Recording} as JSON, once
 * everything after the response has ended too. `x-record: HEAD` turns a GET into a HEAD. The database is the binding
 * `DB`. Statements run in both cases.
 */
export function recorderOf(entry: string): string {
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(new URL("./recording.ts", import.meta.url))],
    ...{ bundle: true, write: false, format: "esm", target: "es2024" },
  });
  const code = outputFiles.map(({ text }) => text).join("");
  return `import worker from ${JSON.stringify(entry)};\n${code}\nexport default withRecording(worker);\n`;
}
