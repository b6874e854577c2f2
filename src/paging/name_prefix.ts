/**
 * Lists by the beginning of a name. The names that begin with a text are next to each other in the index of the
 * names, so a page costs its rows.
 */
import { and, type SQL, sql } from "drizzle-orm";
import type { Sorting } from "./listing.ts";
import type { ListQuery } from "./query.ts";

/** The text with lower case for the letters A to Z, as `NOCASE` of SQLite compares it. */
export const foldCase = (text: string): string =>
  text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** The sorting of a list by the beginning of a name: only the index of the names has its rows together. */
export const onlyByName = <Row>(sorting: Sorting<Row>): Sorting<Row> => {
  const { name } = sorting.orders;
  return {
    ...sorting,
    orders: name === undefined ? {} : { name },
    defaultOrder: "name",
    reason: "with name_prefix, rows are sorted by name",
  };
};

/** The condition that a name begins with the prefix of the query. `name` is the name as the index has it. */
export function hasPrefix({ namePrefix = "", order }: ListQuery, name: SQL): SQL | undefined {
  if (namePrefix === "") return undefined;
  const first = foldCase(namePrefix);
  const end = endOf(first, order.ignoresCase ?? false);
  return and(sql`${name} >= ${first}`, end === undefined ? undefined : sql`${name} < ${end}`);
}

/**
 * The first text after all texts that begin with the prefix, in the order of code points. Undefined if there is none.
 * Without regard to case, the character before A is followed by the one after Z.
 */
export function endOf(prefix: string, ignoresCase: boolean): string | undefined {
  const characters = [...prefix];
  const at = characters.findLastIndex((one) => one !== "\u{10ffff}");
  if (at < 0) return undefined;
  const point = (characters[at]?.codePointAt(0) ?? 0) + 1;
  const isSurrogate = point === 0xd800;
  const next = ignoresCase && point === 0x41 ? 0x5b : isSurrogate ? 0xe000 : point;
  return characters.slice(0, at).join("") + String.fromCodePoint(next);
}
