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
import { newProgram } from "./program.ts";
import { expandVerb } from "./verbs/verbs.ts";

const isJson = /(^| )(--json|(-o|--output)[ =]?json)( |$)/.test(process.argv.join(" "));
// The library that colors text reads the environment.
if (process.argv.includes("--no-color")) process.env.NO_COLOR = "1";

function report(thrown: unknown): number {
  if (thrown instanceof CommanderError) {
    // Commander has already printed the message for people. Programs need the document.
    if (thrown.exitCode !== 0 && isJson)
      process.stderr.write(failureJson(usageFailure(thrown.message.replace(/^error: /, ""))));
    return thrown.exitCode === 0 ? 0 : 2;
  }
  if (thrown instanceof Cancelled) return thrown.exitCode;
  const failure = failureOrBug(thrown);
  process.stderr.write(isJson ? failureJson(failure) : failureText(failure));
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

process.stdout.on("error", (error) => {
  // The reader has closed the pipe, as `head` does.
  if ("code" in error && error.code === "EPIPE") process.exit(0);
  throw error;
});

try {
  const command = newProgram(isJson);
  // Without a command, the user wants a list of commands.
  if (process.argv.length === 2) command.outputHelp();
  else {
    const { rest, named } = takeContext(process.argv.slice(2));
    // The help, and the commands that repair contexts, also work if the contexts cannot be used.
    const unusable = await useContext(process.env, named).catch((error: unknown) => ({ error }));
    command.hook("preAction", (_, action) => {
      const repairs = action.parent?.name() === "config" && action.name() !== "show";
      if (unusable && !repairs) throw unusable.error;
    });
    await command.parseAsync(await expandVerb(command, rest), { from: "user" });
  }
} catch (thrown) {
  process.exitCode = report(thrown);
}
