/** Calculates the cost of a filter before it runs: the users that it reads, and how many bytes of them. */
import { sql } from "drizzle-orm";
import { scimUsers } from "../../../schema/tables/iam/scim_users.ts";
import { badRequest } from "./errors.ts";
import type { Filter } from "./filter.ts";
import { hasColumn, isKeyComparison } from "./filter_sql.ts";
import { scimLimits } from "./limits.ts";

/** The fewest bytes that one comparison counts for a user. */
const minBytesPerComparison = 64;

/** The number of times that a filter reads the columns of a user, and the JSON of its attributes. */
export interface FilterReads {
  columns: number;
  attributes: number;
}

/** The reads of a filter. Each comparison reads the JSON of a user again. */
export function countReads(filter: Filter): FilterReads {
  switch (filter.is) {
    case "and":
    case "or":
      return filter.terms.map(countReads).reduce((sum, reads) => ({
        columns: sum.columns + reads.columns,
        attributes: sum.attributes + reads.attributes,
      }));
    case "not":
      return countReads(filter.term);
    case "some": {
      const { columns, attributes } = countReads(filter.filter);
      return { columns: 0, attributes: 1 + columns + attributes };
    }
    default:
      return hasColumn(filter.path) ? { columns: 1, attributes: 0 } : { columns: 0, attributes: 1 };
  }
}

/** Whether a filter requires a key, so that an index finds the one user that can match. */
export const requiresKey = (filter: Filter): boolean =>
  filter.is === "and"
    ? filter.terms.some(requiresKey)
    : filter.is === "compared" && isKeyComparison(filter);

/** The users of a provider together, as far as they are counted. */
export interface UserSizes {
  users: number;
  columns: number;
  attributes: number;
}

/** The columns of {@link UserSizes}. */
export const sumColumns = {
  users: sql<number>`count(*)`.as("users"),
  columns: sql<number>`coalesce(sum("columns"), 0)`.as("columns"),
  attributes: sql<number>`coalesce(sum("attributes"), 0)`.as("attributes"),
};

/** The sizes of a user, which SQLite knows without reading the text. */
export const sizeColumns = {
  columns:
    sql<number>`octet_length(${scimUsers.userNameKey}) + coalesce(octet_length(${scimUsers.externalId}), 0)`.as(
      "columns",
    ),
  attributes: sql<number>`octet_length(${scimUsers.attributes})`.as("attributes"),
};

/** One user more than a filter with these reads can ever cover. */
export const maxMeasuredUsers = ({ columns, attributes }: FilterReads) =>
  Math.floor(scimLimits.scannedBytes / (minBytesPerComparison * (columns + attributes))) + 1;

/** Throws 400 tooMany if a filter would read too many bytes of the users. */
export function checkScanCost(reads: FilterReads, { users, columns, attributes }: UserSizes): void {
  const bytes =
    reads.columns * (columns + minBytesPerComparison * users) +
    reads.attributes * (attributes + minBytesPerComparison * users);
  if (bytes > scimLimits.scannedBytes) {
    throw badRequest(
      "tooMany",
      "the filter reads too much data; use fewer comparisons, or compare userName, externalId or id by eq",
    );
  }
}
