/** Passages of a file as one document: a linter reads a file faster than its passages one by one. */
import type { Passage } from "./passages.ts";

/** The text, and the line of the file for each line of the text, both counted from 1. */
export type ProseDocument = { text: string; lineOf(line: number): number };

/** Passages become paragraphs of their own. */
export function documentOf(passages: Passage[]): ProseDocument {
  const lines: Passage[] = passages.flatMap(({ line, text }) => [
    ...text.split("\n").map((content, index) => ({ line: line + index, text: content })),
    { line, text: "" },
  ]);
  return {
    text: lines.map(({ text }) => text).join("\n"),
    lineOf: (line) => lines[line - 1]?.line ?? 0,
  };
}
