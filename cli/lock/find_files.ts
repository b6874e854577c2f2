/** The files below a folder that can contain image references. */
import { existsSync, type Stats } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import ignore, { type Ignore } from "ignore";
import { usageFailure } from "../failure.ts";

/** The kind of a file, by its name. The content decides about YAML with other names. */
export type FileKind = "dockerfile" | "compose" | "values" | "yaml" | "devcontainer";

export type CandidateFile = {
  /** Relative to the current folder, with `/` between folders. */
  path: string;
  kind: FileKind;
  /** Whether the user or another file names it, so that it is an error if it cannot be read. */
  isNamed: boolean;
};

const kinds: [FileKind, RegExp][] = [
  ["devcontainer", /^\.?devcontainer\.json$/],
  [
    "dockerfile",
    /^(?:dockerfile|containerfile)(?!.*\.dockerignore$)|\.(?:dockerfile|containerfile)$/i,
  ],
  ["compose", /^(?:docker-)?compose.*\.ya?ml$/],
  ["values", /(?:^|[^a-z])values(?:[^a-z].*)?\.ya?ml$/i],
  ["yaml", /\.ya?ml$/],
];

/** Folders that contain the files of others. */
const skippedFolders = [".git", "node_modules"];

/** Returns the kind of a file, or undefined if its name says nothing. */
export const kindOf = (path: string): FileKind | undefined =>
  kinds.find(([, form]) => form.test(basename(path)))?.[0];

/**
 * Returns the candidates below these paths, in the order of their names. It does not follow symbolic links, and leaves
 * out what .gitignore files exclude. Throws a USAGE Failure for a path that does not exist or has no kind.
 */
export async function findFiles(cwd: string, paths: string[]): Promise<CandidateFile[]> {
  const byPath = new Map<string, CandidateFile>();
  for (const path of paths.length > 0 ? paths : ["."]) {
    const full = resolve(cwd, path);
    const stats = await stat(full).catch((): undefined => undefined);
    if (!stats) throw usageFailure(`${path} does not exist.`);
    const files = stats.isDirectory()
      ? await walk(cwd, full, await rulesAbove(full))
      : [namedFile(cwd, full, stats)];
    for (const file of files) {
      const other = byPath.get(file.path);
      if (!other || file.isNamed) byPath.set(file.path, file);
    }
  }
  return [...byPath.values()].sort((file, other) => (file.path < other.path ? -1 : 1));
}

/** Returns a path below the current folder as messages show it. */
export const shownPath = (cwd: string, full: string): string =>
  relative(cwd, full).split(sep).join("/");

function namedFile(cwd: string, full: string, stats: Stats): CandidateFile {
  const path = shownPath(cwd, full);
  const kind = kindOf(full);
  if (!stats.isFile()) throw usageFailure(`${path} is not a file.`);
  if (kind) return { path, kind, isNamed: true };
  throw usageFailure(
    `${path} has no name that this command knows: Dockerfile, compose.yaml, values.yaml, devcontainer.json or any *.yaml.`,
  );
}

/** The rules of a .gitignore file, for paths below its folder. */
type IgnoreRules = { folder: string; rules: Ignore };

async function walk(cwd: string, folder: string, above: IgnoreRules[]): Promise<CandidateFile[]> {
  const all = [...above, ...(await rulesIn(folder))];
  const entries = await readdir(folder, { withFileTypes: true });
  const files: CandidateFile[] = [];
  for (const entry of entries) {
    const full = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (skippedFolders.includes(entry.name) || isIgnored(all, full, true)) continue;
      files.push(...(await walk(cwd, full, all)));
    } else if (entry.isFile()) {
      const kind = kindOf(entry.name);
      if (kind && !isIgnored(all, full, false)) {
        files.push({ path: shownPath(cwd, full), kind, isNamed: false });
      }
    }
  }
  return files;
}

async function rulesIn(folder: string): Promise<IgnoreRules[]> {
  const text = await readFile(join(folder, ".gitignore"), "utf8").catch((): undefined => undefined);
  return text === undefined ? [] : [{ folder, rules: ignore().add(text) }];
}

/** Returns the rules of the folders between the top of the checkout and this folder. */
async function rulesAbove(folder: string): Promise<IgnoreRules[]> {
  const folders: string[] = [];
  for (let parent = folder; !existsSync(join(parent, ".git")); parent = dirname(parent)) {
    if (dirname(parent) === parent) return [];
    folders.unshift(dirname(parent));
  }
  return (await Promise.all(folders.map(rulesIn))).flat();
}

/** The rules of the nearest folder that say anything decide, as in git. */
function isIgnored(all: IgnoreRules[], full: string, isFolder: boolean): boolean {
  for (const { folder, rules } of all.toReversed()) {
    const path = relative(folder, full).split(sep).join("/");
    const { ignored, unignored } = rules.test(isFolder ? `${path}/` : path);
    if (ignored || unignored) return ignored;
  }
  return false;
}

/** Whether a path leads out of a folder. Both are absolute, without symbolic links. */
export function isOutside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way);
}
