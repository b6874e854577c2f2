/** Image references in a devcontainer.json, which is JSON with comments (Development Container Specification). */
import { findNodeAtLocation, type Node, type ParseError, parseTree } from "jsonc-parser";
import { addProblem, addReference, type FoundReferences } from "./references.ts";
import { markLength } from "./source.ts";
import { traced } from "./traced.ts";

/** A file that a devcontainer names, relative to the folder of its devcontainer.json. */
export type LinkedFile = { path: string; kind: "dockerfile" | "compose" };

/** Adds the references of the file. Returns the other files that it names. */
export function readDevcontainer(references: FoundReferences): LinkedFile[] {
  const { source } = references;
  const base = markLength(source.text);
  const root = parse(references, source.text.slice(base), base);
  if (!root) return [];
  const nodeAt = (...path: string[]) => findNodeAtLocation(root, path);
  addString(references, nodeAt("image"), base);
  for (const { children: [key] = [] } of nodeAt("features")?.children ?? []) {
    // The tool that reads features takes a tag or a digest, and refuses both.
    addString(references, key, base, true);
  }
  const dockerfiles = [nodeAt("build", "dockerfile"), nodeAt("dockerFile")].flatMap(stringsOf);
  const composes = [nodeAt("dockerComposeFile")].flatMap(stringsOf);
  return [
    ...dockerfiles.map((path): LinkedFile => ({ path, kind: "dockerfile" })),
    ...composes.map((path): LinkedFile => ({ path, kind: "compose" })),
  ];
}

function parse(references: FoundReferences, text: string, base: number): Node | undefined {
  const errors: ParseError[] = [];
  try {
    const root = parseTree(text, errors, { allowTrailingComma: true });
    const [error] = errors;
    if (!error) return root;
    addProblem(
      references,
      base + error.offset,
      "This is not JSON with comments, so it was not read.",
    );
  } catch (thrown) {
    // The parser calls itself for each level.
    if (!(thrown instanceof RangeError)) throw thrown;
    addProblem(references, base, "It has too many levels, so it was not read.");
  }
  return undefined;
}

/** Returns a string, or the strings of an array. */
function stringsOf(node: Node | undefined): string[] {
  if (node?.type === "string") return [String(node.value)];
  return node?.type === "array" ? (node.children ?? []).flatMap(stringsOf) : [];
}

function addString(
  references: FoundReferences,
  node: Node | undefined,
  base: number,
  isFixed = false,
): void {
  if (node?.type !== "string") return;
  const value = String(node.value);
  const start = base + node.offset + 1;
  // A string with escapes is shorter than its text.
  if (value.length !== node.length - 2) {
    if (value.includes(`${references.host}/`)) {
      addProblem(
        references,
        start,
        "The reference is written with escapes. Write it without them.",
      );
    }
    return;
  }
  const [, missing] = /\$\{([^}]*)\}/.exec(value) ?? [];
  addReference(references, { chars: traced(value, start), offset: start, missing, isFixed });
}
