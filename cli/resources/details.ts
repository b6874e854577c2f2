/** Shows a resource as lines of names and values. Nested values are below their name. */

import type { Output } from "../surroundings.ts";
import { fieldsOf } from "./catalog.ts";
import { type CellStyle, cellText, withoutControls, withoutControlsInLines } from "./cells.ts";
import { labelOf } from "./columns.ts";
import type { JsonObject } from "./flags.ts";
import { styleOutput } from "./table.ts";

/** A name with a value, or with lines below it. `isRow` means that the name is that of a resource. */
export type DetailLine = { name: string; value: string | DetailLine[]; isRow?: true };

/** Texts for fields whose absence says something. */
const absentTexts: Record<string, string> = { confirmTime: "not yet" };

/** Returns the fields of a message in order. Empty fields are left out, unless their absence has a text. */
export function detailLines(message: string, row: JsonObject, style: CellStyle): DetailLine[] {
  return fieldsOf(message).flatMap((field): DetailLine[] => {
    const value = row[field.name];
    const name = labelOf(field.name);
    if (isEmpty(value)) return absentLine(name, absentTexts[field.name]);
    if (field.kind === "message" && field.type) {
      if (!field.many)
        return [{ name, value: detailLines(field.type, value as JsonObject, style) }];
      return [{ name, value: inner(field.type, value as JsonObject | JsonObject[], style) }];
    }
    if (field.many === "map") return [{ name, value: ofMap(value as JsonObject) }];
    if (field.kind === "time" && typeof value === "string") {
      return [
        { name, value: `${value}  (${cellText(value, field, { ...style, isExact: false })})` },
      ];
    }
    const isText = typeof value === "string" && value.includes("\n");
    const text = isText ? withoutControlsInLines(value) : cellText(value, field, style);
    return text === "" ? [] : [{ name, value: text }];
  });
}

const isEmpty = (value: unknown) =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

const absentLine = (name: string, text: string | undefined): DetailLine[] =>
  text === undefined ? [] : [{ name, value: text }];

/** Returns the messages of a list by number, or those of a map by key. */
function inner(type: string, values: JsonObject | JsonObject[], style: CellStyle): DetailLine[] {
  return Object.entries(values).map(([key, value]) => ({
    name: Array.isArray(values) ? String(Number(key) + 1) : withoutControls(key),
    value: detailLines(type, value as JsonObject, style),
  }));
}

const ofMap = (map: JsonObject): DetailLine[] =>
  Object.entries(map).map(([key, value]) => ({
    name: withoutControls(key),
    value: withoutControlsInLines(String(value)),
  }));

/** Returns the lines as text. Values are aligned, and each level is indented further. */
export function detailText(lines: DetailLine[], out: Output, indent = ""): string {
  const width = Math.max(0, ...lines.filter(isShort).map(({ name }) => name.length));
  return lines
    .map(({ name, value, isRow }) => {
      const label = isRow ? `${indent}${name} ` : `${indent}${name}:`;
      const shown = isRow ? label : styleOutput(out, "bold", label);
      if (typeof value !== "string") {
        const below =
          value.length === 0 ? `${indent}  none\n` : detailText(value, out, `${indent}  `);
        return `${shown}\n${below}`;
      }
      if (value.includes("\n")) {
        const body = value.replace(/\n+$/, "").replace(/^/gm, `${indent}  `);
        return `${shown}\n${body}\n`;
      }
      return `${shown}${" ".repeat(width - name.length + 2)}${value}\n`;
    })
    .join("");
}

const isShort = ({ value }: DetailLine) => typeof value === "string" && !value.includes("\n");
