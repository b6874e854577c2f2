import type { Command } from "commander";
import { expect, test } from "vitest";
import { newProgram } from "../../cli/commands/program.ts";
import { version } from "../../package.json" with { type: "json" };
import { platformctl, spawnPlatformctl } from "./command.ts";

/** Every command and the words that lead to it, without those that commander adds. */
const all = (command: Command, words: string[] = []): [string, Command][] =>
  command.commands
    .filter((one) => !["help", "complete"].includes(one.name()))
    .flatMap((one) => {
      const path = [...words, one.name()];
      return [[path.join(" "), one] as [string, Command], ...all(one, path)];
    });

const commands = all(newProgram(false));

/** The output of --help, with the text around it. */
function helpOf(command: Command): string {
  let text = "";
  const writeOut = (part: string) => {
    text += part;
  };
  command.configureOutput({ writeOut }).outputHelp();
  return text;
}

test("the list of commands is complete", () => {
  const names = commands.map(([name]) => name);
  expect(names).toEqual(expect.arrayContaining(["history", "pin", "whoami", "auth login"]));
});

test.each(commands)(
  "%s has a description, and an example that begins with its name",
  (name, command) => {
    expect(command.description()).not.toBe("");
    const examples = /\nExamples:\n([\s\S]*)/.exec(helpOf(command))?.[1] ?? "";
    expect(examples).toMatch(new RegExp(`platformctl ${name.split(" ")[0]}`));
    for (const option of command.options) expect(option.description).not.toBe("");
  },
);

test("without arguments, the commands are shown in groups of tasks", async () => {
  const { code, out, err } = await platformctl([]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(
    /\nTag history:\n {2}moves [\s\S]*\n {2}history [\s\S]*\nGetting started:\n {2}\$ npm start/,
  );
  expect((await platformctl(["--help"])).out).toBe(out);
});

/** Runs the words like a separate command line. */
const endOf = (words: string) => platformctl(words.split(" "));

/** An unknown command line, and the suggestion for it. */
const mistaken: [line: string, asked: string, offered: string][] = [
  ["histroy", "histroy", "Did you mean history?"],
  ["hist", "hist", "Did you mean history?"],
  ["pim", "pim", "Did you mean pin?"],
  ["lsit repos", "lsit", "Did you mean list?"],
  ["logout", "logout", "Did you mean auth logout?"],
  ["version", "version", "Did you mean --version?"],
  ["repos", "repos", "Did you mean list repos?"],
  ["nonsense", "nonsense", "To see all commands, run: platformctl --help"],
  ["nonsense --help", "nonsense", "To see all commands, run: platformctl --help"],
  ["-h nonsense", "nonsense", "To see all commands, run: platformctl --help"],
  ["--no-color nonsense", "nonsense", "To see all commands, run: platformctl --help"],
  ["help nonsense", "nonsense", "To see all commands, run: platformctl --help"],
  ["help histroy", "histroy", "Did you mean history?"],
  ["help auth logni", "auth logni", "Did you mean auth login?"],
  ["auth help logni", "auth logni", "Did you mean auth login?"],
  ["auth logni", "auth logni", "Did you mean auth login?"],
  ["keys nonsense", "keys nonsense", "To see all commands, run: platformctl keys --help"],
  ["import osvs", "import osvs", "Did you mean import osv?"],
  ["accept nonsense", "accept nonsense", "To see all commands, run: platformctl accept --help"],
  ["scim tokne", "scim tokne", "Did you mean scim token?"],
];

test.each(mistaken)("%s: the command %j is unknown, and the error says: %s", async (...line) => {
  const [words, asked, offered] = line;
  const { code, out, err } = await endOf(words);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toMatch(`error: There is no command ${JSON.stringify(asked)}.`);
  expect(err).toContain(offered);
  expect(err.trimEnd().split("\n").length).toBeLessThanOrEqual(2);
});

const explained: [words: string, said: string][] = [
  ["get nonsense", 'There is no resource "nonsense".'],
  ["help get nonsense", 'There is no resource "nonsense".'],
  ["list repso", "Did you mean repos?"],
  ["list repos --grup x", "Did you mean --group?"],
  ["auth login --ogr x", "Did you mean --org?"],
  ["--versoin", "Did you mean --version?"],
  ["call ListRepso", "Did you mean ReposService/ListRepos?"],
  ["whoami --bogus", "platformctl whoami has no option --bogus."],
  ["create repo a --desc b", "Did you mean --description?"],
  ["create repo a --desc=b", "Did you mean --description?"],
  ["list --group a repos", "Options come after the whole command. For example: platformctl list"],
  ["list -g a repos", "Options come after the whole command. For example: platformctl list"],
];

test("an option without a near one has no suggestion", async () => {
  expect((await endOf("whoami --by x")).err).not.toContain("Did you mean");
});

test.each(explained)("%s: the error says %j", async (words, said) => {
  const { code, out, err } = await endOf(words);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain(said);
});

test("the error for a program is one JSON document", async () => {
  const { code, out, err } = await platformctl(["help", "nonsense", "--json"]);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(JSON.parse(err).error).toMatchObject({
    code: "USAGE",
    message: expect.stringContaining('There is no command "nonsense".'),
  });
});

const equivalent: [words: string, same: string][] = [
  ["help", "--help"],
  ["help help", "--help"],
  ["help history", "history --help"],
  ["help auth login", "auth login --help"],
  ["auth help login", "auth login --help"],
  ["auth help", "auth --help"],
  ["help list repo", "list repos --help"],
  ["list help", "list --help"],
];

test.each(equivalent)("%s has the same output as %s", async (words, same) => {
  const { code, out, err } = await endOf(words);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toBe((await endOf(same)).out);
});

const values = ["create repo a --description --desc", "create repo a -- --desc"];

test.each(values)("%s: a word that is expected as a value is not an option", async (words) => {
  expect((await endOf(words)).err).not.toContain("has no option");
});

test("the program ends as its function does, and function calls at the same time are separate", async () => {
  const lines = ["help nonsense", "--no-color nonsense", "help history"];
  const ended = await Promise.all(lines.map(endOf));
  for (const [at, line] of lines.entries())
    expect(ended[at]).toEqual(await spawnPlatformctl(line.split(" ")));
});

test.each(["list", "call"])(
  "the overview of %s says only once which rows need a capability",
  async (verb) => {
    const { out } = await platformctl([verb, "--help"]);
    expect(out.match(/the capability to/g)).toHaveLength(1);
    expect(out).not.toMatch(/,\.|the groups where/);
  },
);

test("call without an RPC lists all RPCs, and in JSON with their capabilities", async () => {
  expect((await platformctl(["call"])).out).toContain(
    "ReposService/ListRepos\tList the repositories.\n",
  );
  const { rpcs } = JSON.parse((await platformctl(["call", "--json"])).out);
  expect(rpcs.find(({ rpc }: { rpc: string }) => rpc === "ReposService/ListRepos").text).toContain(
    "`repo.list`",
  );
});

test("the help of one list says which capability its rows need", async () => {
  const { out } = await platformctl(["list", "repos", "--help"]);
  expect(out).toContain("you have the `repo.list` capability.");
});

test.each(["get", "describe"])("the overview of %s is not about lists", async (verb) => {
  expect((await platformctl([verb, "--help"])).out).not.toMatch(/ {2}List /);
});

test.each([
  ["artifact-versions", "--artifact django --all"],
  ["resolved-vulns-reports", "--end-time 1d --all"],
  ["repos", "list repos --all"],
])("the examples of list %s have the flags that it requires", async (words, flags) => {
  expect((await platformctl(["list", words, "--help"])).out).toContain(flags);
});

test("the help says which flags take values with commas, and which are repeated", async () => {
  const { out } = await platformctl(["create", "repo", "--help"]);
  expect(out).toMatch(/--aliases <text,…> .*\n/);
  expect(out).toMatch(/--custom-overlay\.accounts\.users <json> .*\(repeat the flag for several\)/);
  expect(out).toContain("\nA flag with <…,…> takes several values:");
});

test("a resource can be named help", async () => {
  const { err } = await platformctl(["get", "repo", "help"]);
  expect(err).toContain("(NOT_LOGGED_IN)");
});

test("--version prints the version of the package, and its commit where there is one", async () => {
  const { code, out, err } = await platformctl(["--version"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const [, number, commit] =
    /^(\S+)( \(commit [0-9a-f]{7,}, \d{4}-\d\d-\d\d\))?\n$/.exec(out) ?? [];
  expect(number).toBe(version);
  expect(commit === undefined || commit.length > 20).toBe(true);
});
