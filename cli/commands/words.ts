/** The words of a command line before it is parsed: where help is asked for, and what is no command. */
import type { Command } from "commander";
import { usage } from "../failure.ts";

/**
 * `help COMMAND` and `COMMAND help SUBCOMMAND` as `COMMAND … --help`, so that one place knows which
 * words are commands. `hasMore`: whether the subcommands of a command are yet to be loaded.
 */
export function withHelpLast(
  program: Command,
  args: string[],
  hasMore: (name: string) => boolean,
): string[] {
  let command = program;
  for (const [at, word] of args.entries()) {
    if (word.startsWith("-")) continue;
    if (word === "help") {
      const rest = args.toSpliced(at, 1);
      return withHelpLast(program, rest.includes("--help") ? rest : [...rest, "--help"], hasMore);
    }
    const next = named(command, word);
    if (!next || (next.commands.length === 0 && !hasMore(word))) return args;
    command = next;
  }
  return args;
}

/** Throws a USAGE Failure for the first word that stands where a command does, and is none. */
export async function checkWords(program: Command, args: string[]): Promise<void> {
  let command = program;
  const path: string[] = [];
  for (const word of args) {
    if (word.startsWith("-")) {
      // What follows an option that is not known may be its value.
      if (!isOption(command, word)) return;
      continue;
    }
    const next = named(command, word);
    if (!next) {
      if (command.commands.length > 0) throw await unknown(program, path, word);
      return;
    }
    path.push(word);
    command = next;
  }
}

const named = ({ commands }: Command, word: string) => commands.find((one) => one.name() === word);

const isOption = ({ options }: Command, word: string) =>
  ["-h", "--help"].includes(word) || options.some((option) => option.is(word));

async function unknown(program: Command, path: string[], word: string) {
  const asked = [...path, word].join(" ");
  const near = await meant(program, path, word);
  return usage(
    `There is no command ${JSON.stringify(asked)}.${near ? ` Did you mean ${near}?` : ""}\n` +
      `To see all: ${["platformctl", ...path, "--help"].join(" ")}`,
  );
}

/** What a word was meant to be: a command, a command below another, an option, or a resource. */
async function meant(program: Command, path: string[], word: string): Promise<string | undefined> {
  const { nearest, resourceNamed } = await import("../resources/catalog.ts");
  const command = path.reduce<Command | undefined>((at, name) => at && named(at, name), program);
  const names = (command?.commands ?? []).map((one) => one.name());
  if (path.length > 0) {
    const near = nearest(word, names);
    return near && [...path, near].join(" ");
  }
  const options = program.options.map(({ long }) => long ?? "");
  const below = program.commands.flatMap((one) =>
    one.commands.map((inner) => `${one.name()} ${inner.name()}`),
  );
  const resource = resourceNamed(word);
  return (
    options.find((option) => option === `--${word}`) ??
    below.find((one) => one.endsWith(` ${word}`)) ??
    (resource && `list ${resource.words}`) ??
    nearest(word, names)
  );
}
