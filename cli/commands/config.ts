/** `platformctl config`: named contexts, each with the address of a platform and a group. */
import { type Command, InvalidArgumentError } from "commander";
import {
  type Context,
  changeContexts,
  contextName,
  readContexts,
  requireContext,
  usedSettings,
} from "../account/contexts.ts";
import { defaultPlatformUrl } from "../account/credentials.ts";
import { loginEnd, readLogins } from "../account/logins.ts";
import { usageFailure } from "../failure.ts";
import { withoutControls } from "../resources/cells.ts";
import { optionNamed } from "../resources/options.ts";
import { here } from "../surroundings.ts";
import {
  addJsonOption,
  type JsonOption,
  parseHttpUrl,
  printAnswer,
  withExamples,
} from "./answer.ts";

const description = `Name the platforms that you use, each with a group if you like.

A command uses the context of --context, otherwise PLATFORM_URL and PLATFORM_GROUP,
otherwise the current context, otherwise the platform that \`npm start\` runs in
this checkout. An option such as --group is always first. The group of the current
context counts only for the address of that context.`;

/** Adds `config` and its subcommands. */
export function addConfig(program: Command): void {
  const config = withExamples(
    program
      .command("config")
      .summary("Name the platforms and groups that you use.")
      .description(description),
    "platformctl config set production --url https://api.example.com --group acme.example --use",
    "platformctl --context production list repos",
    "platformctl config show",
  );
  addJsonOption(
    config.command("list").description("List the contexts. An asterisk marks the current one."),
    "platformctl config list",
  ).action(list);
  addJsonOption(
    config
      .command("show")
      .description("Show the platform, the group and the login in use, and where each comes from."),
    "platformctl config show",
    "platformctl config show --context production --jq .url.value",
  ).action(show);
  addJsonOption(
    config
      .command("set")
      .description("Create a context, or change it. An empty value removes a setting.")
      .argument("<name>", "Name of the context, such as production.")
      .option("--url <url>", "Address of the platform.", contextUrl)
      .addOption(optionNamed("group"))
      .option("--use", "Also make it the current context."),
    "platformctl config set production --url https://api.example.com --group acme.example",
    "platformctl config set production --group ''",
  ).action(set);
  addJsonOption(
    config
      .command("use")
      .description("Make a context the current one.")
      .argument("[name]", "Name of the context.")
      .option("--none", "Use no context from now on."),
    "platformctl config use production",
    "platformctl config use --none",
  ).action(use);
  addJsonOption(
    config
      .command("delete")
      .description("Delete a context. A login to its platform remains: see auth logout.")
      .argument("<name>", "Name of the context."),
    "platformctl config delete production",
  ).action(remove);
}

function contextUrl(text: string): string {
  if (text === "") return text;
  const url = parseHttpUrl(text);
  const { username, password, search, hash } = new URL(url);
  if (username || password || search || hash)
    throw new InvalidArgumentError("It must not contain a user, a query or a fragment.");
  return url;
}

async function list(options: JsonOption): Promise<void> {
  const { current, contexts } = await readContexts(here().env);
  const all = Object.entries(contexts)
    .map(([name, context]) => ({ name, ...context, isCurrent: name === current }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const width = (key: "name" | "url") =>
    Math.max(0, ...all.map((context) => (context[key] ?? "-").length));
  const lines = all.map(({ name, url = "-", group = "-", isCurrent }) => {
    const mark = isCurrent ? "*" : " ";
    if (!here().stdout.isTTY) return [mark.trim(), name, url, group].join("\t");
    return `${mark} ${name.padEnd(width("name"))}  ${url.padEnd(width("url"))}  ${group}`.trimEnd();
  });
  const none = "There are no contexts. To create one, run: platformctl config set NAME --url URL";
  if (all.length === 0 && !options.json) here().stderr.write(`${none}\n`);
  else printAnswer(options, { contexts: all }, withoutControlsOf(lines));
}

const withoutControlsOf = (lines: string[]) =>
  lines.map((line) => line.split("\t").map(withoutControls).join("\t")).join("\n");

async function show(options: JsonOption): Promise<void> {
  const { context, url, group } = usedSettings(here().env);
  const address = await defaultPlatformUrl(here().env);
  const login = (await readLogins(here().env))[address];
  const value = {
    context,
    url: { value: address, source: url.source || "this checkout, or the usual local address" },
    group,
    login: login ? { expiry: loginEnd(login) } : null,
  };
  const line = (
    name: string,
    { value: text, source }: { value?: string | undefined; source: string },
  ) => `${name.padEnd(10)}${text === undefined ? "none" : `${text}  (${source})`}`;
  const lines = [
    line("Context", context),
    line("Platform", value.url),
    line("Group", group),
    `Login     ${login ? `until ${loginEnd(login)}` : "none"}`,
  ];
  printAnswer(options, value, withoutControlsOf(lines));
}

async function set(
  asked: string,
  options: JsonOption & { url?: string; group?: string; use?: boolean },
): Promise<void> {
  const name = contextName(asked);
  const { url, group, use: isUsed } = options;
  if (url === undefined && group === undefined)
    throw usageFailure("There is nothing to set. Add --url or --group.");
  const { contexts } = await changeContexts(here().env, (before) => {
    const old = Object.hasOwn(before.contexts, name) ? before.contexts[name] : undefined;
    const merged = {
      ...old,
      ...(url !== undefined && { url }),
      ...(group !== undefined && { group }),
    };
    const context: Context = Object.fromEntries(
      Object.entries(merged).filter(([, text]) => text !== ""),
    );
    if (!context.url && !context.group)
      throw usageFailure(
        `Nothing would be left of ${name}. To delete it, run: platformctl config delete ${name}`,
      );
    return {
      ...before,
      ...(isUsed ? { current: name } : {}),
      contexts: { ...before.contexts, [name]: context },
    };
  });
  const context = requireContext({ contexts }, name);
  const values = [context.url, context.group && `group ${context.group}`].filter(Boolean);
  printAnswer(options, { name, ...context }, withoutControls(`${name}: ${values.join(", ")}`));
}

async function use(
  asked: string | undefined,
  options: JsonOption & { none?: boolean },
): Promise<void> {
  if ((asked === undefined) !== Boolean(options.none))
    throw usageFailure("Add the name of a context, or --none.");
  await changeContexts(here().env, ({ current: _, ...before }) => {
    if (asked === undefined) return before;
    requireContext(before, asked);
    return { ...before, current: asked };
  });
  const text = asked === undefined ? "No context is in use." : `${asked} is in use.`;
  printAnswer(options, { current: asked ?? null }, text);
}

async function remove(name: string, options: JsonOption): Promise<void> {
  await changeContexts(here().env, ({ current, contexts }) => {
    requireContext({ contexts }, name);
    const { [name]: _, ...others } = contexts;
    return { ...(current !== undefined && current !== name && { current }), contexts: others };
  });
  printAnswer(options, { deleted: name }, `Deleted the context ${name}.`);
}
