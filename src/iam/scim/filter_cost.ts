/** What a filter costs before it is run: which users it looks at, and how many bytes of them. */
import { sql } from "drizzle-orm";
import { scimUsers } from "../../../schema/tables/scim_users.ts";
import { bad } from "./errors.ts";
import type { Filter } from "./filter.ts";
import { isColumn, isKey } from "./filter_sql.ts";
import { limits } from "./limits.ts";

/** Least bytes that one comparison counts for a user. */
const leastBytes = 64;

/** How often a filter looks at the columns of a user, and at the JSON of its attributes. */
export interface Looks {
  columns: number;
  attributes: number;
}

/** The looks of a filter. Each comparison reads the JSON of a user anew. */
export function looksOf(filter: Filter): Looks {
  switch (filter.is) {
    case "and":
    case "or":
      return filter.terms.map(looksOf).reduce((sum, one) => ({
        columns: sum.columns + one.columns,
        attributes: sum.attributes + one.attributes,
      }));
    case "not":
      return looksOf(filter.term);
    case "some": {
      const { columns, attributes } = looksOf(filter.filter);
      return { columns: 0, attributes: 1 + columns + attributes };
    }
    default:
      return isColumn(filter.path) ? { columns: 1, attributes: 0 } : { columns: 0, attributes: 1 };
  }
}

/** Whether a filter demands a key, so that an index finds the one user that it can be about. */
export const demandsKey = (filter: Filter): boolean =>
  filter.is === "and" ? filter.terms.some(demandsKey) : filter.is === "compared" && isKey(filter);

/** Users of a provider together, as far as they are counted. */
export interface Measure {
  users: number;
  columns: number;
  attributes: number;
}

/** The columns of a {@link Measure}, of what {@link measured} selects. */
export const measures = {
  users: sql<number>`count(*)`.as("users"),
  columns: sql<number>`coalesce(sum("columns"), 0)`.as("columns"),
  attributes: sql<number>`coalesce(sum("attributes"), 0)`.as("attributes"),
};

/** Sizes of a user, which SQLite knows without reading the text. */
export const sizes = {
  columns:
    sql<number>`octet_length(${scimUsers.userNameKey}) + coalesce(octet_length(${scimUsers.externalId}), 0)`.as(
      "columns",
    ),
  attributes: sql<number>`octet_length(${scimUsers.attributes})`.as("attributes"),
};

/** One user more than a filter of these looks can ever be run on. */
export const greatestMeasured = ({ columns, attributes }: Looks) =>
  Math.floor(limits.scannedBytes / (leastBytes * (columns + attributes))) + 1;

/** Throws 400 tooMany where a filter would look at too many bytes of the users. */
export function checkScan(looks: Looks, { users, columns, attributes }: Measure): void {
  const bytes =
    looks.columns * (columns + leastBytes * users) +
    looks.attributes * (attributes + leastBytes * users);
  if (bytes > limits.scannedBytes) {
    throw bad(
      "tooMany",
      "the filter looks at too much of too many users; compare less, or demand a userName, externalId or id with eq",
    );
  }
}
