/** Ordering (AIP-132): `field [asc|desc]`, for one field. A search by the beginning of a name is an order too. */
import { and, type SQL, sql } from "drizzle-orm";
import { invalidArgument } from "../aip/errors.ts";
import { quoted } from "../aip/quoted.ts";
import type { ListQuery, Order, Sorting } from "./listing.ts";

/** Older names of the two times. */
const aliases: Record<string, string> = {
  created: "create_time",
  created_at: "create_time",
  updated: "update_time",
  updated_at: "update_time",
};

const toSnakeCase = (name: string) => name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`);

/**
 * Reads `order_by`. A field can be in snake_case or camelCase, and a time can also be `created_at` or
 * `updated_at`. An empty text gives the default. Throws INVALID_ARGUMENT for `order_by`, with the list of
 * sortable fields.
 */
export function readOrder<Row>(orderBy: string, sorting: Sorting<Row>): Order {
  const { orders, defaultOrder, reason } = sorting;
  const words = (orderBy.trim() || defaultOrder).split(/\s+/);
  const [name = "", direction = "asc"] = words;
  const snakeCase = toSnakeCase(name);
  const field = aliases[snakeCase] ?? snakeCase;
  if (words.length > 2 || !/^(asc|desc)$/i.test(direction) || orderBy.includes(",")) {
    throw invalidArgument(
      "order_by",
      `order_by must be one field, optionally followed by asc or desc; you sent ${quoted(orderBy)}`,
    );
  }
  const sortable = Object.keys(orders);
  if (!sortable.includes(field)) {
    throw invalidArgument(
      "order_by",
      `order_by must begin with one of ${sortable.join(", ")}; you sent ${quoted(name)}${reason ? `; ${reason}` : ""}`,
    );
  }
  const ignoresCase = sorting.hasCapitals === true && field === "name";
  return {
    field,
    descending: direction.toLowerCase() === "desc",
    ...(ignoresCase ? { ignoresCase } : {}),
  };
}

/** The value that a query sorts a row by. */
export function sortKey<Row extends { uid: string }>(
  sorting: Sorting<Row>,
  { order }: ListQuery,
  row: Row,
): string | number {
  const property = sorting.orders[order.field];
  const value: unknown = property === undefined ? row.uid : row[property];
  if (typeof value === "number") return value;
  return order.ignoresCase ? foldCase(String(value)) : String(value);
}

/** The step of a uid as indexes have it: its last 16 digits, or the whole uid of a row at root level. */
export const stepOf = (uid: string): string => (uid.includes("/") ? uid.slice(-16) : uid);

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
  const index = characters.findLastIndex((character) => character !== "\u{10ffff}");
  if (index < 0) return undefined;
  const point = (characters[index]?.codePointAt(0) ?? 0) + 1;
  const isSurrogate = point === 0xd800;
  const next = ignoresCase && point === 0x41 ? 0x5b : isSurrogate ? 0xe000 : point;
  return characters.slice(0, index).join("") + String.fromCodePoint(next);
}
