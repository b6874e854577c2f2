/** The prose of a file: comments of protos, SQL and scripts, and the comments and strings of TypeScript. */
import { type Comment, type Expression, parseSync, Visitor } from "oxc-parser";

/** A piece of prose, in Markdown, and the line of its file where it begins, counted from 1. */
export type Passage = { line: number; text: string };

/** The comments of a proto, one passage for each block of lines. */
export const protoComments = (source: string) => commentLines(source, /^\s*\/\/ ?(.*)$/);

/** The comments of SQL, one passage for each block of lines. */
export const sqlComments = (source: string) => commentLines(source, /^\s*-- ?(?!>)(.*)$/);

/** The comments of TOML, YAML or a shell script, one passage for each block of lines. */
export const hashComments = (source: string) => commentLines(source, /^\s*#(?!!) ?(.*)$/);

function commentLines(source: string, pattern: RegExp): Passage[] {
  const lines = source.split("\n").map((line) => pattern.exec(line)?.[1]);
  return blocks(lines.map((text, index) => ({ line: index + 1, text: text ?? "" })));
}

/** Joins lines that follow each other. A line without text ends a passage. */
function blocks(lines: Passage[]): Passage[] {
  const passages: (Passage & { last: number })[] = [];
  for (const { line, text } of lines) {
    const open = passages.at(-1);
    if (text.trim() === "") continue;
    if (open && open.last === line - 1) {
      open.text += `\n${text}`;
      open.last = line;
    } else passages.push({ line, text, last: line });
  }
  return passages.map(({ line, text }) => ({ line, text }));
}

/** The strings and the comments of a file of TypeScript or JavaScript. */
export function codeProse(path: string, source: string) {
  const { program, comments } = parseSync(path, source);
  const starts = [...source.matchAll(/^/gm)].map(({ index }) => index);
  const lineAt: LineAt = (offset) => starts.findLastIndex((start) => start <= offset) + 1;
  const lineComments = comments.filter(({ type }) => type === "Line");
  const isWholeLine = ({ start }: Comment) => /(?:^|\n)[^\S\n]*$/.test(source.slice(0, start));
  const strings: Passage[] = [];
  const seen = new Set<object>();
  const add = (node: Expression) => {
    if (!seen.has(node)) strings.push({ line: lineAt(node.start), text: textOf(node, seen) });
  };
  new Visitor({
    // SQL, and whatever else has a syntax of its own.
    TaggedTemplateExpression: ({ quasi }) => void seen.add(quasi),
    BinaryExpression: (node) => (node.operator === "+" ? add(node as Expression) : undefined),
    TemplateLiteral: (node) => add(node),
    Literal: (node) => add(node as Expression),
    JSXText: ({ start, value }) => {
      const text = value.replace(/\s+/g, " ").trim();
      if (text !== "") strings.push({ line: lineAt(start), text });
    },
  }).visit(program);
  return {
    strings: strings
      .filter(({ text }) => !code.test(text))
      .flatMap(lines)
      .filter(({ text }) => isSentence(text)),
    comments: [
      ...comments.filter(({ type }) => type === "Block").map(blockComment(lineAt)),
      ...blocks(lineComments.filter(isWholeLine).map(lineComment(lineAt))),
      ...lineComments.filter((comment) => !isWholeLine(comment)).map(lineComment(lineAt)),
    ].filter(({ text }) => !directive.test(text)),
  };
}

/** The lines of a text: a usage text has an option in each. */
const lines = ({ line, text }: Passage): Passage[] =>
  text.split("\n").map((content) => ({ line, text: content.trim() }));

/** The text of strings that `+` joins. Each value between them becomes a name in code, `X`. */
function textOf(node: Expression, seen: Set<object>): string {
  seen.add(node);
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type === "TemplateLiteral") {
    return node.quasis.map(({ value }) => value.cooked ?? "").join("`X`");
  }
  if (node.type === "BinaryExpression" && node.operator === "+") {
    return textOf(node.left as Expression, seen) + textOf(node.right, seen);
  }
  return "`X`";
}

const sql =
  /^\s*(?:select\s.*\sfrom|insert\s+(?:or\s\w+\s+)?into|update\s+\w+\s+set|delete\s+from|(?:create|drop|alter)\s+\w+|with\s+\w+|pragma|values\s*\(|and\s|case\s+when)\b/is;

/** A word that every sentence has, and a list of names does not. */
const joint = /\b(?:the|is|are|of|to|not|for|and|with|must|cannot|no|by|in)\b/i;

const code = /^\s*(?:import|export|const|function)\s.*[;{]|[;{]\n/s;

/** At least four words in a row: neither code nor a list of names. */
const isSentence = (text: string) =>
  /(?:(?:^|\s)[("']?[A-Za-z][a-z']*[,:;.]?(?=\s|$)){4}/.test(text) &&
  joint.test(text) &&
  !sql.test(text);

const directive = /^\s*(?:biome-ignore|@ts-|eslint|v8 ignore|#|\/ <reference)/;

type LineAt = (offset: number) => number;

const blockComment =
  (lineAt: LineAt) =>
  ({ start, value }: Comment): Passage => ({
    line: lineAt(start),
    text: plainLinks(value.replace(/^\s*\* ?/gm, "")),
  });

const lineComment =
  (lineAt: LineAt) =>
  ({ start, value }: Comment): Passage => ({ line: lineAt(start), text: plainLinks(value.trim()) });

const plainLinks = (text: string) => text.replace(/\{@link ([^}]*)\}/g, "`$1`");
