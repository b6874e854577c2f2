/** The options of all commands: one that two commands share is the same in both. */
import type { Command, Option } from "commander";
import { expect, test } from "vitest";
import { newProgram } from "../../../cli/commands/program.ts";
import { addResourceCommands } from "../../../cli/commands/verbs/resources.ts";
import { resources, supportsVerb, verbs } from "../../../cli/resources/catalog.ts";
import { flagByOption } from "../../../cli/resources/flags.ts";

/** The commands of a program, with the words that lead to them. */
const all = (command: Command, words: string[] = []): [string, Command][] =>
  command.commands.flatMap((one) => {
    const path = [...words, one.name()];
    return [[path.join(" "), one] as [string, Command], ...all(one, path)];
  });

/** All commands, with those of each resource. */
function allCommands(): [string, Command][] {
  const found = all(newProgram(false));
  for (const verb of verbs)
    for (const resource of resources().filter((one) => supportsVerb(one, verb))) {
      const command = newProgram(false).commands.find((one) => one.name() === verb);
      if (!command) throw new Error(verb);
      const name = addResourceCommands(command, verb === "list" ? resource.words : resource.word);
      const own = command.commands.find((one) => one.name() === name);
      if (own) found.push([`${verb} ${name}`, own]);
    }
  return found;
}

/** The fields of a resource are those of the API, which names and explains them for each resource. */
const isField = (option: Option) => option.helpGroupHeading?.startsWith("Fields");

/** The options by name, each with the commands that have it. */
function optionsByName(): Map<string, [string, Option][]> {
  const uses = allCommands().flatMap(([name, { options }]) =>
    options.filter((option) => !isField(option)).map((option): [string, Option] => [name, option]),
  );
  return Map.groupBy(uses, ([, { long, short }]) => long ?? short ?? "");
}

/** The ways to write an option, each with the first command that does so. */
const ways = (uses: [string, Option][], textOf: (option: Option) => string) =>
  Object.fromEntries(uses.map(([command, option]) => [textOf(option), command]).reverse());

test("an option that several commands have is written in one way, and has one default", () => {
  const options = optionsByName();
  expect(options.get("--group")?.length).toBeGreaterThan(50);
  for (const [name, uses] of options) {
    const written = ways(uses, ({ flags, defaultValue }) => `${flags} ${defaultValue}`);
    expect({ name, written: Object.values(written) }).toEqual({ name, written: [uses[0]?.[0]] });
  }
});

test("it also has one text, unless it is a filter of one resource only", () => {
  for (const [name, uses] of optionsByName()) {
    const isShared = uses.some(([, option]) => !flagByOption.has(option));
    const isPlaceOrTime = ["--by", "--identity", "--repo", "--since", "--until"].includes(name);
    if (!isShared && !isPlaceOrTime) continue;
    const filters = uses.filter(([, option]) => isPlaceOrTime || !flagByOption.has(option));
    const texts = ways(filters, ({ description }) => description);
    expect({ name, texts: Object.values(texts) }).toEqual({ name, texts: [filters[0]?.[0]] });
  }
});

test.each(["--group", "--limit"])("every list of rows below a group has %s", (name) => {
  const lists = allCommands().filter(([path, { options }]) => {
    const isList = path.startsWith("list ") || ["usage", "affected", "contains"].includes(path);
    return isList && options.some(({ long }) => long === "--group");
  });
  expect(lists.length).toBeGreaterThan(20);
  for (const [path, { options }] of lists)
    expect({ path, names: options.map(({ long }) => long) }).toMatchObject({
      names: expect.arrayContaining([name]),
    });
});
