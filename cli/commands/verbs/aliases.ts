/** Commands with two names. The second name leads to the first one, so both have the same options and output. */
import type { Command } from "commander";
import { withExamples } from "../answer.ts";

/** Without a text, the help does not name it. */
type Alias = { words: string[]; of: string[]; text?: string; example?: string };

const aliases: Alias[] = [
  {
    words: ["moves"],
    of: ["list", "tag-moves"],
    text: "Show which tags moved, and who moved them. The same as list tag-moves.",
    example: "platformctl moves --since 7d --warnings",
  },
  {
    words: ["events", "list"],
    of: ["list", "events"],
    text: "List events, the newest first. The same as list events.",
    example: "platformctl events list --since 7d --type 'api.iam.*'",
  },
  {
    words: ["list", "members"],
    of: ["members"],
  },
  {
    words: ["deliveries"],
    of: ["list", "deliveries"],
    text: "List what was sent to a subscription, the newest first. The same as list deliveries.",
    example: "platformctl deliveries --subscription $SUBSCRIPTION --state failed",
  },
];

/** Adds the alias with these words to the help. It is replaced before it could run. */
export function addAlias(parent: Command, words: string): void {
  const alias = aliases.find((one) => one.words.join(" ") === words);
  if (!alias?.text || !alias.example) throw new Error(`no alias ${words}`);
  const { text, example } = alias;
  withExamples(parent.command(alias.words.at(-1) ?? "").description(text), example);
}

const showing = ["list", "get", "describe"];

/** Returns a command line with the first name of its command. */
export async function withoutAlias(args: string[]): Promise<string[]> {
  const start = args.findIndex((word) => !word.startsWith("-") && word !== "help");
  if (start < 0) return args;
  const asked = args.slice(start);
  const alias = aliases.find(({ words }) => words.every((word, index) => asked[index] === word));
  if (alias) return args.toSpliced(start, alias.words.length, ...alias.of);
  const [verb = "", noun = "", ...rest] = asked;
  if (!showing.includes(verb) || noun === "" || noun.startsWith("-")) return args;
  const { commandOf, resourceNamed } = await import("../../resources/catalog.ts");
  const resource = resourceNamed(noun);
  const command = resource && commandOf(resource);
  if (command === undefined) return args;
  // `get usage acme.example` names the group that `usage` has as an option.
  const [name] = rest;
  const isGroup = verb !== "list" && name !== undefined && !name.startsWith("-");
  return [...args.slice(0, start), command, ...(isGroup ? ["--group"] : []), ...rest];
}
