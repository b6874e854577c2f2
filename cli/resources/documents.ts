/** Values as documents for programs: JSON, YAML, or the results of a jq expression. */
import { createRequire } from "node:module";
import { type Command, Option } from "commander";
import type { Document, Scalar } from "yaml";
import { here, type Output } from "../surroundings.ts";
import { runJq } from "./jq.ts";

/** `json` is true if the command prints a document, in whichever form (`prepareOutput` in output.ts). */
export type DocumentOptions = { json?: boolean; output?: string; jq?: string };

/** The commands whose output these options choose. Other commands have other uses for such options. */
const documentCommands = new WeakSet<Command>();

export const choosesDocument = (command: Command): boolean => documentCommands.has(command);

export const documentForms = ["json", "yaml"] as const;

const outputHelp =
  "Output format. The default is text for people on a terminal, and lines for programs elsewhere.";

/** Adds `-o` with these forms, `--json` and `--jq`. */
export function addDocumentOptions(
  command: Command,
  forms: readonly string[] = documentForms,
): Command {
  documentCommands.add(command);
  return command
    .addOption(new Option("-o, --output <form>", outputHelp).choices(forms))
    .addOption(new Option("--json", "The same as -o json.").conflicts("output"))
    .addOption(
      new Option(
        "--jq <expression>",
        "Print the results of this jq expression for the JSON, one on each line. Strings have no quotes.",
      ),
    );
}

/** Returns a document with its line end. */
export function documentText({ output, jq }: DocumentOptions, value: unknown): string {
  if (jq !== undefined) return runJq(value, jq);
  return output === "yaml" ? yamlText(value) : `${JSON.stringify(value)}\n`;
}

/** Prints a value as one document. */
export function printDocument(
  options: DocumentOptions,
  value: unknown,
  out: Output = here().stdout,
): void {
  const text = documentText(options, value);
  out.write(options.jq !== undefined && out.isTTY ? forTerminal(text) : text);
}

/** Prints a document of a stream. In YAML, each one begins with `---`. */
export function printDocumentOfStream(
  options: DocumentOptions,
  value: unknown,
  out: Output = here().stdout,
): void {
  if (options.output === "yaml" && options.jq === undefined) out.write("---\n");
  printDocument(options, value, out);
}

/** Texts from a platform could move the cursor. Tabs and line ends are part of the results of jq. */
const forTerminal = (text: string) => text.replace(/[^\P{Cc}\n\t]+/gu, " ");

const load = createRequire(import.meta.url);

/** Characters that YAML does not allow unescaped, and those that are line breaks for some readers. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\ufeff\ufffe\uffff]/u;

/**
 * Returns a value of JSON as YAML. Readers of YAML 1.1 and 1.2 both read the same value: what either would take for
 * something other than a string has quotes.
 */
export function yamlText(value: unknown): string {
  // Loaded here because few commands need it.
  const yaml: typeof import("yaml") = load("yaml");
  const document: Document = new yaml.Document(value, {
    compat: "yaml-1.1",
    aliasDuplicateObjects: false,
  });
  const quote = (_: unknown, node: Scalar) => {
    if (typeof node.value === "string" && unprintable.test(node.value.replaceAll("\n", "")))
      node.type = "QUOTE_DOUBLE";
  };
  yaml.visit(document, { Scalar: quote });
  // These characters now appear in quotes only.
  return document
    .toString({ lineWidth: 0 })
    .replace(/[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g, escaped);
}

const escaped = (character: string) =>
  `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
