/** The forms in which rows are printed, and the options that choose one. */
import { type Command, Option } from "commander";
import { usageFailure } from "../failure.ts";
import type { Output } from "../surroundings.ts";
import type { CatalogResource } from "./catalog.ts";
import { valueAt, withoutControls } from "./cells.ts";
import { chosenColumns, columnsParser, wideColumns } from "./column_choice.ts";
import { columnsOf, type TableColumn } from "./columns.ts";
import {
  addDocumentOptions,
  choosesDocument,
  type DocumentOptions,
  documentForms,
} from "./documents.ts";
import type { JsonObject } from "./flags.ts";
import { loadJq } from "./jq.ts";
import { parentOf } from "./names.ts";
import { addOptions } from "./options.ts";
import { tableText, tsvText } from "./table.ts";

const formats = ["table", "wide", "tsv", "uid", ...documentForms] as const;

/** A list can also print each row as a line of JSON. */
export const listFormats = [...formats, "jsonl"] as const;

/** The default is `table` on a terminal and `tsv` elsewhere. */
type OutputFormat = (typeof listFormats)[number];

export type OutputOptions = DocumentOptions & {
  output?: OutputFormat;
  columns?: string[];
  header?: boolean;
};

/** Adds `-o`, `--json` and `--jq`, and `--columns` for the rows of the resource with this name. */
export function addOutputOptions(
  command: Command,
  resource?: string,
  forms: readonly string[] = formats,
): Command {
  addDocumentOptions(command, forms);
  addOptions(command, "header");
  if (!resource) return command;
  return command.addOption(
    new Option(
      "--columns <path,…>",
      "Show these fields as columns, such as name,updateTime. Write a part of a field after a dot, as in claimMatch.issuer.",
    ).argParser(columnsParser(resource)),
  );
}

/**
 * Checks the output options of a command before it starts, so that a mistake in them has no effect. Afterwards `json` is
 * true if the command prints a document. Throws a USAGE Failure.
 */
export async function prepareOutput(command: Command): Promise<void> {
  if (!choosesDocument(command)) return;
  const { output, json, jq, columns } = command.opts<OutputOptions>();
  if (jq !== undefined && output !== undefined && output !== "json")
    throw usageFailure(`--jq reads JSON. Leave out -o ${output}.`);
  const isDocument = json || jq !== undefined || documentForms.some((form) => form === output);
  if (columns && (isDocument || output === "uid" || output === "jsonl"))
    throw usageFailure(
      "--columns chooses the columns of a table. In a document, choose fields with --jq.",
    );
  if (isDocument) command.setOptionValue("json", true);
  if (jq !== undefined) await loadJq(jq);
}

/** Returns the form of the output. For a document in any form, it is `json`: see documents.ts. */
export const outputFormat = (
  { output, json }: OutputOptions,
  out: Output,
): Exclude<OutputFormat, "yaml" | "jsonl"> => {
  if (json || output === "yaml" || output === "jsonl") return "json";
  return output ?? (out.isTTY ? "table" : "tsv");
};

/** Whether the user chose other rows than a command prints by itself. */
export const choosesRows = ({ output, columns, json }: OutputOptions): boolean =>
  !json && (columns !== undefined || (output !== undefined && output !== "tsv"));

/** Prints rows in a form other than a document. */
export function printRows(
  resource: CatalogResource,
  rows: JsonObject[],
  options: OutputOptions,
  out: Output,
  places?: Map<string, string>,
): void {
  const now = new Date();
  const form = outputFormat(options, out);
  const chosen = options.columns && chosenColumns(resource, options.columns);
  if (form === "uid")
    out.write(rows.map(({ uid }) => `${withoutControls(String(uid ?? ""))}\n`).join(""));
  else if (form === "tsv")
    out.write(tsvText(rows, chosen ?? columnsOf(resource), now, options.header));
  else if (rows.length > 0) {
    const placed = places ? rows.map((row) => withPlace(row, places)) : rows;
    const own = chosen ?? (form === "wide" ? wideColumns(resource) : columnsOf(resource));
    const columns = places && !chosen ? [...own, placeColumn] : own;
    const shape = { isWide: form === "wide" || chosen !== undefined, isExact: form === "wide" };
    out.write(tableText(placed, columns, out, now, shape));
  }
}

/** This column is not a field. It shows the name of the group that a row is in. */
const placeColumn: TableColumn = { title: "in", path: " place", field: undefined, rank: 5 };

function withPlace(row: JsonObject, places: Map<string, string>): JsonObject {
  const parent = parentOf(String(row.uid));
  return { ...row, [placeColumn.path]: parent && (places.get(parent) ?? parent) };
}

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
