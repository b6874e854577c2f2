/** Puts many rows into few bound parameters. D1 accepts 100 of them, with at most 2 MB each. */
import { type SQL, sql } from "drizzle-orm";

/** The characters of JSON in one bound parameter, well below D1's 2 MB of UTF-8. */
const parameterSize = 400_000;

/** Joins JSON texts into as few JSON arrays as the size of a parameter allows. */
export const toJsonParameters = (parts: string[]): string[] =>
  groupBySize(parts, ({ length }) => length).map((group) => `[${group.join(",")}]`);

/** Divides items so that the JSON of each group fits into a parameter. `sizeOf` returns the characters of an item. */
export function groupBySize<T>(items: T[], sizeOf: (item: T) => number): T[][] {
  const groups: T[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const item of items) {
    const own = sizeOf(item);
    if (size + own > parameterSize) {
      groups.push([]);
      size = 0;
    }
    groups.at(-1)?.push(item);
    size += own;
  }
  return groups;
}

/**
 * For `insertFrom`: a row for each member of a JSON array, called "given", that meets the condition, if there
 * is one. The array can also be a promise (src/rpc/d1_through.ts).
 */
export const fromParameter = (parameter: string | Promise<string>, condition = sql`true`): SQL =>
  sql`from json_each(${parameter}) as "given" where ${condition}`;
