/** Values of resources as text for people. */
import type { CatalogField } from "../../schema/describe/catalog.ts";
import { relativeTime } from "../history/times.ts";
import { catalog, fieldNamed } from "./catalog.ts";
import type { JsonObject } from "./flags.ts";

/** What a platform says could move the cursor or change colours of a terminal: it is made plain. */
export const withoutControls = (text: string) => text.replace(/\p{Cc}+/gu, " ");

/** The same for texts of several lines. */
export const withoutControlsInLines = (text: string) => text.replace(/[^\P{Cc}\n]+/gu, " ");

/**
 * How times are told: as they are to programs, by distance to people; `isShort` where twelve digits
 * of a digest will do, as docker shows them.
 */
export type CellStyle = { now: Date; isExact: boolean; isShort?: true };

const shortDigest = (text: string) => text.replace(/^(sha256:[0-9a-f]{12})[0-9a-f]{52}$/, "$1");

/** A value by its path, dotted; undefined if there is none. */
export function valueAt(row: JsonObject, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>(
      (value, step) =>
        typeof value === "object" && value !== null ? (value as JsonObject)[step] : undefined,
      row,
    );
}

/** A value as one line. */
export function cellText(
  value: unknown,
  field: CatalogField | undefined,
  style: CellStyle,
): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value))
    return value.map((item) => cellText(item, single(field), style)).join(", ");
  if (field?.kind === "time" && !style.isExact)
    return relativeTime(new Date(String(value)), style.now);
  if (field?.kind === "enum") return enumWord(field.type ?? "", String(value));
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "object") return cellOf(value as JsonObject, field, style);
  return withoutControls(style.isShort ? shortDigest(String(value)) : String(value));
}

/** A message within a row as its values one after another: nobody reads JSON in a table. */
const cellOf = (value: JsonObject, field: CatalogField | undefined, style: CellStyle): string =>
  Object.entries(value)
    .map(([name, one]) => cellText(one, fieldNamed(field?.type ?? "", name), style))
    .filter(Boolean)
    .join(" ");

const single = (field: CatalogField | undefined): CatalogField | undefined => {
  if (!field) return undefined;
  const { many, ...rest } = field;
  return rest;
};

/** `python` for ECOSYSTEM_PYTHON; nothing for the value that stands for none. */
function enumWord(type: string, name: string): string {
  const values = catalog().enums[type] ?? [];
  if (values[0]?.name === name) return "";
  return values.find((value) => value.name === name)?.word ?? name;
}
