import type { Command } from "commander";
import { expect, test } from "vitest";
import { program } from "../../cli/commands/program.ts";
import { version } from "../../package.json" with { type: "json" };
import { platformctl } from "./command.ts";

/** Every command with the words that lead to it; those that commander makes are left out. */
const all = (command: Command, words: string[] = []): [string, Command][] =>
  command.commands
    .filter((one) => !["help", "complete"].includes(one.name()))
    .flatMap((one) => {
      const path = [...words, one.name()];
      return [[path.join(" "), one] as [string, Command], ...all(one, path)];
    });

const commands = all(program(false));

/** What --help prints, with what stands around it. */
function helpOf(command: Command): string {
  let text = "";
  const writeOut = (part: string) => {
    text += part;
  };
  command.configureOutput({ writeOut }).outputHelp();
  return text;
}

test("there are all the commands", () => {
  const names = commands.map(([name]) => name);
  expect(names).toEqual(expect.arrayContaining(["history", "pin", "whoami", "auth login"]));
});

test.each(commands)(
  "%s has a description and an example that begins as it does",
  (name, command) => {
    expect(command.description()).not.toBe("");
    const examples = /\nExamples:\n([\s\S]*)/.exec(helpOf(command))?.[1] ?? "";
    expect(examples).toMatch(new RegExp(`platformctl ${name.split(" ")[0]}`));
    for (const option of command.options) expect(option.description).not.toBe("");
  },
);

test("without arguments the commands are shown by what they are for", async () => {
  const { code, out, err } = await platformctl([]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/\nTags over time:\n {2}history [\s\S]*\nGetting started:\n {2}\$ npm start/);
  expect((await platformctl(["--help"])).out).toBe(out);
});

test.each([
  ["histroy", "history"],
  ["pim", "pin"],
])("for %s it asks whether %s was meant", async (word, meant) => {
  const { code, out, err } = await platformctl([word]);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain(`Did you mean ${meant}?`);
});

test("--version is that of the package", async () => {
  expect(await platformctl(["--version"])).toEqual({ code: 0, out: `${version}\n`, err: "" });
});
