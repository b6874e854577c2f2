/** The forms in which rows are printed, and the option that chooses one. */
import { type Command, Option } from "commander";
import type { CatalogResource } from "./catalog.ts";
import { valueAt, withoutControls } from "./cells.ts";
import { columnsOf, type TableColumn } from "./columns.ts";
import type { JsonObject } from "./flags.ts";
import { parentOf } from "./names.ts";
import { type TextOutput, tableText, tsvText } from "./table.ts";

const formats = ["table", "tsv", "json", "uid"] as const;

/** The default is `table` on a terminal and `tsv` elsewhere. */
type OutputFormat = (typeof formats)[number];

export type OutputOptions = { output?: OutputFormat; json?: boolean };

/** Adds `-o` and `--json`. */
export const addOutputOptions = (command: Command): Command =>
  command
    .addOption(
      new Option(
        "-o, --output <form>",
        "Output format. The default is table on a terminal and tsv elsewhere.",
      ).choices(formats),
    )
    .addOption(new Option("--json", "The same as -o json.").conflicts("output"));

export const outputFormat = ({ output, json }: OutputOptions, out: TextOutput): OutputFormat =>
  json ? "json" : (output ?? (out.isTTY ? "table" : "tsv"));

/** Prints rows in a form other than JSON. */
export function printRows(
  resource: CatalogResource,
  rows: JsonObject[],
  form: Exclude<OutputFormat, "json">,
  out: TextOutput,
  places?: Map<string, string>,
): void {
  const now = new Date();
  if (form === "uid")
    out.write(rows.map(({ uid }) => `${withoutControls(String(uid ?? ""))}\n`).join(""));
  else if (form === "tsv") out.write(tsvText(rows, columnsOf(resource), now));
  else if (rows.length > 0) {
    const placed = places ? rows.map((row) => withPlace(row, places)) : rows;
    const columns = columnsOf(resource);
    out.write(tableText(placed, places ? [...columns, placeColumn] : columns, out, now));
  }
}

/** This column is not a field. It shows the name of the group that a row is in. */
const placeColumn: TableColumn = { title: "in", path: " place", field: undefined, rank: 5 };

function withPlace(row: JsonObject, places: Map<string, string>): JsonObject {
  const parent = parentOf(String(row.uid));
  return { ...row, [placeColumn.path]: parent && (places.get(parent) ?? parent) };
}

export const printJson = (out: TextOutput, value: unknown) =>
  out.write(`${JSON.stringify(value)}\n`);

/**
 * Returns a title such as `repo python (UID)`. A resource without a name is identified by the first fields of its row.
 */
export function titleOf(resource: CatalogResource, row: JsonObject): string {
  const paths = resource.key
    ? [resource.key.field]
    : columnsOf(resource)
        .map(({ path }) => path)
        .slice(0, 3);
  const texts = paths
    .map((path) => valueAt(row, path))
    .filter((value): value is string => typeof value === "string" && value !== row.uid);
  return withoutControls(
    [resource.word, texts.join(", "), `(${row.uid})`].filter(Boolean).join(" "),
  );
}
