/** `platformctl list tags --deprecated`: the tags at the end of their life, who still pulls them, and what replaces them. */
import { usageFailure } from "../../failure.ts";
import { type CatalogResource, fieldNamed, requireMethod } from "../../resources/catalog.ts";
import { printDocument } from "../../resources/documents.ts";
import type { Flag, GivenFlags, JsonObject } from "../../resources/flags.ts";
import { requireResourceNamed } from "../../resources/names.ts";
import { type OutputOptions, outputFormat, printRows } from "../../resources/output.ts";
import { maxPageSize, type PlatformClient, responsesOf } from "../../resources/platform.ts";
import { styleOutput } from "../../resources/table.ts";
import { printOrWatch, type WatchOptions } from "../../resources/watch.ts";
import { here } from "../../surroundings.ts";

/** The help of `--deprecated`. */
export const deprecatedHelp =
  "List the tags at the end of their life, with the identities that pulled them in the last 90 days and the tags that replace them.";

/** The columns of this list are not fields of tags. */
export const noDeprecatedColumns =
  "--columns and -o jsonl do not work with --deprecated. Choose fields with --jq, or use -o wide.";

/** Filters of tags with another name in this list. */
const renamed: Record<string, string> = { name: "tag" };

type Asked = {
  request: JsonObject;
  filters: GivenFlags;
  limit: number;
  options: OutputOptions & WatchOptions;
};

/** Prints the tags. Throws a USAGE Failure for options and filters that this list does not have. */
export async function showDeprecatedTags(
  platform: PlatformClient,
  flags: Flag[],
  { request, filters, limit, options }: Asked,
): Promise<void> {
  const resource = requireResourceNamed("endOfLifeTag");
  const list = requireMethod(resource, "list");
  const whole = { ...request, ...filtersOf(list.input, flags, filters) };
  const isOrdered = request.orderBy !== undefined;
  await printOrWatch(
    {
      resource,
      read: () => readTags(platform, list.rpc, whole, limit),
      rowsOf: ({ endOfLifeTags }) => endOfLifeTags,
      isCutOff: ({ more }) => more,
      print: async (answer) => printTags(resource, answer, isOrdered, options),
    },
    options,
    here().stdout,
  );
}

function printTags(
  resource: CatalogResource,
  answer: EndOfLifeAnswer,
  isOrdered: boolean,
  options: OutputOptions,
): void {
  const out = here().stdout;
  if (options.json) {
    printDocument(options, answer);
    return;
  }
  const { endOfLifeTags, more } = answer;
  const isSorted = ["table", "wide"].includes(outputFormat(options, out)) && !isOrdered;
  printRows(resource, isSorted ? endOfLifeTags.toSorted(byName) : endOfLifeTags, options, out);
  const notes = [
    endOfLifeTags.length === 0 ? "No tag is at the end of its life." : "",
    more ? "There are more tags. To show all, add --all." : "",
  ].filter(Boolean);
  // The notes are for people, whichever program reads the rows.
  if (here().stderr.isTTY && notes.length > 0)
    here().stderr.write(`${styleOutput(here().stderr, "dim", notes.join("\n"))}\n`);
}

/** The order for people: by repository and tag, and numbers by their value. */
const byName = (a: JsonObject, b: JsonObject) =>
  compare(String(a.repoName), String(b.repoName)) || compare(String(a.tag), String(b.tag));

const { compare } = new Intl.Collator("en", { numeric: true });

/** Returns the filters of tags as those of end-of-life tags. */
function filtersOf(input: string, flags: Flag[], values: GivenFlags): JsonObject {
  const filters: JsonObject = {};
  for (const [path, value] of values) {
    const field = renamed[path] ?? path;
    const flag = flags.find((candidate) => candidate.path.join(".") === path)?.name ?? path;
    if (!fieldNamed(input, field))
      throw usageFailure(`--${flag} does not work with --deprecated. Leave one of them out.`);
    filters[field] = value;
  }
  return filters;
}

interface EndOfLifeAnswer {
  endOfLifeTags: JsonObject[];
  /** Whether there are more tags than the limit. */
  more: boolean;
}

/** Filters can leave few rows of a page, so this reads pages until there are enough rows. */
async function readTags(
  platform: PlatformClient,
  rpc: string,
  request: JsonObject,
  limit: number,
): Promise<EndOfLifeAnswer> {
  const rows: JsonObject[] = [];
  const pageSize = Number(request.pageSize ?? maxPageSize);
  for await (const page of responsesOf(platform, rpc, { ...request, pageSize })) {
    rows.push(...((page.endOfLifeTags ?? []) as JsonObject[]));
    if (rows.length > limit) break;
  }
  return { endOfLifeTags: rows.slice(0, limit), more: rows.length > limit };
}
