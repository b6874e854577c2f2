/**
 * Named contexts, in $XDG_CONFIG_HOME/platform/contexts.json: the address of a platform, and a group. Only the user can
 * read the file. Logins are stored by address, so contexts contain no secrets.
 */
import { readFile } from "node:fs/promises";
import { hasCode, usageFailure } from "../failure.ts";
import { configFile, withLockOf, writePrivate } from "./private_files.ts";

/** The values of a context. Without a `url`, it is for whichever platform is in use. */
export type Context = { url?: string; group?: string };

export type Contexts = { current?: string; contexts: Record<string, Context> };

/** Names that need no quotes in a shell. */
const namePattern = /^\w[\w.-]{0,62}$/;

/** Returns a name. Throws a USAGE Failure. */
export function contextName(text: string): string {
  if (namePattern.test(text) && text !== "__proto__") return text;
  throw usageFailure(
    `The name of a context has at most 63 letters, digits, dots, dashes and underscores. It is: ${JSON.stringify(text)}`,
  );
}

/** Returns the contexts, or none if there is no file. Throws a USAGE Failure if the file cannot be read. */
export async function readContexts(env: NodeJS.ProcessEnv): Promise<Contexts> {
  const file = configFile(env, "contexts.json");
  try {
    const value: unknown = JSON.parse(await readFile(file, "utf8"));
    if (isContexts(value)) return value;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return { contexts: {} };
  }
  throw usageFailure(
    `Cannot read ${file}. Delete it and create your contexts again: platformctl config set NAME --url URL`,
  );
}

function isContexts(value: unknown): value is Contexts {
  if (typeof value !== "object" || value === null || !("contexts" in value)) return false;
  const { current, contexts } = value as { current?: unknown; contexts: unknown };
  if (typeof contexts !== "object" || contexts === null) return false;
  const isText = (value: unknown) => value === undefined || typeof value === "string";
  const isContext = ([name, context]: [string, unknown]) =>
    namePattern.test(name) &&
    typeof context === "object" &&
    context !== null &&
    Object.entries(context).every(([key, text]) => ["url", "group"].includes(key) && isText(text));
  return isText(current) && Object.entries(contexts).every(isContext);
}

/** Replaces the contexts with the result of `change`, while no other program changes them. */
export const changeContexts = async (
  env: NodeJS.ProcessEnv,
  change: (before: Contexts) => Contexts,
): Promise<Contexts> => {
  const file = configFile(env, "contexts.json");
  return withLockOf(file, async () => {
    const after = change(await readContexts(env));
    await writePrivate(file, `${JSON.stringify(after, null, 2)}\n`);
    return after;
  });
};

/** Returns the context with a name. Throws a USAGE Failure that lists the contexts. */
export function requireContext({ contexts }: Contexts, name: string): Context {
  const context = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  if (context) return context;
  const names = Object.keys(contexts).toSorted();
  throw usageFailure(
    `There is no context ${JSON.stringify(name)}.\n` +
      (names.length > 0
        ? `The contexts are: ${names.join(", ")}`
        : "To create it, run: platformctl config set NAME --url URL"),
  );
}

/** A setting, and where it comes from. Without a value, the platform of this checkout or the usual address is used. */
export type Setting = { value: string | undefined; source: string };

/** The settings that commands use. */
export type Settings = { context: Setting; url: Setting; group: Setting };

/**
 * Decides the settings. Each value comes from the context that `--context` names, otherwise from the environment,
 * otherwise from the current context. The group of the current context is only for its own platform. Throws a USAGE
 * Failure if there is no such context.
 */
export function settingsOf(
  env: NodeJS.ProcessEnv,
  stored: Contexts,
  named: string | undefined,
): Settings {
  const { PLATFORM_URL: url, PLATFORM_GROUP: group } = env;
  const unset = { value: undefined, source: "" };
  const asked = { url: url || undefined, group: group || undefined };
  const name = named ?? stored.current;
  const context = name === undefined ? {} : requireContext(stored, name);
  const isOther =
    named === undefined && asked.url !== undefined && asked.url.replace(/\/+$/, "") !== context.url;
  // A context without an address is for every platform.
  const own = isOther && context.url !== undefined ? {} : context;
  const source = named === undefined ? `context ${name}` : `--context ${name}`;
  const pick = (key: "url" | "group", variable: string): Setting => {
    const theirs = { value: asked[key], source: variable };
    const ours = { value: own[key], source };
    const [first, second] = named === undefined ? [theirs, ours] : [ours, theirs];
    return [first, second].find(({ value }) => value !== undefined) ?? unset;
  };
  return {
    context:
      name === undefined
        ? unset
        : { value: name, source: named === undefined ? "current" : "--context" },
    url: pick("url", "PLATFORM_URL"),
    group: pick("group", "PLATFORM_GROUP"),
  };
}

/** The settings of a command, by its environment. */
const used = new WeakMap<NodeJS.ProcessEnv, Settings>();

/**
 * Puts the settings into the environment, which every command reads. `named` is the context of `--context`. Throws a
 * USAGE Failure.
 */
export async function useContext(env: NodeJS.ProcessEnv, named: string | undefined): Promise<void> {
  const settings = settingsOf(env, await readContexts(env), named);
  const { url, group } = settings;
  used.set(env, settings);
  if (url.value !== undefined) env.PLATFORM_URL = url.value;
  if (group.value !== undefined) env.PLATFORM_GROUP = group.value;
}

/** Returns the settings that `useContext` decided, for `config show`. */
export const usedSettings = (env: NodeJS.ProcessEnv): Settings =>
  used.get(env) ?? settingsOf(env, { contexts: {} }, undefined);

const flag = "--context";

/**
 * Takes `--context NAME` out of a command line, wherever it is, because commands are found by their position. Returns
 * the rest, and the name. Throws a USAGE Failure if there is no name, or a second one.
 */
export function takeContext(args: string[]): { rest: string[]; named: string | undefined } {
  const isCompletion = args[0] === "complete" && args[1] === "--";
  const end = args.indexOf("--", isCompletion ? 2 : 0);
  const within = (position: number) => position >= 0 && (end < 0 || position < end);
  const index = args.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  if (!within(index)) return { rest: args, named: undefined };
  const isJoined = args[index] !== flag;
  const name = isJoined ? args[index]?.slice(flag.length + 1) : args[index + 1];
  // The last word of a completion is not finished.
  if (isCompletion && index + (isJoined ? 0 : 1) >= args.length - 1)
    return { rest: args, named: undefined };
  if (!name) throw usageFailure(`${flag} needs the name of a context.`);
  const rest = args.toSpliced(index, isJoined ? 1 : 2);
  if (!isCompletion && takeContext(rest).named !== undefined)
    throw usageFailure(`${flag} is given twice.`);
  return { rest, named: name };
}
