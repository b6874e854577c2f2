/** The output of a command that succeeds, and options that several commands have. */
import { type Command, InvalidArgumentError } from "commander";
import { uidPattern } from "../../client/request.ts";

/** The option that every command has. */
export type JsonOption = { json?: boolean };

/** Prints a value as one JSON document, or as text for people. */
export function printAnswer({ json }: JsonOption, value: object, text: string): void {
  process.stdout.write(json ? `${JSON.stringify(value)}\n` : `${text}\n`);
}

/** Adds `--json` to a command, and examples to its help. */
export const addJsonOption = (command: Command, ...examples: string[]): Command =>
  withExamples(command.option("--json", "Print one JSON document."), ...examples);

/** Adds examples to the help of a command. */
export const withExamples = (command: Command, ...examples: string[]): Command =>
  command.addHelpText(
    "after",
    `\nExamples:\n${examples.map((one) => `  ${one.startsWith(" ") ? one : `$ ${one}`}`).join("\n")}`,
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
