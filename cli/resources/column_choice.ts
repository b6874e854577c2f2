/** The columns that a user asks for: those of `--columns`, and all of `-o wide`. */
import { InvalidArgumentError } from "commander";
import type { CatalogField } from "../../schema/describe/catalog.ts";
import { type CatalogResource, fieldNamed, fieldsOf } from "./catalog.ts";
import { columnAt, columnsOf, type TableColumn } from "./columns.ts";
import { requireResourceNamed } from "./names.ts";
import { didYouMean, foldWord, nearestWord } from "./spelling.ts";

/** Fields whose values are too long for a row. */
const isLong = ({ name, kind }: CatalogField) => kind === "bytes" || name === "content";

/**
 * Returns the usual columns, and one for every other field with short values. The uid comes last, because it is long.
 */
export function wideColumns(resource: CatalogResource): TableColumn[] {
  const usual = columnsOf(resource);
  const isUsual = (name: string) => usual.some(({ path }) => path.split(".")[0] === name);
  const others = fieldsOf(resource.message)
    .filter((field) => !isUsual(field.name) && !isLong(field))
    .filter(({ kind }) => kind !== "message" && kind !== "json")
    .map(({ name }) => columnAt(resource, name, 20));
  const isUid = ({ path }: TableColumn) => path === "uid";
  return [...usual.filter((column) => !isUid(column)), ...others, ...usual.filter(isUid)];
}

/** Returns the columns at these paths. */
export const chosenColumns = (resource: CatalogResource, paths: string[]): TableColumn[] =>
  paths.map((path) => columnAt(resource, path, 0));

/**
 * Returns the parser of `--columns` for the resource with this name: paths of fields, separated by commas. It looks the
 * resource up only when it parses, because most command lines have no such option.
 */
export const columnsParser =
  (resource: string) =>
  (text: string, before: string[] = []): string[] => {
    const { message } = requireResourceNamed(resource);
    return [...before, ...text.split(",").map((path) => knownPath(message, path.trim()))];
  };

/** Returns a path as the API spells it. Throws InvalidArgumentError if the resource has no such field. */
function knownPath(message: string, path: string, above = ""): string {
  const [first = "", ...rest] = path.split(".");
  const names = fieldsOf(message).map(({ name }) => name);
  const name = names.find((candidate) => foldWord(candidate) === foldWord(first));
  const field = name === undefined ? undefined : fieldNamed(message, name);
  if (!field) throw unknownField(first, names, above);
  const full = `${above}${field.name}`;
  if (rest.length === 0) return full;
  // The keys of a map are the user's own.
  if (field.many === "map" || field.kind === "json") return `${full}.${rest.join(".")}`;
  if (field.kind !== "message" || !field.type)
    throw new InvalidArgumentError(`${full} has no fields.`);
  return knownPath(field.type, rest.join("."), `${full}.`);
}

function unknownField(name: string, names: string[], above: string): InvalidArgumentError {
  const near = name === "" ? undefined : nearestWord(name, names);
  return new InvalidArgumentError(
    `There is no field ${JSON.stringify(`${above}${name}`)}.${didYouMean(near && `${above}${near}`)} ` +
      `The fields are: ${names.map((candidate) => `${above}${candidate}`).join(", ")}.`,
  );
}
