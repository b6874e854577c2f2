/** A List in the form that its statements need: the wanted part of a listing, its start, and the index. */
import { getTableColumns, type SQL } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Listing } from "./listing.ts";
import type { Order } from "./order.ts";
import type { PageCursor } from "./page_token.ts";

/**
 * The index that finds the filtered rows. With `order_index`, of (scope, order column, step), the rows are
 * read in order and filtered at the same time. The other two suit filters that leave few rows, which are
 * found first and then sorted: `scope_index`, of (scope, filtered column), and `filter_index`, of the filtered
 * column.
 */
export type IndexStrategy = "order_index" | "scope_index" | "filter_index";

/** The part of a listing that one List needs. */
export interface ListQuery {
  order: Order;
  filters: SQL[];
  index: IndexStrategy;
  /** The text that names begin with. Empty for any. The order is then by name. */
  namePrefix?: string;
  /** The values of the listing's `classColumn` to show. */
  classes: (number | string)[];
  pageSize: number;
  skip: number;
  cursor: PageCursor | undefined;
  /** Whether to count the matching rows as well. */
  isCounted: boolean;
  /** The index that counts them, if it is not {@link index}. */
  totalIndex?: IndexStrategy;
  /** Whether no index has the rows of the filters, so that a page looks at a limited number of rows. */
  isLooked?: boolean;
  /** Whether to count only in scopes that have few rows. */
  countsFew?: boolean;
  /**
   * The most bytes of long values to read from a scope. Undefined reads all of them, because a page is short.
   */
  maxBytes?: number | undefined;
}

/** The column of the table that an order sorts by. */
export function columnOf<Row>({ table, orders }: Listing<Row>, field: string): SQLiteColumn {
  const columns: Record<string, SQLiteColumn> = getTableColumns(table);
  return columns[orders[field] ?? "uid"] ?? table.uid;
}
