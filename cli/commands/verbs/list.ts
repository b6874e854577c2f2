/** `platformctl list`: lists the rows of a resource, with filters and an order. */
import type { Command } from "commander";
import { InvalidArgumentError, Option } from "commander";
import { usageFailure } from "../../failure.ts";
import {
  type CatalogResource,
  fieldNamed,
  fieldsOf,
  resources,
  supportsVerb,
  valuesOf,
  verbs,
} from "../../resources/catalog.ts";
import { type DocumentOptions, printDocument } from "../../resources/documents.ts";
import {
  addFlags,
  applyFlags,
  type Flag,
  flagsOf,
  type GivenFlags,
  givenOf,
  type JsonObject,
} from "../../resources/flags.ts";
import {
  addOutputOptions,
  type OutputOptions,
  outputFormat,
  printRows,
} from "../../resources/output.ts";
import { type PlacesReader, placesReader } from "../../resources/places.ts";
import { openPlatform, type PlatformClient } from "../../resources/platform.ts";
import { explainFailure } from "../../resources/refusals.ts";
import { withUids } from "../../resources/request.ts";
import { styleOutput } from "../../resources/table.ts";
import { withRoleNames } from "../../resources/tag_rules.ts";
import {
  addWatchOptions,
  checkWatch,
  printOrWatch,
  type WatchOptions,
} from "../../resources/watch.ts";
import {
  addScopeOptions,
  requireGroup,
  type ScopeOptions,
  scopeOf,
  searchPlaceOf,
} from "../../resources/where.ts";
import { here } from "../../surroundings.ts";
import { countText, withExamples } from "../answer.ts";
import { deprecatedHelp, noDeprecatedColumns, showDeprecatedTags } from "./deprecated_tags.ts";
import { listSamples } from "./samples.ts";
import { addUseOptions, isOrdered, type UseOptions, useFilters } from "./use_options.ts";

type ListOptions = OutputOptions &
  WatchOptions &
  UseOptions &
  ScopeOptions & {
    orderBy?: string;
    limit?: number;
    all?: boolean;
    pageSize?: number;
    skip?: number;
    deprecated?: boolean;
  };

/** The number of rows without --limit. */
const defaultLimit = 100;

const paging = ["uidp", "pageSize", "pageToken", "orderBy", "skip"];

/** Flags whose field has the same name as another flag. */
const renamed: Record<string, string> = { group: "on-group", uid: "of-uid" };

/** Adds `list` for one resource. */
export function addList(command: Command, resource: CatalogResource): void {
  const { list } = resource.methods;
  if (!list) return;
  const flags = listFlags(resource);
  addScopeOptions(command, resource);
  command
    .option(
      "--order-by <field>",
      `Sort by this field. For descending order, add desc, as in 'update_time desc'.${isNamed(resource) ? " (default: name)" : ""}`,
    )
    .option("--limit <n>", `Show at most n rows. (default: ${defaultLimit})`, count)
    .addOption(new Option("--all", "Show every row.").conflicts("limit"))
    .option("--skip <n>", "Skip the first n rows.", count)
    .option("--page-size <n>", "Request n rows at a time, at most 200.", count);
  addWatchOptions(addOutputOptions(command, resource.name));
  if (resource.name === "tag") command.option("--deprecated", deprecatedHelp);
  addFlags(command, flags, "Filters:");
  addUseOptions(command, resource);
  withExamples(
    command,
    `platformctl list ${resource.words} ${listSamples[resource.name] ?? "--group example.com"}`,
    ...(resource.name === "tag" ? ["platformctl list tags --deprecated --group example.com"] : []),
    `platformctl list ${resource.words} ${requiredSample(resource)}--all --json | jq ${allRowsFilter(resource)}`,
  ).action(async (options: ListOptions) => {
    checkWatch(options, here().stdout);
    if (options.deprecated && options.columns) throw usageFailure(noDeprecatedColumns);
    if (options.watch && options.all)
      throw usageFailure("--watch reads at most --limit rows each time. Leave out --all.");
    const platform = await openPlatform();
    await explainFailure({ verb: "list", resource, flags, platform }, () =>
      showList(platform, resource, command, flags, options),
    );
  });
}

/** Returns the jq filter of an example: the uids, or the rows if they have none. */
const allRowsFilter = ({ plural, message }: CatalogResource) =>
  fieldNamed(message, "uid") ? `-r '.${plural}[].uid'` : `'.${plural}[]'`;

/** Returns the flags that an example of this list cannot leave out, followed by a space, or an empty string. */
function requiredSample({ name, methods }: CatalogResource): string {
  const isNeeded = fieldsOf(methods.list?.input ?? "").some(
    (field) => field.isRequired && field.kind !== "enum" && field.name !== "group",
  );
  return isNeeded ? `${listSamples[name] ?? ""} ` : "";
}

/** Whether people know its rows by name. */
const isNamed = ({ key, name }: CatalogResource) => key?.field === "name" && name !== "artifact";

/** Returns the filters of a List as flags. */
function listFlags(resource: CatalogResource): Flag[] {
  const input = resource.methods.list?.input ?? "";
  const isTerms = fieldsOf(input).some(({ name, isRequired }) => name === "group" && isRequired);
  // If the group is the only required field, its flag is the usual --group.
  return flagsOf(input, { skip: paging, rename: isTerms ? {} : renamed });
}

async function showList(
  platform: PlatformClient,
  resource: CatalogResource,
  command: Command,
  flags: Flag[],
  options: ListOptions,
): Promise<void> {
  const { list } = resource.methods;
  if (!list) return;
  const scope = await searchPlaceOf(platform, resource, {
    ...(options.group ? { group: options.group } : {}),
  });
  const filters = await withUids(platform, filtersOf(command, flags), scope);
  const { skip, pageSize, deprecated } = options;
  const use = () => useFilters(options, new Date());
  const hasOrder = deprecated || isOrdered({ ...use(), ...Object.fromEntries(filters) });
  const orderBy = options.orderBy ?? (isNamed(resource) && !hasOrder ? "name" : undefined);
  const request: JsonObject = {
    ...(await required(platform, resource, Object.fromEntries(filters))),
    ...(await scopeOf(platform, resource, options)),
    ...(orderBy === undefined ? {} : { orderBy }),
    ...(skip === undefined ? {} : { skip }),
    ...(pageSize === undefined ? {} : { pageSize }),
  };
  const limit = options.all ? Number.POSITIVE_INFINITY : (options.limit ?? defaultLimit);
  if (deprecated) return showDeprecatedTags(platform, flags, { request, filters, limit, options });
  const whole = applyFlags(request, filters);
  const places = placesReader(platform, resource);
  await printOrWatch(
    {
      resource,
      read: async () => ({
        ...(await platform.list(list.rpc, { ...whole, ...use() }, limit)),
        skipped: skip ?? 0,
      }),
      rowsOf: ({ rows }) => rows,
      isCutOff: ({ rows, total, skipped }) =>
        rows.length >= limit && (total === undefined || total > skipped + rows.length),
      print: async (page) => {
        const rows = options.json ? page.rows : await withRoleNames(platform, resource, page.rows);
        await print(resource, { ...page, rows }, places, options);
      },
    },
    options,
    here().stdout,
  );
}

/** Returns the given filters. A List ignores an empty filter, but a script that sends one has made a mistake. */
function filtersOf(command: Command, flags: Flag[]): GivenFlags {
  const filters = givenOf(command, flags);
  for (const { name, path } of flags) {
    const value = filters.get(path.join("."));
    const isEmpty = value === "" || value === null || (Array.isArray(value) && value.length === 0);
    if (isEmpty)
      throw usageFailure(`--${name} is empty. To list without this filter, leave it out.`);
  }
  return filters;
}

/** Returns the required fields of a List that have a useful default. Throws a USAGE Failure for the others. */
async function required(
  platform: PlatformClient,
  { methods }: CatalogResource,
  filters: JsonObject,
): Promise<JsonObject> {
  const json: JsonObject = {};
  for (const field of fieldsOf(methods.list?.input ?? "")) {
    if (!field.isRequired || field.name in filters) continue;
    if (field.kind === "enum")
      json[field.name] = valuesOf(field.type ?? "").map(({ name }) => name);
    else if (field.name === "group") json.group = await requireGroup(platform, undefined);
    else {
      const flag = flagsOf(methods.list?.input ?? "").find(({ path }) => path[0] === field.name);
      throw usageFailure(`Add --${flag?.name}: ${field.text}`);
    }
  }
  return json;
}

type ListResult = { rows: JsonObject[]; total: number | undefined; skipped: number };

async function print(
  resource: CatalogResource,
  { rows, total, skipped }: ListResult,
  places: PlacesReader,
  options: ListOptions,
): Promise<void> {
  const out = here().stdout;
  const form = outputFormat(options, out);
  if (form === "json") {
    printDocument(options, {
      [resource.plural]: rows,
      // In the JSON of the API, a 64-bit number is a string.
      ...(total === undefined ? {} : { totalCount: String(total) }),
    });
    return;
  }
  const isTable = (form === "table" || form === "wide") && !options.columns;
  printRows(resource, rows, options, out, isTable ? await places(rows) : undefined);
  const text = summary(resource, rows.length, total, skipped);
  // The summary is for people, whichever program reads the rows.
  if (here().stderr.isTTY && text) {
    here().stderr.write(`${styleOutput(here().stderr, "dim", text)}\n`);
  }
}

function summary(
  resource: CatalogResource,
  shown: number,
  total: number | undefined,
  skipped: number,
) {
  const noun = resource.words.replaceAll("-", " ");
  if (shown === 0)
    return `No ${noun}${total ? ` after the skipped rows; there are ${total.toLocaleString("en")} in total` : ""}.`;
  if (total === undefined || shown + skipped >= total) return "";
  return `Showing ${shown.toLocaleString("en")} of ${total.toLocaleString("en")} ${noun}. To show all, add --all.`;
}

function count(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number greater than 0.");
}

/** Prints the kinds of resources and the verbs that each has. */
export function showResources(options: DocumentOptions): void {
  const all = resources().map((resource) => ({
    name: resource.words,
    singular: resource.word,
    verbs: verbs.filter((verb) => supportsVerb(resource, verb)),
  }));
  if (options.json) {
    printDocument(options, { resources: all });
    return;
  }
  const width = Math.max(...all.map(({ name }) => name.length));
  const lines = all.map(({ name, verbs: able }) =>
    here().stdout.isTTY
      ? `${name.padEnd(width + 2)}${able.join(" ")}`
      : `${name}\t${able.join(" ")}`,
  );
  here().stdout.write(`${lines.join("\n")}\n`);
  if (here().stdout.isTTY) {
    const text = `${countText(all.length, "resource")}. For help on one, run: platformctl list ${all[0]?.name} --help`;
    here().stderr.write(`${styleOutput(here().stderr, "dim", text)}\n`);
  }
}
