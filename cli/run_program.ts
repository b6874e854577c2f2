/** How `npm run deploy` and `npm run preview` run: with the real wrangler as programs, and with another one in tests. */
import { buildSite } from "../site/build.ts";
import { failureText, toFailure } from "./failure.ts";
import { printHelpIfAsked } from "./program_help.ts";
import { runWrangler } from "./wrangler.ts";

/** The parts of its process that such a program uses. */
export type ProgramWorld = {
  env: NodeJS.ProcessEnv;
  run: typeof runWrangler;
  buildSite: () => Promise<void>;
  /** Writes a line to stdout. */
  print: (line: string) => void;
  /** Writes a line to stderr. */
  note: (line: string) => void;
};

/** Runs a program with the arguments and the output of this process. Prints its Failure, which sets the exit code. */
export async function runProgram(
  program: (args: string[], world: ProgramWorld) => Promise<void>,
  usageText: string,
): Promise<void> {
  printHelpIfAsked(usageText);
  const note = (line: string) => void process.stderr.write(`${line}\n`);
  const world = { env: process.env, run: runWrangler, buildSite, print: console.log, note };
  try {
    await program(process.argv.slice(2), world);
  } catch (thrown) {
    const failure = toFailure(thrown);
    process.stderr.write(`\n${failureText(failure)}`);
    process.exitCode = failure.exitCode;
  }
}
