/** platformctl: parses the command line, runs one command and reports how it ended. */
import { CommanderError } from "commander";
import { takeContext, useContext } from "../account/contexts.ts";
import {
  Cancelled,
  Failure,
  failureJson,
  failureText,
  toFailure,
  usageFailure,
} from "../failure.ts";
import { print, type Surroundings, within } from "../surroundings.ts";
import { newProgram } from "./program.ts";
import { expandVerb } from "./verbs/verbs.ts";
import { versionText } from "./version.ts";

/**
 * Runs a command line to its end. `args` begins with the name of the command. Leaves the exit code in the surroundings,
 * where no exit code is 0, and never throws.
 */
export const run = (args: string[], surroundings: Surroundings): Promise<void> =>
  within(surroundings, async () => {
    const isJson = /(^| )(--json|(-o|--output)[ =]?json)( |$)/.test(args.join(" "));
    const { env } = surroundings;
    if (args.includes("--no-color")) env.NO_COLOR = "1";
    try {
      const command = newProgram(isJson);
      // Without a command, the user wants a list of commands.
      if (args.length === 0) return command.outputHelp();
      const { rest, named } = takeContext(args);
      if (rest[0] === "--version") return print(await versionText());
      // The help, and the commands that repair contexts, also work if the contexts cannot be used.
      const unusable = await useContext(env, named).catch((error: unknown) => ({ error }));
      command.hook("preAction", (_, action) => {
        const repairs = action.parent?.name() === "config" && action.name() !== "show";
        if (unusable && !repairs) throw unusable.error;
      });
      await command.parseAsync(await expandVerb(command, rest), { from: "user" });
    } catch (thrown) {
      surroundings.exitCode = report(thrown, isJson, surroundings);
    }
  });

/** Prints why a command failed. Returns the exit code. */
function report(thrown: unknown, isJson: boolean, { stderr }: Surroundings): number {
  if (thrown instanceof CommanderError) {
    // Commander has already printed the message for people. Programs need the document.
    if (thrown.exitCode !== 0 && isJson)
      stderr.write(failureJson(usageFailure(thrown.message.replace(/^error: /, ""))));
    return thrown.exitCode === 0 ? 0 : 2;
  }
  if (thrown instanceof Cancelled) return thrown.exitCode;
  const failure = failureOrBug(thrown);
  stderr.write(isJson ? failureJson(failure) : failureText(failure));
  return failure.exitCode;
}

function failureOrBug(thrown: unknown): Failure {
  try {
    return toFailure(thrown);
  } catch {
    const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    return new Failure(1, "BUG", text);
  }
}
