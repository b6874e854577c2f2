/** Derives flags from the fields of a message, and JSON from flags. */
import { type Command, Option } from "commander";
import type { CatalogField } from "../../schema/describe/catalog.ts";
import { fieldsOf, firstSentence, kebab } from "./catalog.ts";
import { optionOfField } from "./options.ts";
import { clearedValue, enumWords, parseValue } from "./values.ts";

/** A field as a flag of the command line. */
export type Flag = {
  /** The path of the field in JSON: `["claimMatch", "issuer"]`. */
  path: string[];
  /** The name without dashes in front, such as `claim-match.issuer`. */
  name: string;
  field: CatalogField;
  /** Whether the value is an argument instead of a flag. */
  isArgument?: true;
};

/** Values by path, joined by dots, in the order of the flags. */
export type GivenFlags = Map<string, unknown>;

export type JsonObject = Record<string, unknown>;

/** Whether a value of JSON is an object. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Messages down to this depth have flags for their fields. Deeper messages are written as JSON. */
const depthLimit = 3;

/**
 * Returns the flags of a message: one for each field that a client may set, with dots for nested fields. `skip` leaves
 * out fields of the message by name. `rename` gives flags other names.
 */
export function flagsOf(
  message: string,
  { skip = [], rename = {} }: { skip?: string[]; rename?: Record<string, string> } = {},
): Flag[] {
  const flags = collectFlags(message, [], "").filter(
    ({ path: [first = ""] }) => !skip.includes(first),
  );
  return flags.map((flag) => ({ ...flag, name: rename[flag.path.join(".")] ?? flag.name }));
}

function collectFlags(message: string, above: string[], prefix: string): Flag[] {
  return fieldsOf(message).flatMap((field): Flag[] => {
    if (field.isOutput || field.kind === "mask") return [];
    const path = [...above, field.name];
    const name = `${prefix}${nameOf(field)}`;
    const flag = { path, name, field };
    const isNested = field.kind === "message" && field.many === undefined && field.type;
    if (!isNested || path.length >= depthLimit) return [flag];
    return [flag, ...collectFlags(field.type ?? "", path, `${name}.`)];
  });
}

/** A flag that names another resource has no suffix that says that it is a uid. */
const nameOf = ({ name }: CatalogField) => kebab(name.replace(/Uid$|(?<=^artifact)Id$/, ""));

/** Adds flags to a command. */
export function addFlags(command: Command, flags: Flag[], group: string): void {
  if (flags.some(({ field }) => allowsCommas(field))) command.addHelpText("after", listNote);
  const taken = new Set(command.options.map(({ long }) => long));
  for (const flag of flags) {
    if (taken.has(`--${flag.name}`)) throw new Error(`${command.name()}: two --${flag.name}`);
    for (const option of optionsOf(flag)) command.addOption(option.helpGroup(group));
  }
}

/** Whether a flag can be repeated. A map of messages is one JSON object. */
const isRepeated = ({ many, kind }: CatalogField) =>
  many === "list" || (many === "map" && kind !== "message");

/** Whether one value of a flag can contain several values of the field. JSON contains commas of its own. */
const allowsCommas = ({ many, kind }: CatalogField) =>
  many === "list" && kind !== "message" && kind !== "json";

const listNote =
  "\nA flag with <…,…> takes several values: separate them with commas, or repeat the flag.";

function optionsOf({ name, field }: Flag): Option[] {
  const text = helpOf(field);
  if (field.kind === "bool" && !field.many) {
    const choices = [
      new Option(`--${name}`, text),
      new Option(`--no-${name}`, "the opposite").hideHelp(),
    ];
    for (const choice of choices) flagByOption.set(choice, { path: [], name, field });
    return choices;
  }
  const value = allowsCommas(field) ? `${placeholder(field)},…` : placeholder(field);
  const option = optionOfField(name) ?? new Option(`--${name} <${value}>`, text);
  option.argParser((value: string, before: unknown) => parseValue(field, value, before));
  flagByOption.set(option, { path: [], name, field });
  return [option];
}

/** The flag of an option, for completion. */
export const flagByOption = new WeakMap<Option, Flag>();

function helpOf(field: CatalogField): string {
  const { text, kind, type } = field;
  const notes = [
    kind === "enum" && enumWords(type).length <= 12 ? `one of ${enumWords(type).join(", ")}` : "",
    isRepeated(field) && !allowsCommas(field) ? "repeat the flag for several" : "",
  ].filter(Boolean);
  const sentence = firstSentence(text);
  // The flag also accepts a name, and looks up the uid.
  const own = placeholder(field) === "name|uid" ? withNames(sentence) : sentence;
  return [own, notes.length > 0 ? `(${notes.join("; ")})` : ""].join(" ").trim();
}

const withNames = (sentence: string) =>
  sentence
    .replace(/^The uid of/, "The name or uid of")
    .replace(/ with this uid\b/, " with this name or uid");

function placeholder({ name, kind, many }: CatalogField): string {
  if (many === "map" && kind !== "message") return "key=value";
  if (/Uid$|^artifactId$|^role$/.test(name)) return "name|uid";
  if (name === "content" && kind === "string") return "text|@file";
  const names: Partial<Record<typeof kind, string>> = {
    int: "n",
    number: "n",
    bytes: "@file|base64",
    enum: "word",
    message: "json",
    json: "json",
  };
  return names[kind] ?? (kind === "string" ? "text" : kind);
}

/** Returns the flags that the user gave. */
export function givenOf(command: Command, flags: Flag[]): GivenFlags {
  const values: GivenFlags = new Map();
  for (const flag of flags) {
    const option = command.options.find(({ long }) => long === `--${flag.name}`);
    const value: unknown = option && command.getOptionValue(option.attributeName());
    // In the JSON of protobuf, null is the empty value of any field.
    if (value !== undefined) values.set(flag.path.join("."), value === clearedValue ? null : value);
  }
  return values;
}

/** Sets values at their paths in a copy of `base`. A value that clears a field stays null. */
export function applyFlags(base: JsonObject, values: GivenFlags): JsonObject {
  const root = structuredClone(base);
  for (const [path, value] of values) {
    const steps = path.split(".");
    const last = steps.pop() ?? "";
    let target = root;
    for (const step of steps) {
      const inner = target[step];
      target[step] = typeof inner === "object" && inner !== null ? inner : {};
      target = target[step] as JsonObject;
    }
    target[last] = value;
  }
  return root;
}

const foldedPath = (path: string) => path.replace(/_/g, "").toLowerCase();

/** Returns the flag of a field that an error names, such as `claim_match.issuer` or `claimMatch.issuer`. */
export function flagNamed(flags: Flag[], field: string): Flag | undefined {
  const asked = foldedPath(field.replace(/\[\d+\].*$/, ""));
  return flags.find(({ path }) => foldedPath(path.join(".")) === asked);
}

/** Returns the flags of a oneof that an error names, such as `claim_match.sub`. One of them is required. */
export const choiceNamed = (flags: Flag[], field: string): Flag[] =>
  flags.filter(
    ({ path, field: { oneof } }) =>
      oneof && foldedPath([...path.slice(0, -1), oneof].join(".")) === foldedPath(field),
  );
