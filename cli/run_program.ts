/** How `npm run deploy` and `npm run preview` run: with the real wrangler as programs, and with another one in tests. */
import { buildSite } from "../site/build.ts";
import { failureText, toFailure } from "./failure.ts";
import { printHelpIfAsked } from "./program_help.ts";
import { here } from "./surroundings.ts";
import { runWrangler } from "./wrangler.ts";

/**
 * The tools of such a program: wrangler, the build of the site, and the folder of the migrations if it is another one. The
 * rest of its world comes from `here()`.
 */
export type Tools = {
  run: typeof runWrangler;
  buildSite: () => Promise<void>;
  migrations?: string | undefined;
};

/** `npm run deploy` or `npm run preview`. Throws a Failure. */
export type Program = (args: string[], tools: Tools) => Promise<void>;

/** Runs a program with the arguments of this process. Prints its help or its Failure, which sets the exit code. */
export function runProgram(program: Program, usageText: string): Promise<void> {
  printHelpIfAsked(usageText);
  return runToEnd(() => program(process.argv.slice(2), { run: runWrangler, buildSite }));
}

/** Runs it to its end. Prints its Failure, and leaves the exit code in the surroundings. */
export async function runToEnd(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    const failure = toFailure(thrown);
    here().stderr.write(`\n${failureText(failure)}`);
    here().exitCode = failure.exitCode;
  }
}
