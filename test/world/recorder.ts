/** What D1 gets from one call: a Worker module in front of the one that is measured tells it. */
import { readFileSync } from "node:fs";
import { transformSync } from "esbuild";

/** One statement as D1 got it. */
export interface Statement {
  /** With `?` where the parameters go, in their order. */
  sql: string;
  params: unknown[];
  /** Rows, as D1 counted them. Undefined for `raw` and `first`, with which D1 tells no counts. */
  rowsRead?: number;
  rowsWritten?: number;
}

/** What a call with the header `x-record: 1` is answered instead of its own answer. */
export interface Recording {
  status: number;
  /** The answer's text. */
  body: string;
  /** A list for each round trip, in the order in which they were sent. */
  statements: Statement[][];
}

/**
 * Text of an ES module that answers as the Worker module at `entry` ("./platform.js") does, and, for
 * a request with the header `x-record: 1`, answers instead a {@link Recording} as JSON. The database
 * is the binding `DB`. Statements are run in both cases.
 */
export function recorderOf(entry: string): string {
  const source = readFileSync(new URL("./recording.ts", import.meta.url), "utf8");
  const { code } = transformSync(source, { loader: "ts", format: "esm", target: "es2024" });
  return `import worker from ${JSON.stringify(entry)};\n${code}\nexport default recorded(worker);\n`;
}
