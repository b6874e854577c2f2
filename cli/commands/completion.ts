/** `platformctl complete -- WORDS`: shells run it to get completions. */
import completions from "@bomb.sh/tab";
import addTab from "@bomb.sh/tab/commander";
import type { Command } from "commander";
import { firstSentence, valuesOf } from "../resources/catalog.ts";
import { flagByOption } from "../resources/flags.ts";
import { suggestionsOf } from "../resources/suggestions.ts";

/** Adds the command that responds to `complete -- WORDS`, where the last word is not finished. */
export async function addCompletions(program: Command, words: string[]): Promise<void> {
  // A shell reads one line for each word that it offers.
  for (const command of program.commands.flatMap((command) => [command, ...command.commands])) {
    command.description(command.summary() || firstSentence(command.description()));
  }
  addTab(program);
  suggestEnums(program, words);
  const suggestions = await suggestionsOf(words);
  if (suggestions.length === 0) return;
  const offer = (complete: (value: string, text: string) => void) => {
    for (const { value, text } of suggestions) complete(value, text);
  };
  const { commands } = completions;
  const target =
    commands.get(words.slice(0, 2).join(" ")) ?? commands.get(words[0] ?? "") ?? completions;
  const flag = words.at(-2) ?? "";
  const option = optionOf(target, flag);
  if (option) option.handler = offer;
  else for (const argument of target.arguments.values()) argument.handler = offer;
}

type Target = Pick<typeof completions, "options" | "arguments">;

function optionOf({ options }: Target, flag: string) {
  if (!flag.startsWith("-")) return undefined;
  const name = flag.replace(/^-+/, "");
  return options.get(name) ?? [...options.values()].find(({ alias }) => alias === name);
}

/** Offers the values of enums, including capabilities, for the command that is being typed. */
function suggestEnums(program: Command, [verb, word]: string[]): void {
  const command = program.commands
    .find((command) => command.name() === verb)
    ?.commands.find((command) => command.name() === word);
  const target = completions.commands.get(`${verb} ${word}`);
  for (const option of command?.options ?? []) {
    const field = flagByOption.get(option)?.field;
    const known = target?.options.get(option.long?.slice(2) ?? "");
    if (field?.kind !== "enum" || !known) continue;
    known.handler = (complete) => {
      for (const { word: value, text } of valuesOf(field.type ?? "")) complete(value, text);
    };
  }
}
