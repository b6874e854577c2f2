/** Compares the fields of a document with those of the platform. */
import type { CatalogField } from "../../schema/describe/catalog.ts";
import { catalog, fieldsOf } from "../resources/catalog.ts";
import { isObject, type JsonObject } from "../resources/flags.ts";

/** A value that changes, by its path. Undefined means that the field is empty. */
export type FieldChange = { path: string; before: unknown; after: unknown };

/**
 * Returns the changed fields of a message, by the name of the field. Fields that `wanted` does not have stay as they are.
 * A message inside the resource is replaced as a whole. The order of a list of plain values does not count.
 */
export function changedFields(
  message: string,
  current: JsonObject,
  wanted: JsonObject,
): Map<string, FieldChange[]> {
  const changed = new Map<string, FieldChange[]>();
  for (const field of fieldsOf(message)) {
    if (!Object.hasOwn(wanted, field.name)) continue;
    const [before, after] = [current[field.name], wanted[field.name]].map((value) =>
      plain(field, value),
    );
    const changes = compare(field.name, before, after);
    if (changes.length > 0) changed.set(field.name, changes);
  }
  return changed;
}

/** Returns a value without what proto JSON leaves out: empty texts, lists and objects, false, zero, the first enum value. */
function plain(field: CatalogField, value: unknown): unknown {
  if (value === undefined || value === null) return undefined;
  const { many, ...single } = field;
  if (many === "list") {
    const items = (value as unknown[]).map((item) => plain(single, item) ?? "");
    if (items.length === 0) return undefined;
    const isPlain = items.every((item) => typeof item !== "object");
    return isPlain ? items.map(String).toSorted() : items;
  }
  if (many === "map") {
    const entries = Object.entries(value as JsonObject).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return entries.length === 0
      ? undefined
      : Object.fromEntries(entries.map(([key, item]) => [key, plain(single, item) ?? ""]));
  }
  if (field.kind === "message") return plainMessage(field.type ?? "", value as JsonObject);
  return isDefault(field, value) ? undefined : plainScalar(field, value);
}

/** An empty message is not the same as no message, because it chooses a field of a oneof. */
const plainMessage = (type: string, value: JsonObject): JsonObject => {
  const fields = fieldsOf(type);
  // The catalog has no fields of messages such as google.protobuf.Struct.
  if (fields.length === 0) return value;
  return Object.fromEntries(
    fields
      .filter(({ name }) => Object.hasOwn(value, name))
      .map((field): [string, unknown] => [field.name, plain(field, value[field.name])])
      .filter(([, value]) => value !== undefined),
  );
};

function isDefault({ kind, type = "" }: CatalogField, value: unknown): boolean {
  if (kind === "enum") return catalog().enums[type]?.[0]?.name === value;
  return value === "" || value === false || value === 0 || value === "0";
}

/** In proto JSON, the same 64-bit number or time can be written in several ways. */
function plainScalar({ kind }: CatalogField, value: unknown): unknown {
  if (kind === "int") return String(value);
  if (kind === "time") return new Date(String(value)).toISOString();
  return value;
}

function compare(path: string, before: unknown, after: unknown): FieldChange[] {
  if (isObject(before) && isObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => compare(`${path}.${key}`, before[key], after[key]));
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }];
}
