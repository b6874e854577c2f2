/** The instructions of a Dockerfile, as BuildKit reads them: without comments, continued lines and here-documents. */
import { markLength } from "./source.ts";
import { type Traced, textOf, traced } from "./traced.ts";

/** An instruction with everything after its name. */
export type Instruction = { name: string; args: Traced };

/** A parser directive such as `# syntax=`, with its value. */
type Directive = { name: string; value: Traced };

export type Dockerfile = {
  instructions: Instruction[];
  directives: Directive[];
  escape: "\\" | "`";
};

/** A line without its end, and the position of its first character. */
type Line = { text: string; start: number };

const directiveForm = /^#[ \t]*([A-Za-z][A-Za-z0-9]*)[ \t]*=[ \t]*(.*?)[ \t]*$/;
const directiveNames = ["syntax", "escape", "check"];

/** Instructions that may have here-documents. */
const withDocuments = /^(?:onbuild[ \t]+)?(?:run|copy|add)[ \t]/i;

export function readInstructions(text: string): Dockerfile {
  const lines = linesOf(text);
  const { directives, next } = readDirectives(lines);
  const escaped = directives.find(({ name }) => name === "escape");
  const escapeMark = escaped && textOf(escaped.value) === "`" ? "`" : "\\";
  const instructions: Instruction[] = [];
  for (let index = next; index < lines.length; ) {
    const read = readLogicalLine(lines, index, escapeMark);
    index = read.next;
    const whole = textOf(read.chars);
    if (whole === "") continue;
    if (withDocuments.test(whole)) index = skipDocuments(lines, index, documentNames(whole));
    instructions.push(instructionOf(read.chars));
  }
  return { instructions, directives, escape: escapeMark };
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (let start = markLength(text); start < text.length; ) {
    const end = text.indexOf("\n", start);
    const stop = end < 0 ? text.length : end;
    lines.push({ text: text.slice(start, stop).replace(/\r$/, ""), start });
    start = stop + 1;
  }
  return lines;
}

/** Directives are only at the beginning. Anything else ends them, and so does a directive that is not known. */
function readDirectives(lines: Line[]): { directives: Directive[]; next: number } {
  const directives: Directive[] = [];
  // A script may have a line that names its interpreter.
  let next = lines[0]?.text.startsWith("#!") ? 1 : 0;
  for (; next < lines.length; next += 1) {
    const { text, start } = lines[next] ?? { text: "", start: 0 };
    const [, word = "", value = ""] = directiveForm.exec(text) ?? [];
    const name = word.toLowerCase();
    if (!directiveNames.includes(name) || value === "") break;
    directives.push({ name, value: traced(value, start + text.trimEnd().length - value.length) });
  }
  return { directives, next };
}

/** Joins a line with those that continue it. Comments and empty lines between them do not end it. */
function readLogicalLine(
  lines: Line[],
  first: number,
  mark: string,
): { chars: Traced; next: number } {
  const chars: Traced = [];
  for (let index = first; index < lines.length; index += 1) {
    const { text, start } = lines[index] ?? { text: "", start: 0 };
    const indent = text.length - text.replace(/^[ \t\v\f]+/, "").length;
    const isComment = text[indent] === "#";
    const isFirst = index === first;
    if (!isFirst && (isComment || indent === text.length)) continue;
    if (isFirst && isComment) return { chars, next: index + 1 };
    const begin = isFirst ? indent : 0;
    const end = continuedEnd(text, mark);
    chars.push(...traced(text.slice(begin, end), start + begin));
    if (end === text.length) return { chars, next: index + 1 };
  }
  return { chars, next: lines.length };
}

/** Returns the index of the escape character that continues a line, or its length. Two of them continue nothing. */
function continuedEnd(text: string, mark: string): number {
  const end = text.replace(/[ \t]+$/, "").length;
  const isContinued = text[end - 1] === mark && text[end - 2] !== mark;
  return isContinued ? end - 1 : text.length;
}

function instructionOf(chars: Traced): Instruction {
  const [name = ""] = /^\S*/.exec(textOf(chars)) ?? [];
  const args = chars.slice(name.length);
  const upper = name.toUpperCase();
  // The rest is an instruction for later builds.
  if (upper === "ONBUILD") return instructionOf(args.slice(leadingSpace(args)));
  return { name: upper, args };
}

const leadingSpace = (chars: Traced): number => {
  const index = chars.findIndex(({ char }) => !/[ \t]/.test(char));
  return index < 0 ? chars.length : index;
};

/** A here-document: the line that ends it, and whether tabs may precede that line. */
type HereDocument = { name: string; hasTabs: boolean };

function documentNames(whole: string): HereDocument[] {
  return splitWords(whole).flatMap((word) => {
    const [, dash, rest = ""] = /^\d*<<(-?)([^<]+)$/.exec(word) ?? [];
    const name = rest.replace(/["']/g, "");
    return name === "" ? [] : [{ name, hasTabs: dash === "-" }];
  });
}

function skipDocuments(lines: Line[], first: number, documents: HereDocument[]): number {
  let index = first;
  for (const { name, hasTabs } of documents) {
    const ends = ({ text }: Line) => (hasTabs ? text.replace(/^\t+/, "") : text) === name;
    while (index < lines.length && !ends(lines[index] ?? { text: name, start: 0 })) index += 1;
    index += 1;
  }
  return index;
}

/** Splits at spaces outside quotes. */
function splitWords(text: string): string[] {
  return text.match(/(?:[^\s"'\\]|\\[\s\S]|"(?:[^"\\]|\\[\s\S])*"?|'[^']*'?)+|\\$/g) ?? [];
}

/** Splits into words with their positions. Quotes hold a word together if the instruction has any. */
export function wordsOf(chars: Traced, hasQuotes: boolean): Traced[] {
  const text = textOf(chars);
  const form = hasQuotes ? /(?:[^\s"']|"[^"]*"?|'[^']*'?)+/g : /[^ \t\v\f\r]+/g;
  return [...text.matchAll(form)].map(({ index, 0: word }) =>
    chars.slice(index, index + word.length),
  );
}
