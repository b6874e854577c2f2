/** The source files of the project: which there are, how they are named, how long they are. */
import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";

const rooms = ["src", "schema", "client", "site", "cli", "bench", "test", ".ci"];
const notOurs = /^(?:schema\/(?:gen|third_party)|site\/dist|client\/(?:gen|dist))\//;
const source = /\.(?:ts|mts|js|mjs)$/;

/** Names that say nothing of what is inside. */
const emptyNames = ["utils", "util", "helpers", "helper", "common", "misc", "lib", "shared"].concat(
  ["core", "types", "constants"],
);

/** Lines: past the first a file asks to be split, past the second it is. */
export const lengths = { warn: 250, fail: 400 };

/** Every source file written by hand, relative to the project, with `/` between folders. */
export function sourceFiles(root: string): string[] {
  return rooms
    .flatMap((room) => list(join(root, room)).map((path) => `${room}/${path}`))
    .filter((path) => source.test(path) && !notOurs.test(path))
    .sort();
}

function list(folder: string): string[] {
  try {
    const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
    return paths.map((path) => path.replaceAll(sep, "/"));
  } catch {
    return [];
  }
}

/** A complaint for every file or folder on the path whose name says nothing. */
export function nameBreaches(path: string): string[] {
  return path
    .split("/")
    .filter((part) => emptyNames.includes(part.split(".")[0] ?? ""))
    .map((part) => `${path}: ${part} says nothing of what is inside`);
}

/** Complaints about lengths: those that fail and those that only warn. */
export function lengthBreaches(path: string, text: string): { fail: string[]; warn: string[] } {
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  const words = [`${path} has ${lines} lines`];
  if (lines > lengths.fail) return { fail: words, warn: [] };
  return { fail: [], warn: lines > lengths.warn ? words : [] };
}

/** Names and lengths of these files. */
export function checkFiles(root: string, paths: string[]): { fail: string[]; warn: string[] } {
  const long = paths.map((path) => lengthBreaches(path, readFileSync(join(root, path), "utf8")));
  return {
    fail: [...paths.flatMap(nameBreaches), ...long.flatMap(({ fail }) => fail)],
    warn: long.flatMap(({ warn }) => warn),
  };
}
