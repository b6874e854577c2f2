/** `platformctl get` and `platformctl describe`: single resources, by name or uid. */
import type { Command } from "commander";
import type { Resource } from "../resources/catalog.ts";
import { type Line, linesOf, linesText } from "../resources/details.ts";
import type { Json } from "../resources/flags.ts";
import { find } from "../resources/names.ts";
import {
  addOutput,
  formOf,
  type OutputOptions,
  printJson,
  printRows,
} from "../resources/output.ts";
import { openPlatform, type Platform } from "../resources/platform.ts";
import { explained } from "../resources/refusals.ts";
import { type Related, relatedOf } from "../resources/related.ts";
import { addWhere, placeOf, type WhereOptions } from "../resources/where.ts";
import { type JsonOption, withExamples } from "./answer.ts";
import { sampleName } from "./samples.ts";

/** Adds `get` of one resource. */
export function addGet(command: Command, resource: Resource): void {
  const { word, plural } = resource;
  command.argument("<name...>", nameHelp(resource));
  addOutput(addWhere(command, resource));
  withExamples(
    command,
    `platformctl get ${word} ${sampleName(resource)}`,
    `platformctl get ${word} ${sampleName(resource)} --json`,
  ).action(async (names: string[], options: OutputOptions & WhereOptions) => {
    const platform = await openPlatform();
    const rows = await findAll(platform, resource, names, options);
    const form = formOf(options, process.stdout);
    if (form !== "json") printRows(resource, rows, form, process.stdout);
    else printJson(process.stdout, names.length === 1 ? rows[0] : { [plural]: rows });
  });
}

/** Adds `describe` of one resource. */
export function addDescribe(command: Command, resource: Resource): void {
  const { word } = resource;
  command.argument("<name...>", nameHelp(resource));
  addWhere(command, resource).option("--json", "print one JSON document");
  withExamples(command, `platformctl describe ${word} ${sampleName(resource)}`).action(
    async (names: string[], options: JsonOption & WhereOptions) => {
      const platform = await openPlatform();
      const rows = await findAll(platform, resource, names, options);
      const style = { now: new Date(), isExact: false };
      const told = await Promise.all(
        rows.map(async (row) => ({
          row,
          related: await relatedOf(platform, resource.name, row, style),
        })),
      );
      if (options.json) {
        const values = told.map(({ row, related }) => toJson(resource, row, related));
        printJson(process.stdout, names.length === 1 ? values[0] : { [resource.plural]: values });
        return;
      }
      const texts = told.map(({ row, related }) => {
        const lines: Line[] = [
          ...linesOf(resource.message, row, style),
          ...related.flatMap((one) => one.lines),
        ];
        return linesText(lines, process.stdout);
      });
      process.stdout.write(texts.join("\n"));
    },
  );
}

/** What a name may be. */
export function nameHelp({ word, name, key }: Resource): string {
  if (name === "tag") return "REPO:TAG, a name with --repo, or a uid";
  if (name === "repoReadme") return "name or uid of the repo";
  if (!key) return `uid of the ${word}`;
  return key.field === "name" ? `name or uid of the ${word}` : `${key.field} or uid of the ${word}`;
}

const findAll = async (
  platform: Platform,
  resource: Resource,
  names: string[],
  options: WhereOptions,
): Promise<Json[]> =>
  explained({ verb: "get", resource, platform }, async () => {
    const place = await placeOf(platform, resource, options);
    return Promise.all(names.map((name) => find(platform, resource, name, place)));
  });

/** The resource, and what belongs to it beside it. */
function toJson({ name }: Resource, row: Json, related: Related[]): Json {
  const others = related.filter(({ name: kind }) => kind !== "parents");
  return {
    [name]: row,
    ...Object.fromEntries(
      others.map(({ name: kind, rows, total }) => [
        kind,
        { rows, ...(total === undefined ? {} : { totalCount: total }) },
      ]),
    ),
  };
}
