/** Describes the List of a resource, and the part of it that one request wants. */
import { getTableColumns, type SQL } from "drizzle-orm";
import type { RunnableQuery } from "drizzle-orm/runnable-query";
import type { AnySQLiteSelect, SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { groups } from "../../schema/tables/iam/groups.ts";
import {
  aboveOf,
  type GroupKeyed,
  keysOf,
  type LeafKeyed,
  type RowOf,
  rowColumns,
} from "../../schema/tables/list_indexes.ts";
import { repos } from "../../schema/tables/registry/repos.ts";
import type { Database } from "../auth/call.ts";
import type { PageCursor } from "./page_token.ts";

type Ancestor = "ancestor0" | "ancestor1" | "ancestor2" | "ancestor3" | "ancestor4" | "ancestor5";

/** A table whose rows are resources (schema/tables/columns.ts). */
export type ResourceTable = SQLiteTable & Record<"uid" | "parent" | Ancestor, SQLiteColumn>;

/** Whether a role binding can be on a row of the table itself. A scope at or below a uid then includes its row. */
export const hasGrants = (table: ResourceTable): boolean => table === groups || table === repos;

/** A select of any columns that returns such rows, without conditions and order so far. */
export type RowSelect<Row> = AnySQLiteSelect & { readonly _: { readonly result: Row[] } };

/** A complete select that returns such rows. You can await it or put it into a batch. */
export type RowQuery<Row> = RunnableQuery<Row[], "sqlite"> & PromiseLike<Row[]>;

/** The columns of a table with the indexes of schema/tables/list_indexes.ts. */
interface ListKeys {
  step: SQLiteColumn;
  /** The uid as bytes, in the index by uid of a table with classes. */
  path: SQLiteColumn | undefined;
  parentKey: SQLiteColumn;
  /** The keys of the ancestors at each depth. */
  byDepth: SQLiteColumn[];
  /** Whether they are only those above the parent. */
  isAboveParent: boolean;
}

/** The orders of a List: their names as in `order_by`, each with the property of the row. */
export interface Sorting<Row> {
  /** Errors list the sortable fields in this order. By default the uid, the two times and, if there is one, the name. */
  orders: Readonly<Record<string, keyof Row & string>>;
  /** The order for a request that does not name one. By default the uid. */
  defaultOrder: string;
  /** Why there are no other orders, for errors. */
  reason?: string;
  /** Whether names can have capitals. They then sort, and are found, as if they had none. */
  hasCapitals?: boolean;
  /** Undefined if the indexes have whole uids. Otherwise rows with the same value are sorted by their last steps. */
  keys?: ListKeys | undefined;
}

/** A sortable field of the resource, in snake_case, and the direction. */
export interface Order {
  field: string;
  descending: boolean;
  /** Whether the letters A to Z sort like those in lower case. */
  ignoresCase?: boolean;
}

/**
 * A part of the tree. `below` excludes the uid itself, and `atOrBelow` includes it. `childrenOfAny` is for
 * tables that are not in `counts`, so its total is counted.
 */
export type Scope =
  | { at: "below" | "atOrBelow"; uid: string }
  | { at: "childrenOf"; uid: string }
  | { at: "uids"; uids: string[] }
  | { at: "childrenOfAny"; uids: string[] };

/** How to list a resource. */
export interface Listing<Row> extends Sorting<Row> {
  table: ResourceTable;
  /**
   * Selects the rows from the table, or from a subquery with the rows of a page under the name of the table. By default
   * it selects all columns but those that only indexes need.
   */
  select: (db: Database, from?: ResourceTable) => RowSelect<Row>;
  /** The column between scope and order in the indexes. The table `counts` calls it class. */
  classColumn?: SQLiteColumn;
  /** The table of the parents, if these contain nothing but such rows, as a repository contains its tags. */
  leafOf?: ResourceTable;
  /** Rows can be left of a deleted parent (schema/tables/platform/deletions.ts). The List leaves them out. */
  mayBeLeft?: boolean;
  /** The row has the uid of its group. It is one step below its own uid, so `below` includes the row of that uid. */
  isKeyedByGroup?: boolean;
  /** How many bytes of a response a stored byte takes, for properties where these are more than one. */
  weights?: Partial<Record<keyof Row & string, number>>;
  /**
   * Rows that no list index has: those of a scope from the cursor on, one more than the page has. With `isOnly` it skips
   * what the query skips, and otherwise it returns these rows too, at most `maxMergedSkip` of them.
   */
  ownRows?: (db: Database, query: ListQuery, scope: Scope, isOnly: boolean) => RowQuery<Row>;
}

/** The part of a listing that a resource defines: the table, and all that differs from the defaults. */
type Definition<Table extends ResourceTable, Row> = Partial<
  Omit<Listing<NoInfer<Row>>, "table" | "select" | "keys">
> & { table: Table; select?: (db: Database, from: Table) => RowSelect<Row> };

/**
 * The index that finds the rows. `order_index`, of (scope, order column, step), has them in order, and filters apply
 * while they are read. `scope_index`, of (scope, filtered column), and `filter_index`, of the filtered column, suit
 * filters that leave few rows, which are found first and then sorted. `either_index` is `scope_index` where the filters
 * leave few rows, and otherwise `order_index`. With `no_index`, a page looks at a limited number of rows
 * (examined_rows.ts).
 */
export type IndexStrategy =
  | "order_index"
  | "scope_index"
  | "filter_index"
  | "either_index"
  | "no_index";

/** The part of a listing that one request wants. */
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
  /** The index that counts them, if it is not {@link index}, or `few` to count only in scopes that have few rows. */
  total?: IndexStrategy | "few" | undefined;
  /** The most bytes to read. Undefined reads all of them, because a page is short. */
  maxBytes?: number | undefined;
}

/** The orders by the two times that every resource has. */
export const times = { create_time: "createTime", update_time: "updateTime" } as const;

/** Creates the listing of a resource. Its rows have the type of the select. */
export function defineListing<Table extends ResourceTable, Row = RowOf<Table>>(
  definition: Definition<Table, Row>,
): Listing<Row> {
  const { table, select = (db, from) => selectAll(db, table, from) } = definition;
  return {
    orders: commonOrders<Row>(table),
    defaultOrder: "uid",
    ...definition,
    // A cast, because the rows of a page have the columns of the table.
    select: (db, from = table) => select(db, from as Table),
    keys: listKeys(table, definition.classColumn !== undefined),
  };
}

function listKeys(table: ResourceTable, hasPaths: boolean): ListKeys | undefined {
  const columns: Record<string, SQLiteColumn> = getTableColumns(table);
  if (!columns.step || !columns.parentKey) return undefined;
  const isAboveParent = "above0" in columns;
  // Casts, because a table has all columns of its kind or none.
  const byDepth = isAboveParent ? aboveOf(columns as GroupKeyed) : keysOf(columns as LeafKeyed);
  const { step, path, parentKey } = columns;
  return { step, path: hasPaths ? path : undefined, parentKey, byDepth, isAboveParent };
}

const selectAll = (db: Database, table: ResourceTable, from: ResourceTable): AnySQLiteSelect =>
  db.select(rowColumns(table)).from(from);

/** The orders that all resources share, if the table has their columns. */
function commonOrders<Row>(table: ResourceTable) {
  const columns = getTableColumns(table);
  const isOfTable = (order: [string, string]): order is [string, keyof Row & string] =>
    order[1] in columns;
  const common = Object.entries({ uid: "uid", name: "name", ...times });
  return Object.fromEntries(common.filter(isOfTable));
}

/** The column of the table that an order sorts by. */
export function columnOf<Row>({ table, orders }: Listing<Row>, field: string): SQLiteColumn {
  const columns: Record<string, SQLiteColumn> = getTableColumns(table);
  return columns[orders[field] ?? "uid"] ?? table.uid;
}
