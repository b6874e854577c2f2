/** A resource as lines of names and values, nested ones below their name. */

import { fieldsOf } from "./catalog.ts";
import { cell, plain, plainLines, type Style } from "./cells.ts";
import { labelOf } from "./columns.ts";
import type { Json } from "./flags.ts";
import { type Out, styled } from "./table.ts";

/** A name with a value, or with lines below it; `isRow` where the name is that of a thing. */
export type Line = { name: string; value: string | Line[]; isRow?: true };

/** What a message says, field by field in its order; what is empty is left out. */
export function linesOf(message: string, row: Json, style: Style): Line[] {
  return fieldsOf(message).flatMap((field): Line[] => {
    const value = row[field.name];
    if (isEmpty(value)) return [];
    const name = labelOf(field.name);
    if (field.kind === "message" && field.type) {
      if (!field.many) return [{ name, value: linesOf(field.type, value as Json, style) }];
      return [{ name, value: inner(field.type, value as Json | Json[], style) }];
    }
    if (field.many === "map") return [{ name, value: ofMap(value as Json) }];
    if (field.kind === "time" && typeof value === "string") {
      return [{ name, value: `${value}  (${cell(value, field, { ...style, isExact: false })})` }];
    }
    const isText = typeof value === "string" && value.includes("\n");
    const text = isText ? plainLines(value) : cell(value, field, style);
    return text === "" ? [] : [{ name, value: text }];
  });
}

const isEmpty = (value: unknown) =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

/** A list of messages by number, a map of them by key. */
function inner(type: string, values: Json | Json[], style: Style): Line[] {
  return Object.entries(values).map(([key, value]) => ({
    name: Array.isArray(values) ? String(Number(key) + 1) : plain(key),
    value: linesOf(type, value as Json, style),
  }));
}

const ofMap = (map: Json): Line[] =>
  Object.entries(map).map(([key, value]) => ({
    name: plain(key),
    value: plainLines(String(value)),
  }));

/** The lines as text: values stand below each other, each level further in. */
export function linesText(lines: Line[], out: Out, indent = ""): string {
  const width = Math.max(0, ...lines.filter(isShort).map(({ name }) => name.length));
  return lines
    .map(({ name, value, isRow }) => {
      const label = isRow ? `${indent}${name} ` : `${indent}${name}:`;
      const shown = isRow ? label : styled(out, "bold", label);
      if (typeof value !== "string") {
        const below =
          value.length === 0 ? `${indent}  none\n` : linesText(value, out, `${indent}  `);
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

const isShort = ({ value }: Line) => typeof value === "string" && !value.includes("\n");
