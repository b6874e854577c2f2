/**
 * The source files of the project, their names and their lengths. Biome has only one limit for the lines of a file, and
 * no list of names that are not allowed.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, posix, sep } from "node:path";

const sourceFolders = [
  "src",
  "schema",
  "client",
  "mcp",
  "site",
  "console",
  "cli",
  "bench",
  "examples",
  "test",
  ".ci",
];
const excludedPaths = /^(?:schema\/(?:gen|third_party)|site\/dist|client\/(?:gen|dist))\//;
const source = /\.(?:ts|tsx|mts|js|mjs)$/;

/**
 * The top-level folders whose imports dependency-cruiser checks. Tests may import anything, and `console.ts` checks the
 * console.
 */
export const walled = sourceFolders.filter((room) => room !== "test" && room !== "console");

/** Names that say nothing about the content. */
const forbiddenNames = [
  "utils",
  "util",
  "helpers",
  "helper",
  "common",
  "misc",
  "lib",
  "shared",
].concat(["core", "types", "constants"]);

/** In lines. A file over the first limit should be split, and a file over the second one must be. */
export const lengths = { warn: 250, fail: 400 };

/** Returns every source file that is written by hand, relative to the project, with `/` between folders. */
export function sourceFiles(root: string): string[] {
  return sourceFolders
    .flatMap((room) => listFiles(join(root, room)).map((path) => `${room}/${path}`))
    .filter((path) => source.test(path) && !excludedPaths.test(path))
    .sort();
}

function listFiles(folder: string): string[] {
  try {
    const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
    return paths.map((path) => path.replaceAll(sep, "/"));
  } catch {
    return [];
  }
}

/** Returns a complaint for every file or folder on the path whose name says nothing. */
export function nameBreaches(path: string): string[] {
  return path
    .split("/")
    .filter((part) => forbiddenNames.includes(part.split(".")[0] ?? ""))
    .map((part) => `${path}: ${part} says nothing about the content`);
}

/** Returns complaints about lengths: failures and warnings. */
export function lengthBreaches(path: string, text: string): { fail: string[]; warn: string[] } {
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  const words = [`${path} has ${lines} lines`];
  if (lines > lengths.fail) return { fail: words, warn: [] };
  return { fail: [], warn: lines > lengths.warn ? words : [] };
}

const importForms = [
  // import … from, export … from, over several lines as well
  /(?:^|[;}\n])[ \t]*(?:import|export)\s+[\w$*{}\s,]*?\bfrom\s*["']([^"'\n]+)["']/g,
  /(?:^|[;}\n])[ \t]*import\s*["']([^"'\n]+)["']/g,
  /\b(?:import|require)\s*\(\s*["'`]([^"'`\n]+)["'`]/g,
];

/** The names of all modules that a module imports, including imports of types. */
export function importsOf(text: string): string[] {
  return importForms.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = ""]) => name));
}

const computed = /\bimport\s*\(\s*[^"'`\s]/;
const typeWithin = /\btypeof\s+import\s*\(\s*["'`]\.|\bimport\s*\(\s*["'`]\.[^()]*\)\s*\.\s*[A-Z]/;

/** Returns complaints about imports that dependency-cruiser does not see. */
export function unseenImports(path: string, text: string): string[] {
  const complaints: string[] = [];
  if (path.startsWith("src/") && computed.test(text)) {
    complaints.push(`${path} imports a module whose name it computes`);
  }
  if (!path.startsWith("test/") && typeWithin.test(text)) {
    complaints.push(`${path} imports a type within an expression; use import type`);
  }
  return complaints;
}

/**
 * Returns the circles of imports between modules, each as the paths from a module back to itself. dependency-cruiser does
 * not read TSX, and no tests.
 */
export function importCircles(files: { path: string; text: string }[]): string[][] {
  const known = new Map(
    files.map(({ path, text }) => [
      path,
      importsOf(text)
        .filter((name) => name.startsWith("."))
        .map((name) => posix.join(posix.dirname(path), name)),
    ]),
  );
  const circles: string[][] = [];
  const done = new Set<string>();
  const visit = (path: string, above: string[]): void => {
    if (above.includes(path)) circles.push([...above.slice(above.indexOf(path)), path]);
    if (done.has(path) || above.includes(path)) return;
    for (const name of known.get(path) ?? []) visit(name, [...above, path]);
    done.add(path);
  };
  for (const path of known.keys()) visit(path, []);
  return circles;
}

const commandFile = /^cli\/(account|apply|commands|history|images|import|lock|mcp|resources)\//;
const entryPoint = /^cli\/commands\/(main|docker_credential)\.ts$/;
const ofProcess = /\bprocess\.(argv|cwd|env|exitCode|off|on|once|std(in|out|err))\b|\bconsole\./;

/** Returns a complaint if a command uses its process, which a test cannot hand in, in place of `here()`. */
export function processUses(path: string, text: string): string[] {
  if (!commandFile.test(path) || entryPoint.test(path)) return [];
  const index = text.split("\n").findIndex((line) => ofProcess.test(line));
  return index < 0
    ? []
    : [`${path}:${index + 1} uses the process; take it from here() (cli/surroundings.ts)`];
}

/** Checks the names, the lengths, the imports and the uses of the process of these files. */
export function checkFiles(root: string, paths: string[]): { fail: string[]; warn: string[] } {
  const texts = paths.map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
  const long = texts.map(({ path, text }) => lengthBreaches(path, text));
  const unseen = texts.flatMap(({ path, text }) => unseenImports(path, text));
  const circles = importCircles(texts).map(
    (paths) => `${paths[0]} imports itself: ${paths.join(" → ")}`,
  );
  const used = texts.flatMap(({ path, text }) => processUses(path, text));
  return {
    fail: [
      ...paths.flatMap(nameBreaches),
      ...unseen,
      ...circles,
      ...used,
      ...long.flatMap(({ fail }) => fail),
    ],
    warn: long.flatMap(({ warn }) => warn),
  };
}
