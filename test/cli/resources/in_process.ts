/**
 * Runs platformctl in the process of the test. A command then takes milliseconds instead of half a second.
 */
import { Readable } from "node:stream";
import { CommanderError } from "commander";
import { vi } from "vitest";
import { newProgram } from "../../../cli/commands/program.ts";
import { expandVerb } from "../../../cli/commands/verbs/verbs.ts";
import { failureText, toFailure } from "../../../cli/failure.ts";
import type { Organization } from "../../world/personas.ts";
import { newStateFolder } from "../command.ts";

/** The output of a command, and the exit code that the program would have. */
export type CommandResult = { code: number; out: string; err: string };

/**
 * The environment of a command. `columns` makes its output a terminal of that width, and `input` is its
 * standard input.
 */
export type CommandOptions = {
  env?: NodeJS.ProcessEnv;
  columns?: number;
  input?: string | Uint8Array;
};

/** Runs commands as the owner of an organization, one at a time. */
export async function commandsOf(organization: Organization) {
  const folder = await newStateFolder(organization);
  return (args: string[], setting: CommandOptions = {}) => ran(args, folder, setting);
}

async function ran(
  args: string[],
  folder: string,
  { env = {}, columns, input = "" }: CommandOptions,
): Promise<CommandResult> {
  const done: CommandResult = { code: 0, out: "", err: "" };
  const before = { ...process.env };
  const { exitCode } = process;
  const stdin = vi.spyOn(process, "stdin", "get");
  stdin.mockReturnValue(Readable.from([Buffer.from(input)]) as typeof process.stdin);
  const terminal = { isTTY: process.stdout.isTTY, columns: process.stdout.columns };
  const out = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    done.out += text;
    return true;
  });
  const err = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    done.err += text;
    return true;
  });
  Object.assign(process.env, { PLATFORM_STATE: folder, XDG_CONFIG_HOME: "/nowhere", ...env });
  // The environment that vitest sets for colors must not affect the command.
  for (const name of ["FORCE_COLOR", "NO_COLOR"]) if (!(name in env)) delete process.env[name];
  Object.assign(process.stdout, { isTTY: columns !== undefined, columns: columns ?? 80 });
  process.exitCode = 0;
  try {
    const command = newProgram(false);
    await command.parseAsync(await expandVerb(command, args), { from: "user" });
    done.code = Number(process.exitCode);
  } catch (thrown) {
    if (thrown instanceof CommanderError) done.code = thrown.exitCode === 0 ? 0 : 2;
    else {
      const failure = toFailure(thrown);
      done.code = failure.exitCode;
      done.err += failureText(failure);
    }
  } finally {
    out.mockRestore();
    err.mockRestore();
    stdin.mockRestore();
    process.exitCode = exitCode;
    Object.assign(process.stdout, terminal);
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  }
  return done;
}
