/** The words of a command line before it is parsed: requests for help, and unknown commands. */
import { type Command, Option } from "commander";
import { usageFailure } from "../failure.ts";
import { didYouMean, nearestWord } from "../resources/spelling.ts";

/**
 * Turns `help COMMAND` and `COMMAND help SUBCOMMAND` into `COMMAND … --help`, so that only one place has to know which
 * words are commands. `hasMore` says whether the subcommands of a command are not loaded yet.
 */
export function withHelpLast(
  program: Command,
  args: string[],
  hasMore: (name: string) => boolean,
): string[] {
  let command = program;
  for (const [index, word] of args.entries()) {
    if (word.startsWith("-")) continue;
    if (word === "help") {
      const rest = args.toSpliced(index, 1);
      return withHelpLast(program, rest.includes("--help") ? rest : [...rest, "--help"], hasMore);
    }
    const next = commandNamed(command, word);
    if (!next || (next.commands.length === 0 && !hasMore(word))) return args;
    command = next;
  }
  return args;
}

/** Throws a USAGE Failure for the first word that should be a command or an option and is not. */
export async function checkWords(program: Command, args: string[]): Promise<void> {
  let command = program;
  const path: string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index] ?? "";
    if (word === "--") return;
    if (/^(--|-\w$)/.test(word)) {
      const option = optionOf(program, command, word);
      if (!option) throw unknownOption(command, path, word);
      // The value of an option may look like an option.
      if (option.required && !word.includes("=")) index += 1;
      continue;
    }
    if (word.startsWith("-") || command.commands.length === 0) continue;
    const next = commandNamed(command, word);
    if (!next) throw await unknownWord(program, path, word);
    path.push(word);
    command = next;
  }
}

const commandNamed = ({ commands }: Command, word: string) =>
  commands.find((command) => command.name() === word);

const helpOption = new Option("-h, --help");

/** Options of the program may appear anywhere. */
function optionOf(program: Command, command: Command, word: string): Option | undefined {
  const name = word.replace(/=.*$/s, "");
  const all = [helpOption, ...command.options, ...program.options];
  return all.find(({ long, short }) => long === name || short === name);
}

function unknownOption(command: Command, path: string[], word: string) {
  const name = word.replace(/=.*$/s, "");
  const known = command.options.filter(({ hidden }) => !hidden).map(({ long }) => long ?? "");
  const near = nearestWord(name, known);
  const line = ["platformctl", ...path].join(" ");
  const isVerb = command.commands.length > 0 && path.length > 0;
  return usageFailure(
    `${line} has no option ${name}.${didYouMean(near)}\n` +
      (isVerb
        ? `Options come after the whole command. For example: ${line} ${command.commands[0]?.name()} --help`
        : `To see all options, run: ${line} --help`),
  );
}

async function unknownWord(program: Command, path: string[], word: string) {
  const asked = [...path, word].join(" ");
  if (path.length === 0 && word in scripts) {
    return usageFailure(
      `There is no command "${word}". In a checkout of Platform API, run \`${scripts[word]}\`.`,
    );
  }
  const near = await suggestWord(program, path, word);
  return usageFailure(
    `There is no command ${JSON.stringify(asked)}.${didYouMean(near)}\n` +
      `To see all commands, run: ${["platformctl", ...path, "--help"].join(" ")}`,
  );
}

/** Commands that run a server and do not belong to this program. */
const scripts: Record<string, string> = {
  start: "npm start",
  deploy: "npm run deploy",
  preview: "npm run preview",
};

/** Suggests the word that the user probably meant: a command, a subcommand, an option or a resource. */
async function suggestWord(
  program: Command,
  path: string[],
  word: string,
): Promise<string | undefined> {
  const { resourceNamed } = await import("../resources/catalog.ts");
  const command = path.reduce<Command | undefined>(
    (parent, name) => parent && commandNamed(parent, name),
    program,
  );
  const names = (command?.commands ?? []).map((subcommand) => subcommand.name());
  if (path.length > 0) {
    const near = nearestWord(word, names);
    return near && [...path, near].join(" ");
  }
  const options = program.options.map(({ long }) => long ?? "");
  const below = program.commands.flatMap((child) =>
    child.commands.map((inner) => `${child.name()} ${inner.name()}`),
  );
  const resource = resourceNamed(word);
  return (
    options.find((option) => option === `--${word}`) ??
    below.find((path) => path.endsWith(` ${word}`)) ??
    (resource && `list ${resource.words}`) ??
    nearestWord(word, names)
  );
}
