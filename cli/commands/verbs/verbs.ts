/** The names and texts of `list`, `get` and the other verbs. The rest of a verb is loaded when it is used. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Argument, type Command } from "commander";
import { projectRoot } from "../../project.ts";
import { addDocumentOptions } from "../../resources/documents.ts";
import { here } from "../../surroundings.ts";
import { type JsonOption, withExamples } from "../answer.ts";
import { checkWords, withHelpLast } from "../words.ts";
import { withoutAlias } from "./aliases.ts";

const texts: Record<string, [string, ...string[]]> = {
  list: [
    "List resources. Without a resource, list the kinds of resources.",
    "platformctl list repos --group acme.example --order-by 'update_time desc'",
    "platformctl list tags --repo python --all --json",
  ],
  get: ["Show resources by name or uid, one per line.", "platformctl get repo python nginx"],
  describe: [
    "Show a resource in full, with the resources that belong to it.",
    "platformctl describe repo python",
    "platformctl describe identity ci-bot",
  ],
  create: [
    "Create a resource.",
    "platformctl create identity ci-bot --claim-match.issuer https://ci.example.com --claim-match.subject repo:example/app",
    "platformctl create role-binding --identity ci-bot --role viewer --group acme.example",
  ],
  update: [
    "Change fields of a resource. Fields that you do not name stay the same.",
    "platformctl update repo python --description 'Python, as we build it'",
  ],
  delete: [
    "Delete resources. On a terminal, ask for confirmation first.",
    "platformctl delete repo python",
  ],
  accept: [
    "Accept an invite to a group, or legal terms for an organization.",
    "platformctl accept invite CODE",
  ],
  scim: ["Manage the SCIM token of an identity provider.", "platformctl scim token sso"],
  call: [
    "Call any RPC of version 2 of the API. Without an RPC, list all RPCs.",
    "platformctl call ReposService/GetRepoReadme --uid UID",
    "platformctl call GetArtifactCount",
  ],
};

/** Facts that hold for every resource of a verb, or every RPC. */
const notes: Record<string, string> = {
  list: "A list leaves out resources in groups where you do not have the capability to list them.",
  call: "The response of a List RPC leaves out resources in groups where you do not have the capability to list them.",
};

/** Adds the verbs. `list` and `call` also work on their own. */
export function addVerbs(program: Command): void {
  for (const [verb, [text, ...lines]] of Object.entries(texts)) {
    const command = program.command(verb).summary(text);
    command.description([text, notes[verb]].filter(Boolean).join("\n\n"));
    withExamples(command, ...lines);
    if (verb === "list") {
      command.action(async (options: JsonOption) =>
        (await import("./list_kinds.ts")).showResources(options),
      );
    }
    if (verb === "call") {
      command.action(async (options: JsonOption) => (await import("../call.ts")).showRpcs(options));
    }
  }
}

/**
 * Loads what the verb of a command line needs. Returns the command line with the resource as the command is named:
 * `roleBindings` becomes `role-bindings`, and `help` becomes `--help`. Throws a USAGE Failure if there is no such
 * command or resource.
 */
export async function expandVerb(program: Command, args: string[]): Promise<string[]> {
  const [first, second] = args;
  if (first !== "complete" || second !== "--") {
    const ordered = await withoutAlias(await verbFirst(program, args));
    const asked = withHelpLast(program, ordered, (name) => name in texts);
    const known = await expandWords(program, asked);
    await checkWords(program, known);
    return known;
  }
  const words = await expandForCompletion(program, args.slice(2));
  const { addCompletions: addAnswers } = await import("../completion.ts");
  await addAnswers(program, words);
  return ["complete", "--", ...words];
}

/** Returns `get tag-rules` for `tag-rules get`, because many people type the resource first. */
async function verbFirst(program: Command, args: string[]): Promise<string[]> {
  const [noun = "", verb = "", ...rest] = args;
  if (!(verb in texts) || program.commands.some((command) => command.name() === noun)) return args;
  const { resourceNamed, verbs } = await import("../../resources/catalog.ts");
  const isVerb = (verbs as readonly string[]).includes(verb);
  return isVerb && resourceNamed(noun) ? [verb, noun, ...rest] : args;
}

/** Expands a line that is being typed. A resource that is not complete is not an error. */
async function expandForCompletion(program: Command, typed: string[]): Promise<string[]> {
  const words = await withoutAlias(await verbFirst(program, typed));
  // The last word is not finished.
  const [verb = "", ...rest] = words;
  const known = rest.length > 1 ? words : [verb];
  try {
    const done = await expandWords(program, known);
    return rest.length > 1 ? done : words;
  } catch {
    return words;
  }
}

async function expandWords(program: Command, args: string[]): Promise<string[]> {
  const index = args.findIndex((word) => !word.startsWith("-") && word !== "help");
  const command = program.commands.find((candidate) => candidate.name() === args[index]);
  if (!command || !(command.name() in texts)) return args;
  const next = args[index + 1];
  const word = next === undefined || next.startsWith("-") ? undefined : next;
  // After a resource or an RPC, the option belongs to that command.
  if (!word && ["list", "call"].includes(command.name())) {
    addDocumentOptions(command);
  }
  const { addResourceCommands: fill } = await import("./resources.ts");
  const name = fill(command, word);
  return name === undefined ? args : args.with(index + 1, name);
}

/** Adds `completion`, which prints a script that runs `platformctl complete -- WORDS`. */
export function addCompletion(program: Command): void {
  withExamples(
    program
      .command("completion")
      .description("Print a script that completes commands and resources in your shell.")
      .addArgument(new Argument("<shell>").choices(["bash", "zsh", "fish", "powershell"])),
    "source <(platformctl completion bash)                        # in ~/.bashrc",
    "source <(platformctl completion zsh)                         # in ~/.zshrc",
    "platformctl completion fish > ~/.config/fish/completions/platformctl.fish",
  ).action(async (shell: string) => {
    if (shell === "bash") {
      const file = join(projectRoot, "cli/commands/completion.bash");
      here().stdout.write(readFileSync(file, "utf8"));
      return;
    }
    const { script } = await import("@bomb.sh/tab");
    script(shell, "platformctl", "platformctl");
  });
}
