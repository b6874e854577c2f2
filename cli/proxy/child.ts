/** The command that `platformctl proxy` runs. */
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { hasCode, usageFailure } from "../failure.ts";
import { here } from "../surroundings.ts";

/** A terminal sends SIGINT to the command as well. */
const passedOn = ["SIGTERM", "SIGHUP"] as const;

/**
 * Runs a command with the streams of this process, and these variables in its environment. Returns its exit code, or 128
 * plus the number of the signal that ended it. Throws a USAGE Failure if there is no such command.
 */
export async function runCommand(
  [command = "", ...args]: string[],
  variables: Record<string, string>,
): Promise<number> {
  const surroundings = here();
  const env = { ...surroundings.env, ...variables };
  const child = spawn(command, args, { env, cwd: surroundings.cwd(), stdio: "inherit" });
  const pass = (signal: NodeJS.Signals) => child.kill(signal);
  // The command decides when it ends.
  const wait = () => {
    if (surroundings.stdin.isTTY !== true) child.kill("SIGINT");
  };
  for (const signal of passedOn) surroundings.on(signal, pass);
  surroundings.on("SIGINT", wait);
  try {
    return await new Promise<number>((done, fail) => {
      child.on("error", fail);
      child.on("exit", (code, signal) =>
        done(code ?? 128 + (signal ? constants.signals[signal] : 0)),
      );
    });
  } catch (thrown) {
    if (!hasCode(thrown, "ENOENT") && !hasCode(thrown, "EACCES")) throw thrown;
    throw usageFailure(`There is no program ${command} that can be run.`);
  } finally {
    for (const signal of passedOn) surroundings.off(signal, pass);
    surroundings.off("SIGINT", wait);
  }
}
