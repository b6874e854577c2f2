/** Reads the files of `apply`: YAML or JSON, with the position of each value for errors. */
import { readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Document, Node, Pair } from "yaml";
import { reasonOf, usageFailure } from "../failure.ts";
import { readInput } from "../resources/input.ts";

/** A value of a file with the place of each part of it, for errors. */
export type Source = {
  value: unknown;
  /** Returns `file:line` for the value at a path of keys and indexes, or for the nearest value above it. */
  locate: (path: (string | number)[]) => string;
};

/** Files beyond these sizes are mistakes. */
const limits = { bytes: 10 * 1024 * 1024, documents: 1000 };

const load = createRequire(import.meta.url);

/**
 * Returns the documents of files, of all `.yaml`, `.yml` and `.json` files in folders and below, and of standard input
 * for `-`. A list is the same as several documents. Throws a USAGE Failure that names the file and the line.
 */
export function readSources(paths: string[]): Source[] {
  const sources = paths.flatMap(filesAt).flatMap(documentsIn);
  if (sources.length === 0) throw usageFailure(`There are no documents in ${paths.join(", ")}.`);
  if (sources.length > limits.documents)
    throw usageFailure(
      `There are ${sources.length} documents. At most ${limits.documents} can be applied at once.`,
    );
  return sources;
}

function filesAt(path: string): string[] {
  if (path === "-") return [path];
  const isFolder = reading(path, () => statSync(path).isDirectory());
  if (!isFolder) return [path];
  const names = reading(path, () => readdirSync(path, { recursive: true, encoding: "utf8" }));
  const files = names
    .filter((name) => /\.(ya?ml|json)$/.test(name))
    .toSorted()
    .map((name) => join(path, name))
    .filter((file) => reading(file, () => statSync(file).isFile()));
  if (files.length === 0) throw usageFailure(`${path} contains no .yaml, .yml or .json file.`);
  return files;
}

function reading<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw usageFailure(`Cannot read ${path}: ${reasonOf(error)}`);
  }
}

function documentsIn(path: string): Source[] {
  const name = path === "-" ? "standard input" : path;
  const content = reading(name, () => readInput(path));
  if (content.length > limits.bytes) throw usageFailure(`${name} is larger than 10 MiB.`);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    throw usageFailure(`${name} is not UTF-8.`);
  }
  // Loaded here because few commands need it.
  const yaml: typeof import("yaml") = load("yaml");
  const lines = new yaml.LineCounter();
  const documents = yaml.parseAllDocuments(text, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number) => `${name}:${lines.linePos(offset).line}`;
  return [...documents].flatMap((document) => {
    const [problem] = [...document.errors, ...document.warnings];
    if (problem) throw usageFailure(`${lineAt(problem.pos[0])}: ${problem.message}`);
    return sourcesOf(document, lineAt);
  });
}

function sourcesOf(document: Document, lineAt: (offset: number) => string): Source[] {
  const value = readValue(document, lineAt);
  const locate = (path: (string | number)[]): string => lineAt(offsetOf(document, path));
  // An empty document, such as one with only comments.
  if (value === null) return [];
  if (!Array.isArray(value)) return [{ value, locate }];
  return value.map((item: unknown, index) => ({
    value: item,
    locate: (path) => locate([index, ...path]),
  }));
}

function readValue(document: Document, lineAt: (offset: number) => string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    // Aliases that multiply the size of the document.
    throw usageFailure(`${lineAt(document.range?.[0] ?? 0)}: ${reasonOf(error)}`);
  }
}

/** Returns the offset of the key or the item at a path, otherwise that of the nearest one above it. */
function offsetOf(document: Document, path: (string | number)[]): number {
  const last = path.at(-1);
  const above = path.slice(0, -1);
  const parent = (above.length > 0 ? document.getIn(above, true) : document.contents) as
    | (Node & { items?: (Pair | Node)[] })
    | undefined;
  const item = parent?.items?.find((entry, index) =>
    "key" in entry ? (entry.key as { value?: unknown }).value === last : index === last,
  );
  const node = (item && "key" in item ? item.key : item) as Node | undefined;
  const offset = node?.range?.[0];
  if (offset !== undefined) return offset;
  if (path.length > 0) return offsetOf(document, above);
  return document.contents?.range?.[0] ?? document.range?.[0] ?? 0;
}
