/**
 * Runs the module of platformctl once for each command line, in one process, because a start takes longer
 * than most commands. Reads a JSON array of arrays on stdin. Writes the results (ProgramResult) as a JSON
 * array on stdout.
 */
import { text } from "node:stream/consumers";
import type { ProgramResult } from "./command.ts";

const lines: string[][] = JSON.parse(await text(process.stdin));
const environment = { ...process.env };
const results: ProgramResult[] = [];
const { stdout, stderr } = process;
const write = stdout.write.bind(stdout);

for (const [index, line] of lines.entries()) {
  const result: ProgramResult = { code: null, out: "", err: "" };
  stdout.write = (part) => {
    result.out += part;
    return true;
  };
  stderr.write = (part) => {
    result.err += part;
    return true;
  };
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...line);
  // A module with another query is evaluated again.
  await import(`../../cli/commands/main.ts?line=${index}`);
  result.code = Number(process.exitCode ?? 0);
  results.push(result);
  // The next one finds a process as new.
  process.exitCode = undefined;
  process.env = { ...environment };
  stdout.removeAllListeners("error");
}
write(JSON.stringify(results));
