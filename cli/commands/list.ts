/** `platformctl list`: rows of a resource, filtered and in order. */
import type { Command } from "commander";
import { InvalidArgumentError, Option } from "commander";
import { usage } from "../failure.ts";
import { can, fieldsOf, type Resource, resources, valuesOf, verbs } from "../resources/catalog.ts";
import {
  addFlags,
  type Flag,
  flagsOf,
  type Given,
  givenOf,
  type Json,
  placed,
} from "../resources/flags.ts";
import { namesOf, parentOf, pathOf } from "../resources/names.ts";
import {
  addOutput,
  formOf,
  type OutputOptions,
  printJson,
  printRows,
} from "../resources/output.ts";
import { openPlatform, type Platform } from "../resources/platform.ts";
import { explained } from "../resources/refusals.ts";
import { withUids } from "../resources/request.ts";
import { type Out, styled } from "../resources/table.ts";
import { addScope, placeOf, requireGroup, type ScopeOptions, scopeOf } from "../resources/where.ts";
import { counted, withExamples } from "./answer.ts";
import { lists } from "./samples.ts";

type ListOptions = OutputOptions &
  ScopeOptions & {
    orderBy?: string;
    limit?: number;
    all?: boolean;
    pageSize?: number;
    skip?: number;
  };

/** Rows shown unless told. */
const usualLimit = 100;

const paging = ["uidp", "pageSize", "pageToken", "orderBy", "skip"];

/** Flags whose field has the name of a flag of the command line. */
const renamed: Record<string, string> = { group: "on-group", uid: "of-uid" };

/** Adds `list` of one resource. */
export function addList(command: Command, resource: Resource): void {
  const { list } = resource.methods;
  if (!list) return;
  const flags = listFlags(resource);
  addScope(command, resource);
  command
    .option(
      "--order-by <field>",
      `a field, and perhaps desc after a space, such as 'update_time desc'${isNamed(resource) ? " (default: name)" : ""}`,
    )
    .option("--limit <n>", `rows at most (default: ${usualLimit})`, count)
    .addOption(new Option("--all", "every row").conflicts("limit"))
    .option("--skip <n>", "rows to pass over first", count)
    .option("--page-size <n>", "rows asked for at a time, 200 at most", count);
  addOutput(command);
  addFlags(command, flags, "Filters:");
  withExamples(
    command,
    `platformctl list ${resource.words} ${lists[resource.name] ?? "--group example.com"}`,
    `platformctl list ${resource.words} --all --json | jq -r '.${resource.plural}[].uid'`,
  ).action(async (options: ListOptions) => {
    const platform = await openPlatform();
    await explained({ verb: "list", resource, flags, platform }, () =>
      showList(platform, resource, command, flags, options),
    );
  });
}

/** Whether people know its rows by name. */
const isNamed = ({ key, name }: Resource) => key?.field === "name" && name !== "artifact";

/** The filters of a List as flags. */
function listFlags(resource: Resource): Flag[] {
  const input = resource.methods.list?.input ?? "";
  const isTerms = fieldsOf(input).some(({ name, isRequired }) => name === "group" && isRequired);
  // Where the group is all there is to say, it is asked for as everywhere.
  return flagsOf(input, { skip: paging, rename: isTerms ? {} : renamed });
}

async function showList(
  platform: Platform,
  resource: Resource,
  command: Command,
  flags: Flag[],
  options: ListOptions,
): Promise<void> {
  const { list } = resource.methods;
  if (!list) return;
  const place = await placeOf(platform, resource, {
    ...(options.group ? { group: options.group } : {}),
  });
  const given = await withUids(platform, filtersOf(command, flags), place);
  const { skip, pageSize } = options;
  const orderBy = options.orderBy ?? (isNamed(resource) ? "name" : undefined);
  const request: Json = {
    ...(await required(platform, resource, Object.fromEntries(given))),
    ...(await scopeOf(platform, resource, options)),
    ...(orderBy === undefined ? {} : { orderBy }),
    ...(skip === undefined ? {} : { skip }),
    ...(pageSize === undefined ? {} : { pageSize }),
  };
  const limit = options.all ? Number.POSITIVE_INFINITY : (options.limit ?? usualLimit);
  const { rows, total } = await platform.list(list.rpc, placed(request, given), limit);
  await print(platform, resource, { rows, total, skipped: skip ?? 0 }, options);
}

/** Filters that were given. A List takes an empty one for none; a script that says it means another. */
function filtersOf(command: Command, flags: Flag[]): Given {
  const given = givenOf(command, flags);
  for (const { name, path } of flags) {
    const value = given.get(path.join("."));
    const isEmpty = value === "" || value === null || (Array.isArray(value) && value.length === 0);
    if (isEmpty) throw usage(`--${name} is empty. Leave it out to list without it.`);
  }
  return given;
}

/** What a List cannot do without, where there is something that most will want. Throws a USAGE Failure. */
async function required(platform: Platform, { methods }: Resource, given: Json): Promise<Json> {
  const json: Json = {};
  for (const field of fieldsOf(methods.list?.input ?? "")) {
    if (!field.isRequired || field.name in given) continue;
    if (field.kind === "enum")
      json[field.name] = valuesOf(field.type ?? "").map(({ name }) => name);
    else if (field.name === "group") json.group = await requireGroup(platform, undefined);
    else {
      const flag = flagsOf(methods.list?.input ?? "").find(({ path }) => path[0] === field.name);
      throw usage(`It needs --${flag?.name}: ${field.text}`);
    }
  }
  return json;
}

type Found = { rows: Json[]; total: number | undefined; skipped: number };

async function print(
  platform: Platform,
  resource: Resource,
  { rows, total, skipped }: Found,
  options: ListOptions,
): Promise<void> {
  const out: Out = process.stdout;
  const form = formOf(options, out);
  if (form === "json") {
    printJson(out, {
      [resource.plural]: rows,
      ...(total === undefined ? {} : { totalCount: total }),
    });
    return;
  }
  const places = form === "table" ? await placesOf(platform, resource, rows) : undefined;
  printRows(resource, rows, form, out, places);
  const text = summary(resource, rows.length, total, skipped);
  // For people, whoever reads the rows.
  if (process.stderr.isTTY && text) {
    process.stderr.write(`${styled(process.stderr, "dim", text)}\n`);
  }
}

/** Resources that are imported: nothing is created there, yet each row lies in a group. */
const imported = ["advisory", "artifact"];

/** Paths of names of the groups or repos that the rows are in, where that is more than one. */
async function placesOf(
  platform: Platform,
  { name, parent }: Resource,
  rows: Json[],
): Promise<Map<string, string> | undefined> {
  const uids = [...new Set(rows.map(({ uid }) => parentOf(String(uid)) ?? ""))];
  const isInGroup = parent === "group" || imported.includes(name);
  const isPlaced = (isInGroup && name !== "roleBinding") || parent === "repo";
  if (!isPlaced || uids.length < 2) return undefined;
  const names = await namesOf(platform, uids.flatMap(pathOf));
  return new Map(
    uids.map((uid) => [
      uid,
      pathOf(uid)
        .map((one) => names.get(one) ?? "…")
        .join("/"),
    ]),
  );
}

function summary(resource: Resource, shown: number, total: number | undefined, skipped: number) {
  const noun = resource.words.replaceAll("-", " ");
  if (shown === 0)
    return `No ${noun}${total ? ` there; ${total.toLocaleString("en")} before` : ""}.`;
  if (total === undefined || shown + skipped >= total) return "";
  return `Showing ${shown.toLocaleString("en")} of ${total.toLocaleString("en")} ${noun}; --all for all.`;
}

function count(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number above 0.");
}

/** What there is, and what can be done with it. */
export function showResources({ json }: { json?: boolean }): void {
  const all = resources().map((resource) => ({
    name: resource.words,
    singular: resource.word,
    verbs: verbs.filter((verb) => can(resource, verb)),
  }));
  if (json) {
    printJson(process.stdout, { resources: all });
    return;
  }
  const width = Math.max(...all.map(({ name }) => name.length));
  const lines = all.map(({ name, verbs: able }) =>
    process.stdout.isTTY
      ? `${name.padEnd(width + 2)}${able.join(" ")}`
      : `${name}\t${able.join(" ")}`,
  );
  process.stdout.write(`${lines.join("\n")}\n`);
  if (process.stdout.isTTY) {
    const text = `${counted(all.length, "resource")}. For one: platformctl list ${all[0]?.name} --help`;
    process.stderr.write(`${styled(process.stderr, "dim", text)}\n`);
  }
}
