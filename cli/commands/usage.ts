/** `platformctl usage` and `limit-storage`: how much organizations store in the registry, and how much they may. */
import { type Command, InvalidArgumentError } from "commander";
import { sqlLiteral } from "../bootstrap.ts";
import { bytesText, parseBytes } from "../byte_counts.ts";
import { execute, queryAll } from "../cloudflare/d1.ts";
import { computedColumn as column, type TableColumn } from "../resources/columns.ts";
import type { JsonObject } from "../resources/flags.ts";
import { optionNamed } from "../resources/options.ts";
import type { OutputOptions } from "../resources/output.ts";
import { openPlatform, type PlatformClient } from "../resources/platform.ts";
import { explainFailure } from "../resources/refusals.ts";
import { tableText, tsvText } from "../resources/table.ts";
import { requireGroup } from "../resources/where.ts";
import { here } from "../surroundings.ts";
import {
  addJsonOption,
  addRowOptions,
  type JsonOption,
  printAnswer,
  printRowsAnswer,
} from "./answer.ts";
import { addDatabaseOptions, type DatabaseOptions, databaseOf } from "./database.ts";
import { type OrganizationRow, onlyOrganization, selectOrganizations } from "./organization_row.ts";

const service = "platform.registry.v2.UsagesService";

/** Adds `usage`. */
export function addUsage(program: Command): void {
  addRowOptions(
    program
      .command("usage")
      .summary("Show how many bytes an organization and its repositories have in the registry.")
      .description(
        "Show how many bytes an organization has in the registry, and its largest\n" +
          "repositories, or those below one of its groups.\n\n" +
          "A blob that several repositories have is stored once. ALONE is what only that\n" +
          "repository has, so deleting it frees that many bytes after a day. SHARED is\n" +
          "what other repositories of the organization have too.",
      )
      .addOption(optionNamed("group"))
      .addOption(optionNamed("limit"))
      .addOption(optionNamed("all")),
    "repoUsage",
    "platformctl usage --group acme.example",
    "platformctl usage --group acme.example --all --json | jq '.repoUsages[] | {name, bytes}'",
  ).action(showUsage);
}

/** Adds `limit-storage`. */
export function addLimitStorage(program: Command): void {
  addJsonOption(
    addDatabaseOptions(
      program
        .command("limit-storage")
        .description(
          "Limit how many bytes an organization may have in the registry. The limit takes the place of STORAGE_LIMIT_BYTES. With --remote, the command runs SQL through wrangler.",
        )
        .argument("<organization>", "Name or uid of the organization.")
        .argument(
          "<limit>",
          "Number of bytes, with or without a unit such as GB, or none for STORAGE_LIMIT_BYTES again.",
          limit,
        ),
    ),
    "platformctl limit-storage acme.example 500GB --remote",
    "platformctl limit-storage acme.example none --remote",
  ).action(limitStorage);
}

function limit(text: string): number | null {
  if (text === "none") return null;
  const bytes = parseBytes(text);
  if (bytes !== undefined) return bytes;
  throw new InvalidArgumentError("It must be a number of bytes such as 500GB, or none.");
}

async function showUsage(
  options: OutputOptions & { group?: string; limit: number; all?: boolean },
): Promise<void> {
  const platform = await openPlatform();
  const usage = await explainFailure({ verb: "call", platform }, () =>
    readUsage(platform, options.group, options.all ? Number.POSITIVE_INFINITY : options.limit),
  );
  printRowsAnswer(options, "repoUsage", usage.repoUsages, usage, (isForPeople) =>
    isForPeople ? textOf(usage) : linesOf(usage),
  );
}

interface Usages {
  usage: JsonObject;
  repoUsages: JsonObject[];
  /** Whether there are more repositories than `repoUsages` has. */
  more: boolean;
}

async function readUsage(
  platform: PlatformClient,
  asked: string | undefined,
  most: number,
): Promise<Usages> {
  const group = await requireGroup(platform, asked);
  const usage = await platform.call(`${service}/GetUsage`, { uid: group.slice(0, 40) });
  const rows = await platform.rows(`${service}/ListRepoUsages`, { group }, most + 1);
  return { usage, repoUsages: rows.slice(0, most), more: rows.length > most };
}

const numberOf = (row: JsonObject, name: string) => Number(row[name] ?? 0);
const aloneOf = (row: JsonObject) => numberOf(row, "bytes") - numberOf(row, "sharedBytes");

/** Returns the columns of the repositories. `show` turns a number of bytes into text. */
function columnsOf(show: (bytes: number) => string): TableColumn[] {
  return [
    column("repository", 0, ({ name }) => String(name)),
    column("bytes", 1, (row) => show(numberOf(row, "bytes"))),
    column("alone", 2, (row) => show(aloneOf(row))),
    column("shared", 3, (row) => show(numberOf(row, "sharedBytes"))),
  ];
}

const linesOf = ({ repoUsages }: Usages) =>
  tsvText(repoUsages, columnsOf(String), new Date()).trimEnd();

function textOf({ usage, repoUsages, more: isCut }: Usages): string {
  const most =
    usage.limitBytes === undefined ? "" : ` of ${bytesText(numberOf(usage, "limitBytes"))}`;
  const shared = bytesText(numberOf(usage, "sharedBytes"));
  const reserved = numberOf(usage, "reservedBytes");
  const more =
    reserved === 0
      ? ""
      : ` ${bytesText(reserved)} more belong to open uploads, deleted content and read documents, and count until they are deleted.`;
  const sentence = `${bytesText(numberOf(usage, "bytes"))}${most} in the registry. Several repositories share ${shared} of it.${more}`;
  if (repoUsages.length === 0) return sentence;
  const table = tableText(repoUsages, columnsOf(bytesText), here().stdout, new Date()).trimEnd();
  const note = isCut ? "\n\nThere are more repositories. To show all, add --all." : "";
  return `${sentence}\n\n${table}${note}`;
}

async function limitStorage(
  organization: string,
  bytes: number | null,
  options: JsonOption & DatabaseOptions,
): Promise<void> {
  const database = databaseOf(options);
  const [organizations = []] = await queryAll<OrganizationRow>(database, [
    selectOrganizations(organization),
  ]);
  const group = onlyOrganization(organizations, organization);
  const value = bytes ?? "NULL";
  await execute(
    database,
    `INSERT INTO organization_storage (uid, byte_limit) VALUES (${sqlLiteral(group.uid)}, ${value}) ` +
      `ON CONFLICT (uid) DO UPDATE SET byte_limit = ${value};\n`,
  );
  const text =
    bytes === null
      ? `The limit of ${group.name} is STORAGE_LIMIT_BYTES again.`
      : `${group.name} may now have ${bytesText(bytes)} in the registry.`;
  printAnswer(options, { organization: group, limitBytes: bytes }, text);
}
