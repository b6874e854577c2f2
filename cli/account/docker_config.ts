/**
 * The files where clients of registries look for the credential helper of a registry: docker's config.json, and the
 * auth.json of podman, buildah and skopeo. Both have `credHelpers`, with a helper for each host.
 */
import { randomUUID } from "node:crypto";
import { readFile, realpath, rename, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { applyEdits, type ModificationOptions, modify } from "jsonc-parser";
import { hasCode, reasonOf, usageFailure } from "../failure.ts";
import { withLockOf } from "./private_files.ts";

/** The name that clients complete to `docker-credential-platform`. */
export const helperName = "platform";

/** A change of a file. `before` is the helper that the host had, and `after` the one that it has. */
export type HelperChange = {
  file: string;
  before: string | undefined;
  after: string | undefined;
};

/**
 * Returns the files to change: docker's, and that of REGISTRY_AUTH_FILE, because podman, buildah and skopeo look there
 * first.
 */
export function helperFiles(env: NodeJS.ProcessEnv): string[] {
  const docker = env.DOCKER_CONFIG || join(env.HOME || homedir(), ".docker");
  const other = env.REGISTRY_AUTH_FILE;
  return [join(docker, "config.json"), ...(other ? [other] : [])];
}

/**
 * Names our helper for a host in a file, or removes it. Everything else in the file keeps its bytes. Another helper of the
 * host is replaced, but not removed. Throws a USAGE Failure if the file is not what clients can read.
 */
export const setHelper = (file: string, host: string, isWanted: boolean): Promise<HelperChange> =>
  withLockOf(file, async () => {
    const text = await readText(file);
    const before = helperOf(file, text, host);
    const after = isWanted ? helperName : before === helperName ? undefined : before;
    if (before !== after) await replace(file, edited(text, host, after));
    return { file, before, after };
  });

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return "";
    throw usageFailure(`Cannot read ${file}: ${reasonOf(error)}`);
  }
}

/** Returns the helper of a host. Throws if the text is not an object, or `credHelpers` is not one of texts. */
function helperOf(file: string, text: string, host: string): string | undefined {
  if (text.trim() === "") return undefined;
  const { credHelpers = {} } = readObject(file, "the file", parse(file, text));
  const helper = readObject(file, "credHelpers", credHelpers)[host];
  if (helper === undefined || typeof helper === "string") return helper;
  throw broken(file, `the entry of ${host} in credHelpers is not a text`);
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw broken(file, reasonOf(error));
  }
}

function readObject(file: string, what: string, value: unknown): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw broken(file, `${what} is not a JSON object`);
}

const broken = (file: string, reason: string) =>
  usageFailure(`${file} was not changed, because clients cannot read it: ${reason}. Fix it first.`);

/** The text with another helper for the host, or without one. New lines are like the others, or like those of docker. */
function edited(text: string, host: string, helper: string | undefined): string {
  const source = text.trim() === "" ? "{}\n" : text;
  const style = source === text ? styleOf(text) : dockerStyle;
  const isLast =
    helper === undefined && Object.keys(JSON.parse(source).credHelpers ?? {}).length === 1;
  const path = isLast ? ["credHelpers"] : ["credHelpers", host];
  return applyEdits(source, modify(source, path, helper, style));
}

const dockerStyle: ModificationOptions = {
  formattingOptions: { insertSpaces: false, tabSize: 1, eol: "\n" },
};

/** A file in one line stays in one line. */
function styleOf(text: string): ModificationOptions {
  const [, eol, indent = ""] = /^\s*\{(\r?\n)([ \t]+)"/.exec(text) ?? [];
  if (eol === undefined) return {};
  const insertSpaces = !indent.startsWith("\t");
  return { formattingOptions: { insertSpaces, tabSize: indent.length, eol } };
}

/** Replaces a file at once, also one behind a link. The file keeps its mode. A new one is for its owner only. */
async function replace(file: string, text: string): Promise<void> {
  const target = await realpath(file).catch(() => file);
  const mode = await stat(target).then(
    (known) => known.mode & 0o777,
    () => 0o600,
  );
  const next = `${target}.${randomUUID()}.new`;
  try {
    await writeFile(next, text, { mode, flush: true });
    await rename(next, target);
  } catch (error) {
    throw usageFailure(`Cannot write ${file}: ${reasonOf(error)}`);
  }
}
