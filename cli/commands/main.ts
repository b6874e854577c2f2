/** platformctl: reads the command line, runs one command, says how it ended. */
import { Command, CommanderError } from "commander";
import { Failure, failureJson, failureOf, failureText, usage } from "../failure.ts";
import { addAuth } from "./auth.ts";
import { addBootstrap } from "./bootstrap.ts";
import { addGrpcBridge } from "./grpc_bridge.ts";
import { addImport } from "./import.ts";
import { addKeys } from "./keys.ts";
import { addWhoami } from "./whoami.ts";

const help = `
Environment:
  PLATFORM_URL     the platform to talk to (default: the one that \`npm start\` of this
                   checkout runs, else http://localhost:8787)
  PLATFORM_STATE   folder of that local platform (default: .platform of this checkout)
  XDG_CONFIG_HOME  where logins are kept, in platform/credentials.json (default: ~/.config)

Exit codes:
  0  done
  1  refused or failed
  2  the command line or a file name is wrong
  3  nobody answers, or not as a platform does
  4  bad input: an import stopped at a bad line, or left bad lines out`;

const isJson = process.argv.includes("--json");

/** The commands, ready to parse. */
function program(): Command {
  const command = new Command("platformctl")
    .description("Tokens, imports and setup for a platform.")
    .exitOverride()
    .showHelpAfterError(isJson ? false : "(--help tells more)")
    .configureOutput({ outputError: (text, write) => isJson || write(text) })
    .addHelpText("after", help);
  for (const add of [addAuth, addWhoami, addImport, addBootstrap, addKeys, addGrpcBridge]) {
    add(command);
  }
  return command;
}

function report(thrown: unknown): number {
  if (thrown instanceof CommanderError) {
    // Commander has already told people; programs want the document.
    if (thrown.exitCode !== 0 && isJson)
      process.stderr.write(failureJson(usage(thrown.message.replace(/^error: /, ""))));
    return thrown.exitCode === 0 ? 0 : 2;
  }
  const failure = failureOrBug(thrown);
  process.stderr.write(isJson ? failureJson(failure) : failureText(failure));
  return failure.exitCode;
}

function failureOrBug(thrown: unknown): Failure {
  try {
    return failureOf(thrown);
  } catch {
    const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    return new Failure(1, "BUG", text);
  }
}

process.stdout.on("error", (error) => {
  // The reader has had enough, as `head` does.
  if ("code" in error && error.code === "EPIPE") process.exit(0);
  throw error;
});

try {
  await program().parseAsync();
} catch (thrown) {
  process.exitCode = report(thrown);
}
