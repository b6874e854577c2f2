/** `platformctl list`: lists the rows of a resource, with filters and an order. */
import type { Command } from "commander";
import { usageFailure } from "../../failure.ts";
import { type CatalogResource, fieldNamed, fieldsOf } from "../../resources/catalog.ts";
import { printDocument, printDocumentOfStream } from "../../resources/documents.ts";
import { addFlags, applyFlags, type Flag, type JsonObject } from "../../resources/flags.ts";
import { addOptions, parseCount } from "../../resources/options.ts";
import {
  addOutputOptions,
  listFormats,
  type OutputOptions,
  outputFormat,
  printRows,
} from "../../resources/output.ts";
import { type PlacesReader, placesReader } from "../../resources/places.ts";
import { type ListedRows, openPlatform, type PlatformClient } from "../../resources/platform.ts";
import { explainFailure } from "../../resources/refusals.ts";
import { withUids } from "../../resources/request.ts";
import { withNames } from "../../resources/row_names.ts";
import { styleOutput } from "../../resources/table.ts";
import {
  addWatchOptions,
  checkWatch,
  printOrWatch,
  type WatchOptions,
} from "../../resources/watch.ts";
import {
  addScopeOptions,
  type ScopeOptions,
  scopeOf,
  searchPlaceOf,
} from "../../resources/where.ts";
import { here, note } from "../../surroundings.ts";
import { withExamples } from "../answer.ts";
import { deprecatedHelp, noDeprecatedColumns, showDeprecatedTags } from "./deprecated_tags.ts";
import { readTags } from "./hidden_tags.ts";
import { filtersOf, listFlags, required } from "./list_request.ts";
import { listNotes, listSamples } from "./samples.ts";
import { addUseOptions, isOrdered, type UseOptions, useFilters } from "./use_options.ts";

type ListOptions = OutputOptions &
  WatchOptions &
  UseOptions &
  ScopeOptions & {
    orderBy?: string;
    limit: number;
    all?: boolean;
    pageSize?: number;
    skip?: number;
    deprecated?: boolean;
  };

/** Adds `list` for one resource. */
export function addList(command: Command, resource: CatalogResource): void {
  const { list } = resource.methods;
  if (!list) return;
  const flags = listFlags(resource);
  addScopeOptions(command, resource);
  command
    .option(
      "--order-by <field>",
      "Sort by this field. For descending order, add desc, as in 'update_time desc'.",
    )
    .option("--skip <n>", "Skip the first n rows.", parseCount)
    .option("--page-size <n>", "Request n rows at a time, at most 200.", parseCount);
  addOptions(command, "limit", "all");
  addWatchOptions(addOutputOptions(command, resource.name, listFormats));
  if (resource.name === "tag") command.option("--deprecated", deprecatedHelp);
  addFlags(command, flags, "Filters:");
  addUseOptions(command, resource);
  const note = listNotes[resource.name];
  if (note) command.description(`${command.description()}\n\n${note}`);
  withExamples(
    command,
    `platformctl list ${resource.words} ${listSamples[resource.name] ?? "--group acme.example"}`,
    ...(resource.name === "tag" ? ["platformctl list tags --deprecated --group acme.example"] : []),
    `platformctl list ${resource.words} ${requiredSample(resource)}--all --json | jq ${allRowsFilter(resource)}`,
  ).action(async (options: ListOptions) => {
    checkWatch(options, here().stdout);
    if (options.deprecated && (options.columns || options.output === "jsonl"))
      throw usageFailure(noDeprecatedColumns);
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
  const limit = options.all ? Number.POSITIVE_INFINITY : options.limit;
  if (deprecated) return showDeprecatedTags(platform, flags, { request, filters, limit, options });
  const whole = applyFlags(request, filters);
  if (options.output === "jsonl" && !options.watch)
    return printLines(platform, list.rpc, { ...whole, ...use() }, limit);
  // Tags of all repositories say which one, also if the first rows are of the same.
  const isAnywhere = resource.parent === "repo" && options.repo === undefined;
  const places = placesReader(platform, resource, { isAnywhere });
  await printOrWatch(
    {
      resource,
      read: async () => ({
        ...(await readRows(platform, resource, { ...whole, ...use() }, limit)),
        skipped: skip ?? 0,
      }),
      rowsOf: ({ rows }) => rows,
      isCutOff: ({ more }) => more,
      print: async (page) => {
        const rows = options.json ? page.rows : await withNames(platform, resource, page.rows);
        await print(resource, { ...page, rows }, places, options);
      },
    },
    options,
    here().stdout,
  );
}

/** Reads the rows. A list of tags also says what it leaves out. */
function readRows(
  platform: PlatformClient,
  { name, methods }: CatalogResource,
  request: JsonObject,
  limit: number,
): Promise<ListedRows & { note?: string }> {
  const rpc = methods.list?.rpc ?? "";
  return name === "tag"
    ? readTags(platform, rpc, request, limit)
    : platform.list(rpc, request, limit);
}

/** Prints each row as a line of JSON, a page at a time, because an export can be larger than the memory. */
async function printLines(
  platform: PlatformClient,
  rpc: string,
  request: JsonObject,
  limit: number,
): Promise<void> {
  let left = limit;
  for await (const rows of platform.pages(rpc, request)) {
    for (const row of rows.slice(0, left)) printDocumentOfStream({ output: "json" }, row);
    left -= rows.length;
    if (left <= 0) return;
  }
}

type ListResult = ListedRows & { skipped: number; note?: string };

async function print(
  resource: CatalogResource,
  { rows, total, more, skipped, note: leftOut }: ListResult,
  places: PlacesReader,
  options: ListOptions,
): Promise<void> {
  const out = here().stdout;
  const form = outputFormat(options, out);
  if (form === "json") {
    printDocument(options, {
      [resource.plural]: rows,
      // In the JSON of the API, a 64-bit number is a string.
      ...(total === undefined ? { more } : { totalCount: String(total) }),
    });
    return;
  }
  const isTable = (form === "table" || form === "wide") && !options.columns;
  printRows(resource, rows, options, out, isTable ? await places(rows) : undefined);
  const text = summary(resource, { shown: rows.length, total, more, skipped });
  if (leftOut !== undefined) note(leftOut);
  // The summary is for people, whichever program reads the rows.
  if (here().stderr.isTTY && text) {
    here().stderr.write(`${styleOutput(here().stderr, "dim", text)}\n`);
  }
}

function summary(
  resource: CatalogResource,
  { shown, total, more, skipped }: Omit<ListResult, "rows"> & { shown: number },
) {
  const noun = resource.words.replaceAll("-", " ");
  if (shown === 0)
    return `No ${noun}${total ? ` after the skipped rows; there are ${total.toLocaleString("en")} in total` : ""}.`;
  if (total === undefined)
    return more
      ? `Showing the first ${shown.toLocaleString("en")} ${noun}. To show all, add --all.`
      : "";
  if (shown + skipped >= total) return "";
  return `Showing ${shown.toLocaleString("en")} of ${total.toLocaleString("en")} ${noun}. To show all, add --all.`;
}
