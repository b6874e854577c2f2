/** The options that several commands have. Each one is defined only here, so it means the same everywhere. */
import { type Command, InvalidArgumentError, Option } from "commander";

/** The most rows that a list shows without `--limit`. */
export const defaultLimit = 100;

/** The ways to name a group. */
export const groupForms = "its name, uid, or path such as acme.example/team-a";

const texts = {
  all: ["--all", "Show every row."],
  at: ["--at <time>", "Use the tags as they were at this time, such as 2026-01-31 or 30d."],
  by: [
    "--by <identity>",
    "Only what this identity did: its name, address or uid, or `me` for yourself.",
  ],
  dryRun: ["--dry-run", "Show what the command would do, and change nothing."],
  group: ["-g, --group <group>", `Group: ${groupForms}.`],
  header: ["--header", "Begin lines that are separated by tabs with the titles of the columns."],
  identity: ["--identity <identity>", "Identity: its name, address or uid."],
  identityProvider: ["--identity-provider <name|uid>", "Identity provider: its name or uid."],
  issuer: ["--issuer <url>", "Address of the issuer of the tokens."],
  limit: ["--limit <n>", "Show at most n rows."],
  override: [
    "--override <reason>",
    "Make the change although a tag rule refuses it, for this reason. It needs the capability tag.override.",
  ],
  platform: ["--platform <platform>", "Only the manifest for this platform, such as linux/amd64."],
  repo: ["--repo <repo>", "Repository: its name, uid, or path such as acme.example/python."],
  since: ["--since <time>", "Only what is at this time or later, such as 2026-01-31 or 7d."],
  tokenFile: ["--token-file <file>", "File with the token, or `-` for standard input."],
  until: [
    "--until <time>",
    "Only what is at this time or earlier. A date includes the whole day (UTC).",
  ],
  watch: ["-w, --watch", "Stay and show what changes. Ctrl-C ends it."],
  yes: ["-y, --yes", "Do not ask for confirmation."],
} as const;

export type OptionName = keyof typeof texts;

/** Further parts of some options: a parser, a default, and options that exclude them. */
const details: Partial<Record<OptionName, (option: Option) => Option>> = {
  all: (option) => option.conflicts("limit"),
  limit: (option) => option.argParser(parseCount).default(defaultLimit),
  override: (option) => option.argParser(parseReason),
};

/** Returns a new option. */
export function optionNamed(name: OptionName): Option {
  const [flags, text] = texts[name];
  const option = new Option(flags, text);
  return details[name]?.(option) ?? option;
}

/** Adds options to a command, in this order. */
export function addOptions(command: Command, ...names: OptionName[]): Command {
  for (const name of names) command.addOption(optionNamed(name));
  return command;
}

/** The options whose values are fields of requests too. A flag of a field with such a name has their text. */
const ofFields: Record<string, OptionName> = {
  ...{ at: "at", by: "by", group: "group", identity: "identity", repo: "repo" },
  ...{ "identity-provider": "identityProvider", since: "since", until: "until" },
};

/** Returns the option that a flag of a field must equal, or undefined for any other name. */
export function optionOfField(flag: string): Option | undefined {
  const name = ofFields[flag];
  return name && optionNamed(name);
}

/** Parses the number of an option that counts rows. */
export function parseCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number greater than 0.");
}

/** Parses a reason. An empty one, such as that of a variable that is not set, would override nothing. */
function parseReason(text: string): string {
  if (text.trim() !== "") return text;
  throw new InvalidArgumentError("It must say why you make the change.");
}
