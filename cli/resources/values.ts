/** Parses values of flags: turns text of the command line into the JSON of a field. */
import { InvalidArgumentError } from "commander";
import ms, { type StringValue } from "ms";
import type { CatalogField } from "../../schema/describe/catalog.ts";
import { Failure, reasonOf } from "../failure.ts";
import { endAfter, parseTime } from "../history/times.ts";
import { valuesOf } from "./catalog.ts";
import { readInput } from "./input.ts";

/** Returns the words that people write for the values of an enum. */
export const enumWords = (type: string | undefined): string[] =>
  valuesOf(type ?? "").map(({ word }) => word);

type Json = Record<string, unknown>;

/** Adds a text of the command line to the value so far. Throws InvalidArgumentError. */
export function parseValue(field: CatalogField, text: string, before: unknown): unknown {
  if (field.many === "map" && field.kind !== "message") {
    if (text === "") return {};
    const index = text.indexOf("=");
    if (index < 1) throw new InvalidArgumentError("It must be KEY=VALUE.");
    return { ...(before as Json), [text.slice(0, index)]: parseOne(field, text.slice(index + 1)) };
  }
  if (field.many !== "list") return parseOne(field, text);
  const list = Array.isArray(before) ? (before as unknown[]) : [];
  if (text === "") return list;
  const isJson = field.kind === "message" || field.kind === "json";
  return [
    ...list,
    ...(isJson ? [parseOne(field, text)] : text.split(",").map((part) => parseOne(field, part))),
  ];
}

function parseOne(field: CatalogField, text: string): unknown {
  if (text === "") return emptyOf(field);
  switch (field.kind) {
    case "string":
      // A readme comes from a file. Other texts may begin with an at sign.
      return isContent(field) && text.startsWith("@") ? textOf(text.slice(1)) : text;
    case "bool":
      if (text === "true" || text === "false") return text === "true";
      throw new InvalidArgumentError("It must be true or false.");
    case "int":
      if (/^-?\d{1,15}$/.test(text)) return Number(text);
      throw new InvalidArgumentError("It must be a whole number.");
    case "number":
      if (Number.isFinite(Number(text))) return Number(text);
      throw new InvalidArgumentError("It must be a number.");
    case "enum":
      return enumValue(field, text);
    case "time":
      return moment(text, isEnd(field));
    case "duration":
      return seconds(text);
    case "bytes":
      return text.startsWith("@") ? base64Of(text.slice(1)) : text;
    default:
      return json(text);
  }
}

/** Commander treats null as a parser that failed. */
export const clearedValue = Symbol("cleared");

/** Returns the value that clears a field. */
const emptyOf = ({ kind }: CatalogField) =>
  kind === "string" || kind === "bytes" ? "" : clearedValue;

function enumValue({ type = "" }: CatalogField, text: string): string {
  const values = valuesOf(type);
  const asked = text.toLowerCase().replaceAll("_", "-");
  const value = values.find(
    ({ name, word }) =>
      word === asked || word === text.toLowerCase() || name === text.toUpperCase(),
  );
  if (value) return value.name;
  throw new InvalidArgumentError(`It must be one of ${enumWords(type).join(", ")}.`);
}

/** Whether a time ends a period. The API leaves the end out, and people mean it with its whole day. */
const isEnd = ({ name }: CatalogField) => ["before", "until"].includes(name);

/** `+30d` means in 30 days. parseTime handles everything else. */
function moment(text: string, isEnd: boolean): string {
  const now = new Date();
  const ahead = text.startsWith("+") ? parseDuration(text.slice(1)) : undefined;
  if (ahead !== undefined) return new Date(now.getTime() + ahead).toISOString();
  try {
    return (isEnd ? endAfter(text, now) : parseTime(text, now)).toISOString();
  } catch (error) {
    if (error instanceof Failure) throw new InvalidArgumentError(error.message);
    throw error;
  }
}

function seconds(text: string): string {
  const length = parseDuration(text);
  if (length === undefined)
    throw new InvalidArgumentError("It must be a duration such as 30d, 12h or 90s.");
  return `${length / 1000}s`;
}

/** Returns the milliseconds of a duration such as `30d` or `12h`, or undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  if (!/^\d+(\.\d+)?\s*[a-z]+$/i.test(text)) return undefined;
  const length = ms(text as StringValue);
  return Number.isFinite(length) ? length : undefined;
}

const isContent = ({ name, kind }: CatalogField) => name === "content" && kind === "string";

const textOf = (file: string) => fileContent(file).toString("utf8");

const base64Of = (file: string) => fileContent(file).toString("base64");

function fileContent(file: string): Buffer {
  try {
    return readInput(file);
  } catch (error) {
    throw new InvalidArgumentError(reasonOf(error));
  }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError("It must be valid JSON.");
  }
}
