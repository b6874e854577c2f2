/** The output of a command that succeeds, and options that several commands have. */
import { type Command, InvalidArgumentError } from "commander";
import { uidPattern } from "../../client/request.ts";
import { addDocumentOptions, type DocumentOptions, printDocument } from "../resources/documents.ts";
import type { JsonObject } from "../resources/flags.ts";
import { requireResourceNamed } from "../resources/names.ts";
import {
  addOutputOptions,
  choosesRows,
  type OutputOptions,
  printRows,
} from "../resources/output.ts";
import { here } from "../surroundings.ts";

/** The options that every command has. `json` is true for a document in any form. */
export type JsonOption = DocumentOptions;

/** Prints a value as one document, in JSON unless an option says otherwise, or as text for people. */
export function printAnswer(options: JsonOption, value: object, text: string): void {
  if (options.json) printDocument(options, value);
  else here().stdout.write(`${text}\n`);
}

/**
 * Prints an answer with rows of the resource with this name. It is a document or a table if the user chose one. Otherwise
 * it is the command's own text, which is for people or for programs.
 */
export function printRowsAnswer(
  options: OutputOptions,
  resource: string,
  rows: JsonObject[],
  value: object,
  text: (isForPeople: boolean) => string,
): void {
  if (options.json) printDocument(options, value);
  else if (choosesRows(options))
    printRows(requireResourceNamed(resource), rows, options, here().stdout);
  else {
    const own = text(here().stdout.isTTY === true && options.output !== "tsv");
    if (own !== "") here().stdout.write(`${own}\n`);
  }
}

/** Adds the options of rows of the resource with this name, and examples to the help. */
export const addRowOptions = (command: Command, resource: string, ...examples: string[]): Command =>
  withExamples(addOutputOptions(command, resource), ...examples);

/** Adds `-o json` or `yaml`, `--json` and `--jq` to a command, and examples to its help. */
export const addJsonOption = (command: Command, ...examples: string[]): Command =>
  withExamples(addDocumentOptions(command), ...examples);

/** Adds examples to the help of a command. */
export const withExamples = (command: Command, ...examples: string[]): Command =>
  command.addHelpText(
    "after",
    `\nExamples:\n${examples.map((example) => `  ${example.startsWith(" ") ? example : `$ ${example}`}`).join("\n")}`,
  );

/** Parses an option or an argument that is a uid. */
export function parseUid(value: string): string {
  if (uidPattern.test(value)) return value;
  throw new InvalidArgumentError(
    "A uid has 40 hexadecimal digits, then a slash and 16 more digits for each level below the organization.",
  );
}

/** Parses an option that is an http or https URL, and removes trailing slashes. */
export function parseHttpUrl(value: string): string {
  if (/^https?:/.test(value) && URL.canParse(value)) return value.replace(/\/+$/, "");
  throw new InvalidArgumentError("It must be an http or https URL.");
}

/** Returns a count with its noun: `1 tag`, `2 tags`, `2 repositories`. */
export const countText = (count: number, noun: string) =>
  `${count.toLocaleString("en")} ${count === 1 ? noun : `${noun}s`.replace(/ys$/, "ies")}`;
