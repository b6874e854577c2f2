/** Writes the comments of the protos as TSDoc. */
import type { DescMessage, FileRegistry } from "@bufbuild/protobuf";
import { commentOf, type Described } from "../describe/protos.ts";

/** The most columns of a line. */
const maxLineWidth = 100;

/** Returns the TSDoc of a declaration in lines with that indent, or an empty string. */
export type CommentWriter = (desc: Described, indent?: string, more?: string) => string;

/** Returns a writer of comments in which fields have their JSON names. */
export function newCommentWriter(registry: FileRegistry): CommentWriter {
  const names = new Map<string, string>();
  for (const { messages } of registry.files) collectNames(messages, names);
  return (desc, indent = "", more = "") => {
    const text = [commentOf(desc), more].filter((part) => part !== "").join("\n\n");
    const word = /\b[a-z]+(?:_[a-z0-9]+)+\b/g;
    return toDoc(
      text.replace(word, (name) => names.get(name) ?? name),
      indent,
    );
  };
}

function collectNames(messages: readonly DescMessage[], names: Map<string, string>): void {
  for (const { typeName, fields, nestedMessages } of messages) {
    if (!typeName.startsWith("platform.")) continue;
    for (const { name, jsonName } of fields) names.set(name, jsonName);
    collectNames(nestedMessages, names);
  }
}

/** Turns paragraphs separated by an empty line into a comment of TypeScript. */
function toDoc(text: string, indent: string): string {
  const lines = text
    .replaceAll("*/", "* /")
    .split("\n")
    .flatMap((paragraph) => wrapLines(paragraph, maxLineWidth - indent.length - 3));
  const [only = ""] = lines;
  if (text === "") return "";
  if (lines.length === 1 && indent.length + only.length + 7 <= maxLineWidth) {
    return `${indent}/** ${only} */\n`;
  }
  const body = lines.map((line) => `${indent} *${line === "" ? "" : ` ${line}`}\n`);
  return `${indent}/**\n${body.join("")}${indent} */\n`;
}

function wrapLines(paragraph: string, columns: number): string[] {
  const lines: string[] = [""];
  for (const word of paragraph.split(" ")) {
    const line = lines.at(-1) ?? "";
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && longer.length > columns) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}
