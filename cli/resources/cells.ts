/** Turns values of resources into text for people. */
import type { CatalogField } from "../../schema/describe/catalog.ts";
import { relativeTime } from "../history/times.ts";
import { catalog, fieldNamed } from "./catalog.ts";
import type { JsonObject } from "./flags.ts";

/**
 * Replaces control characters, and those that turn the direction of a text. Text from a platform or a registry could
 * otherwise move the cursor, change the colors of a terminal, or look like another text.
 */
export const withoutControls = (text: string) =>
  text.replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, " ");

/** The same for texts of several lines. */
export const withoutControlsInLines = (text: string) => text.replace(/[^\P{Cc}\n]+/gu, " ");

/**
 * How values are shown. Times are exact for programs, and relative for people. `isShort` shortens digests to twelve
 * digits, as docker does.
 */
export type CellStyle = { now: Date; isExact: boolean; isShort?: true };

const shortDigest = (text: string) => text.replace(/^(sha256:[0-9a-f]{12})[0-9a-f]{52}$/, "$1");

/**
 * Returns a value by its dotted path, or undefined if there is none. In a list, it is the values of all items. A key of
 * a map can contain dots.
 */
export function valueAt(value: unknown, path: string): unknown {
  if (Array.isArray(value))
    return value.map((item) => valueAt(item, path)).filter((item) => item !== undefined);
  if (typeof value !== "object" || value === null) return undefined;
  if (Object.hasOwn(value, path)) return (value as JsonObject)[path];
  const dot = path.indexOf(".");
  if (dot < 0 || !Object.hasOwn(value, path.slice(0, dot))) return undefined;
  return valueAt((value as JsonObject)[path.slice(0, dot)], path.slice(dot + 1));
}

/** Returns a value as one line. */
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

/** Returns the values of a message inside a row one after another, because JSON is hard to read in a table. */
const cellOf = (value: JsonObject, field: CatalogField | undefined, style: CellStyle): string =>
  Object.entries(value)
    .map(([name, member]) => cellText(member, fieldNamed(field?.type ?? "", name), style))
    .filter(Boolean)
    .join(" ");

const single = (field: CatalogField | undefined): CatalogField | undefined => {
  if (!field) return undefined;
  const { many, ...rest } = field;
  return rest;
};

/** Returns `python` for ECOSYSTEM_PYTHON, and nothing for the unspecified value. */
function enumWord(type: string, name: string): string {
  const values = catalog().enums[type] ?? [];
  if (values[0]?.name === name) return "";
  return values.find((value) => value.name === name)?.word ?? name;
}
