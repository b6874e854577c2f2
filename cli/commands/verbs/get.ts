/** `platformctl get` and `platformctl describe`: show single resources by name or uid. */
import type { Command } from "commander";
import { type CatalogResource, isAlsoInRepo, kebab, nounOf } from "../../resources/catalog.ts";
import { type DetailLine, detailLines, detailText } from "../../resources/details.ts";
import { printDocument } from "../../resources/documents.ts";
import type { JsonObject } from "../../resources/flags.ts";
import { findResource } from "../../resources/names.ts";
import { addOutputOptions, type OutputOptions, printRows } from "../../resources/output.ts";
import { placesReader } from "../../resources/places.ts";
import { openPlatform, type PlatformClient } from "../../resources/platform.ts";
import { explainFailure } from "../../resources/refusals.ts";
import { type RelatedRows, relatedOf } from "../../resources/related.ts";
import { withNames } from "../../resources/row_names.ts";
import {
  addWatchOptions,
  checkWatch,
  printOrWatch,
  type WatchOptions,
} from "../../resources/watch.ts";
import { addPlaceOptions, type PlaceOptions, searchPlaceOf } from "../../resources/where.ts";
import { here } from "../../surroundings.ts";
import { addJsonOption, type JsonOption, withExamples } from "../answer.ts";
import { sampleName } from "./samples.ts";

/** Adds `get` for one resource. */
export function addGet(command: Command, resource: CatalogResource): void {
  const { word, plural } = resource;
  command.argument("<name...>", nameHelp(resource));
  addWatchOptions(addOutputOptions(addPlaceOptions(command, resource), resource.name));
  withExamples(
    command,
    `platformctl get ${word} ${sampleName(resource)}`,
    `platformctl get ${word} ${sampleName(resource)} --json`,
  ).action(async (names: string[], options: OutputOptions & WatchOptions & PlaceOptions) => {
    checkWatch(options, here().stdout);
    const platform = await openPlatform();
    const places = placesReader(platform, resource);
    const print = async (rows: JsonObject[]) => {
      if (options.json) {
        printDocument(options, names.length === 1 ? rows[0] : { [plural]: rows });
        return;
      }
      const placed = isAlsoInRepo(resource) ? await places(rows) : undefined;
      const shown = await withNames(platform, resource, rows);
      printRows(resource, shown, options, here().stdout, placed);
    };
    const read = () => findAll(platform, resource, names, options);
    const rowsOf = (rows: JsonObject[]) => rows;
    const watched = { resource, read, rowsOf, isCutOff: () => false, print };
    await printOrWatch(watched, options, here().stdout);
  });
}

/** Adds `describe` for one resource. */
export function addDescribe(command: Command, resource: CatalogResource): void {
  const { word } = resource;
  command.argument("<name...>", nameHelp(resource));
  const example = `platformctl describe ${word} ${sampleName(resource)}`;
  addJsonOption(addPlaceOptions(command, resource), example).action(
    async (names: string[], options: JsonOption & PlaceOptions) => {
      const platform = await openPlatform();
      const rows = await findAll(platform, resource, names, options);
      const style = { now: new Date(), isExact: false };
      const details = await Promise.all(
        rows.map(async (row) => ({
          row,
          related: await relatedOf(platform, resource.name, row, style),
        })),
      );
      if (options.json) {
        const values = details.map(({ row, related }) => toJson(resource, row, related));
        printDocument(options, names.length === 1 ? values[0] : { [resource.plural]: values });
        return;
      }
      const texts = details.map(({ row, related }) => {
        const lines: DetailLine[] = [
          ...detailLines(resource.message, row, style),
          ...related.flatMap((section) => section.lines),
        ];
        return detailText(lines, here().stdout);
      });
      here().stdout.write(texts.join("\n"));
    },
  );
}

/** Returns the help text for the argument that names a resource. */
export function nameHelp(resource: CatalogResource): string {
  const { name, key } = resource;
  const noun = nounOf(resource);
  if (name === "tag") return "REPO:TAG, a name with --repo, or a uid.";
  if (name === "repoReadme") return "Name or uid of the repository.";
  if (!key) return `Uid of the ${noun}.`;
  return key.field === "name"
    ? `Name or uid of the ${noun}.`
    : `${keyLabel(key.field)} or uid of the ${noun}.`;
}

/** Returns `Key id` for keyId. */
const keyLabel = (field: string) => {
  const text = kebab(field).replaceAll("-", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
};

const findAll = async (
  platform: PlatformClient,
  resource: CatalogResource,
  names: string[],
  options: PlaceOptions,
): Promise<JsonObject[]> =>
  explainFailure({ verb: "get", resource, platform }, async () => {
    const scope = await searchPlaceOf(platform, resource, options);
    return Promise.all(names.map((name) => findResource(platform, resource, name, scope)));
  });

/** Returns the resource, and the resources that belong to it as separate members. */
function toJson({ name }: CatalogResource, row: JsonObject, related: RelatedRows[]): JsonObject {
  const others = related.filter(({ name: kind }) => !["parents", "condition"].includes(kind));
  return {
    [name]: row,
    ...Object.fromEntries(
      others.map(({ name: kind, rows, total }) => [
        kind,
        { rows, ...(total === undefined ? {} : { totalCount: String(total) }) },
      ]),
    ),
  };
}
