/** One List as the statements need it: what of a listing is wanted, from where on, and by which index. */
import { getTableColumns, type SQL } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Listing } from "./listing.ts";
import type { Order } from "./order.ts";
import type { PageCursor } from "./page_token.ts";

/**
 * The index that finds the rows which the filters leave. `order_index`, of (scope, order column, uid):
 * they are read in order, and filtered on the way. The others are for filters that leave few rows,
 * which are found first and then sorted: `scope_index`, of (scope, filtered column), and
 * `filter_index`, of (filtered column, uid).
 */
export type IndexStrategy = "order_index" | "scope_index" | "filter_index";

/** What one List asks of a listing. */
export interface ListQuery {
  order: Order;
  filters: SQL[];
  index: IndexStrategy;
  /** Values of the listing's `classColumn` that are shown. */
  classes: number[];
  pageSize: number;
  skip: number;
  cursor: PageCursor | undefined;
  /** Also asks how many rows match. */
  isCounted: boolean;
  /** Most bytes of long values that are read of a scope; undefined: all, as a page is short. */
  maxBytes?: number | undefined;
}

/** The column of the table by which an order sorts. */
export function columnOf<Row>({ table, orders }: Listing<Row>, field: string): SQLiteColumn {
  const columns: Record<string, SQLiteColumn> = getTableColumns(table);
  return columns[orders[field] ?? "uid"] ?? table.uid;
}
