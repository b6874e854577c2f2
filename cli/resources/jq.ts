/** Runs jq expressions for `--jq`. The engine is jq itself, as WebAssembly. */
import { createRequire } from "node:module";
import type { JqEngine } from "jq-web";
import { refusedFailure, usageFailure } from "../failure.ts";

const load = createRequire(import.meta.url);

let engine: JqEngine | undefined;

/** jq exits with this code if it cannot compile the expression. */
const compileError = 3;

/** In front of an expression, it keeps the expression from being evaluated. */
const unevaluated = "empty|";

/**
 * Loads jq and compiles an expression, so that a bad one fails before the command does anything. Throws a USAGE Failure
 * with the message of jq.
 */
export async function loadJq(expression: string): Promise<void> {
  if (expression.trim() === "") throw usageFailure("The expression of --jq is empty.");
  // Loaded here because it takes a tenth of a second, which commands without --jq do not wait for.
  engine ??= await (load("jq-web") as Promise<JqEngine>);
  try {
    engine.raw("null", `${unevaluated}${expression}`, []);
  } catch (error) {
    throw usageFailure(`--jq: ${messageOf(error)}`);
  }
}

/**
 * Returns the results of an expression, one on each line, as `jq -r -c` prints them. `loadJq` has loaded it. Throws a
 * JQ Failure if jq fails with this value.
 */
export function runJq(value: unknown, expression: string): string {
  if (!engine) throw new Error("jq is not loaded");
  try {
    // After the dashes, an expression such as -1 is not an option.
    const text = engine.raw(JSON.stringify(value), expression, ["-r", "-c", "--"]);
    return text === undefined || text === "" ? "" : `${text}\n`;
  } catch (error) {
    const text = `The command succeeded, but --jq failed on its output: ${messageOf(error)}`;
    throw refusedFailure("JQ", text);
  }
}

/** Returns what jq says, without the parts that are about its own command line. */
function messageOf(error: unknown): string {
  const { exitCode, stderr } = error as { exitCode?: number; stderr?: string };
  if (exitCode === undefined) throw error;
  const lines = (stderr ?? "").split("\n").map((line) => line.replace(unevaluated, "").trimEnd());
  const text = lines
    .filter((line) => line !== "" && !/^jq: \d+ compile errors?$/.test(line))
    .map((line) => line.replace(/^jq: error(?: \(at [^)]*\))?:? ?/, ""))
    .map((line) => line.replace(" (Unix shell quoting issues?)", ""))
    .map((line) => line.replace(/ at <top-level>, (line \d+):$/, " in $1"))
    .join("\n");
  return text || (exitCode === compileError ? "jq cannot read it." : "jq ended early.");
}
