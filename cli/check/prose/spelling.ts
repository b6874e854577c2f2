/** Spelling, in American English, with the words of the field that no dictionary has (words.txt). */
import { readFileSync } from "node:fs";
import { getDefaultSettings, mergeSettings, spellCheckDocument } from "cspell-lib";

const words = readFileSync(new URL("words.txt", import.meta.url), "utf8").split("\n");

/** Code, addresses and paths: nothing that is spelled. */
const unspelled = [
  ...["/```[^]*?```/g", "/`[^`]*`/g", "/\\bhttps?:[^\\s)]+/g", "/<[^>]+>/g"],
  ...[
    "/\\]\\([^)]*\\)/g",
    "/[\\w.-]+\\/[\\w./{}*-]+/g",
    "/\\b\\w*[_0-9]\\w*\\b/g",
    "/--?[a-z][\\w-]*/g",
  ],
  ...[
    "/\\$\\{[^}]*\\}/g",
    "/\\b[a-z]+[A-Z]\\w*/g",
    "/\\b[\\w-]+\\.[a-z]{2,}\\b/g",
    "/\\b[A-Z][A-Z0-9_]+s?\\b/g",
  ],
];

let settings: ReturnType<typeof readSettings> | undefined;

async function readSettings() {
  return mergeSettings(await getDefaultSettings(), {
    words,
    ignoreRegExpList: unspelled,
    allowCompoundWords: false,
    caseSensitive: false,
  });
}

/** The words of a text that are not spelled right, with their lines, counted from 1. */
export async function misspelled(text: string): Promise<{ line: number; message: string }[]> {
  settings ??= readSettings();
  const document = { uri: "text.md", text, languageId: "plaintext", locale: "en-US" };
  const options = { generateSuggestions: false, noConfigSearch: true };
  const { issues } = await spellCheckDocument(document, options, await settings);
  return issues.map((issue) => ({
    line: text.slice(0, issue.offset).split("\n").length,
    message: `"${issue.text}" is not a known word`,
  }));
}
