/** Ordering (AIP-132): `field [asc|desc]`, for one field. */
import { invalidArgument } from "../aip/errors.ts";
import { quoted } from "../aip/quoted.ts";
import type { Sorting } from "./listing.ts";

/** A sortable field of the resource, in snake_case, and the direction. */
export interface Order {
  field: string;
  descending: boolean;
  /** Whether the letters A to Z sort like those in lower case. */
  ignoresCase?: boolean;
}

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
