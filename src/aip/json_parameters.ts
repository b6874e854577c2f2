/** Puts many rows into few bound parameters. D1 accepts 100 of them, with at most 2 MB each. */
import { type SQL, sql } from "drizzle-orm";

/** The characters of JSON in one bound parameter, well below D1's 2 MB of UTF-8. */
const parameterSize = 400_000;

/** Joins JSON texts into as few JSON arrays as the size of a parameter allows. */
export function toJsonParameters(parts: string[]): string[] {
  const groups: string[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const part of parts) {
    if (size + part.length > parameterSize) {
      groups.push([]);
      size = 0;
    }
    groups.at(-1)?.push(part);
    size += part.length;
  }
  return groups.map((group) => `[${group.join(",")}]`);
}

/**
 * For `insertFrom`: a row for each member of a JSON array, called "given", that meets the condition, if there
 * is one.
 */
export const fromParameter = (parameter: string, condition = sql`true`): SQL =>
  sql`from json_each(${parameter}) as "given" where ${condition}`;
