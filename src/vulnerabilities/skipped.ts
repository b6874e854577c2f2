/** Reads the records or documents of an import one by one. One that cannot be read is left out, and named. */
import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import type { SkippedSchema } from "../../schema/gen/platform/vulnerabilities/v2/skipped_pb.js";
import { type FieldViolation, invalidArguments } from "../aip/errors.ts";
import { truncate } from "../aip/well_formed.ts";
import { JsonReader, type RepeatedText } from "./json_reader.ts";

/** More would only make the response too large. */
const maxListed = 1000;
const maxReasonLength = 500;

/** The items that were read, in their order, and those that were left out. */
export interface Reading<T> {
  read: T[];
  skipped: MessageInitShape<typeof SkippedSchema>[];
}

/** The members of a response about what was left out: at most 1,000, and the total. */
export const toSkippedMembers = ({ skipped }: Reading<unknown>) => ({
  skipped: skipped.slice(0, maxListed),
  skippedCount: skipped.length,
});

/** How to read one item. `path` is its place in the request (`records[3]`). */
interface ItemReader<T> {
  /** The name of the list in the request. */
  list: string;
  /** Whether one faulty item refuses the call. */
  strict: boolean;
  /** The id of an item, or "". */
  idOf(item: JsonObject): unknown;
  read(reader: JsonReader, item: JsonObject, path: string): T;
}

/**
 * Reads each item with a reader of its own. With `strict`, throws INVALID_ARGUMENT with the faults of all items, at
 * most 1,000.
 */
export function readEach<T>(
  items: JsonObject[],
  { list, strict, idOf, read }: ItemReader<T>,
): Reading<T> {
  const result: Reading<T> = { read: [], skipped: [] };
  const violations: FieldViolation[] = [];
  const repeated: RepeatedText = { characters: 0 };
  for (const [position, item] of items.entries()) {
    const path = `${list}[${position}]`;
    const reader = new JsonReader(repeated);
    const value = reader.attempt(() => read(reader, item, path));
    if (value !== undefined && reader.violations.length === 0) {
      result.read.push(value);
      continue;
    }
    violations.push(...reader.violations);
    if (strict && violations.length >= maxListed) break;
    const id = idOf(item);
    const reason = reasonOf(reader.violations, path);
    result.skipped.push({ position, id: typeof id === "string" ? truncate(id, 255) : "", reason });
  }
  if (strict && violations.length > 0) throw invalidArguments(violations.slice(0, maxListed));
  return result;
}

/** The first fault, without the place of the item, and the number of the others. */
function reasonOf([first, ...others]: FieldViolation[], path: string): string {
  const text = (first?.description ?? "").replaceAll(`${path}.`, "").replaceAll(path, "it");
  const more = others.length === 0 ? "" : `, and ${others.length} more`;
  return `${truncate(text, maxReasonLength)}${more}`;
}
