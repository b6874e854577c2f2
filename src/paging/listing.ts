/** Describes the List of a resource: its table, its columns and its orders. */
import { getTableColumns, getTableName, type SQL } from "drizzle-orm";
import type { RunnableQuery } from "drizzle-orm/runnable-query";
import type { AnySQLiteSelect, SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { GROUP_LEVELS } from "../../schema/tables/columns.ts";
import {
  aboveOf,
  type GroupKeyed,
  keysOf,
  type LeafKeyed,
  type RowOf,
  rowColumns,
} from "../../schema/tables/list_indexes.ts";
import type { Database } from "../auth/call.ts";

type Ancestor = "ancestor0" | "ancestor1" | "ancestor2" | "ancestor3" | "ancestor4" | "ancestor5";

/** A table whose rows are resources (schema/tables/columns.ts). */
export type ResourceTable = SQLiteTable & Record<"uid" | "parent" | Ancestor, SQLiteColumn>;

/** The columns of a table with the indexes of schema/tables/list_indexes.ts. */
export interface ListKeys {
  step: SQLiteColumn;
  /** The uid as bytes, in the index by uid of a table with classes. */
  path: SQLiteColumn | undefined;
  parentKey: SQLiteColumn;
  /** The keys of the ancestors at each depth. */
  byDepth: SQLiteColumn[];
  /** Whether they are only those above the parent. */
  isAboveParent: boolean;
}

/** A select of any columns that returns such rows, without conditions and order so far. */
export type RowSelect<Row> = AnySQLiteSelect & { readonly _: { readonly result: Row[] } };

/** A complete select that returns such rows. You can await it or put it into a batch. */
export type RowQuery<Row> = RunnableQuery<Row[], "sqlite"> & PromiseLike<Row[]>;

/**
 * A column of long values. It says how many bytes of a response a stored byte takes, if that is more than
 * one, or how to read the stored value.
 */
export type LongColumn =
  | SQLiteColumn
  | { column: SQLiteColumn; times: number }
  | { read: (stored: string) => unknown };

/** The properties of a row whose values can be long. */
export type LongColumns<Row> = Partial<Record<keyof Row & string, LongColumn>>;

/** The orders of a List: their names as in `order_by`, each with the property of the row. */
export interface Sorting<Row> {
  /** Errors list the sortable fields in this order. */
  orders: Readonly<Record<string, keyof Row & string>>;
  /** The order for a request that does not name one. */
  defaultOrder: string;
  /** Why there are no other orders, for errors. */
  reason?: string;
  /** Whether rows with the same value are sorted by the last step of their uids, and not by the whole uids. */
  hasSteps?: boolean;
  /** Whether names can have capitals. They then sort, and are found, as if they had none. */
  hasCapitals?: boolean;
}

/** Columns of another table that the rows of a page show. */
export interface SharedColumns {
  /** The property of the selected row with the key of the shared row, or null for none. */
  by: string;
  table: SQLiteTable;
  key: SQLiteColumn;
  /** The columns by the properties of the row that show them. They are null if there is no such row. */
  columns: Record<string, SQLiteColumn | SQL>;
}

/** How to list a resource. */
export interface Listing<Row> extends Sorting<Row> {
  table: ResourceTable;
  /** The name of the table in `counts`. */
  countedAs: string;
  /** See {@link ListingDefinition}. The same applies to all later fields. */
  select: (db: Database, from?: ResourceTable) => RowSelect<Row>;
  deepestIndex: number;
  isKeyedByGroup: boolean;
  isOfGroups: boolean;
  classColumn: SQLiteColumn | undefined;
  isUidRange: boolean;
  /** Undefined if the indexes of the table have whole uids. */
  keys: ListKeys | undefined;
  leafOf: ResourceTable | undefined;
  mayBeLeft: boolean;
  longColumns: LongColumns<Row>;
  shared:
    | {
        select: (db: Database, from?: ResourceTable) => RowSelect<unknown>;
        columns: SharedColumns[];
        complete: (<Some extends Row>(rows: Some[]) => Some[]) | undefined;
      }
    | undefined;
}

/** The part of a List that a resource defines. */
export interface ListingDefinition<Table extends ResourceTable, Row> {
  table: Table;
  /**
   * Selects the rows from the table, or from a subquery with the rows of a page under the name of the table. By default
   * it selects all columns but those that only indexes need.
   */
  select?: (db: Database, from: Table) => RowSelect<Row>;
  /** By default the uid, the two times and, if the table has one, the name. */
  orders?: Readonly<Record<string, keyof NoInfer<Row> & string>>;
  /** One of the orders, with or without `desc`. The default is the uid. */
  defaultOrder?: string;
  /**
   * The greatest depth of an ancestor whose column has list indexes, or -1 for none. The default is the depth
   * of a group.
   */
  deepestIndex?: number;
  /**
   * The row has the uid of the group that it belongs to, so it is one step below its own uid. `below`
   * therefore includes the row of that uid, and `childrenOf` finds it.
   */
  isKeyedByGroup?: boolean;
  /** The rows are groups, so that the group of a scope can be one of them. */
  isOfGroups?: boolean;
  /**
   * The column between scope and order in the indexes, if there is one. The table `counts` calls it class.
   */
  classColumn?: SQLiteColumn;
  /**
   * Set this together with `classColumn` if no scope precedes the class in the indexes by uid. A scope is
   * then a range of uids.
   */
  isUidRange?: boolean;
  /** The table of the parents, if these contain nothing but such rows, as a repository contains its tags. */
  leafOf?: ResourceTable;
  /** Rows can be left of a deleted parent (schema/tables/platform/deletions.ts). The List leaves them out. */
  mayBeLeft?: boolean;
  /** See {@link Sorting}. */
  hasCapitals?: boolean;
  /**
   * The properties of a row whose values can be long, and the columns that contain them. A response without
   * pages contains only as many of them as a Worker can hold in memory.
   */
  longColumns?: LongColumns<NoInfer<Row>>;
  /**
   * How a page reads the rows, if many of them share rows of other tables: `select` leaves out the columns of these. A
   * response without pages has them from joins. `complete` can add to a row what follows from the others.
   */
  shared?: {
    select: (db: Database, from: Table) => RowSelect<unknown>;
    columns: SharedColumns[];
    complete?: <Some extends NoInfer<Row>>(rows: Some[]) => Some[];
  };
}

/** The orders by the two times that every resource has. */
export const times = { create_time: "createTime", update_time: "updateTime" } as const;

/** Creates the listing of a resource. Its rows have the type of the select. */
export function defineListing<Table extends ResourceTable, Row = RowOf<Table>>(
  definition: ListingDefinition<Table, Row>,
): Listing<Row> {
  const { table, shared, select = (db, from) => selectAll(db, table, from) } = definition;
  const keys = listKeys(table, definition.classColumn !== undefined);
  return {
    table,
    countedAs: getTableName(table),
    // A cast, because the rows of a page have the columns of the table.
    select: (db, from = table) => select(db, from as Table),
    orders: definition.orders ?? commonOrders<Row>(table),
    defaultOrder: definition.defaultOrder ?? "uid",
    deepestIndex: definition.deepestIndex ?? GROUP_LEVELS,
    isKeyedByGroup: definition.isKeyedByGroup ?? false,
    isOfGroups: definition.isOfGroups ?? false,
    classColumn: definition.classColumn,
    isUidRange: definition.isUidRange ?? false,
    keys,
    leafOf: definition.leafOf,
    mayBeLeft: definition.mayBeLeft ?? false,
    hasSteps: keys !== undefined,
    hasCapitals: definition.hasCapitals ?? false,
    longColumns: definition.longColumns ?? {},
    shared: shared && {
      select: (db, from = table) => shared.select(db, from as Table),
      columns: shared.columns,
      complete: shared.complete,
    },
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

/** Selects from merged rows. Throws for a listing that would select from the whole table instead. */
export function selectFrom<Row>(db: Database, listing: Listing<Row>, from: ResourceTable) {
  const select = listing.select(db, from);
  // A cast, because the types of drizzle do not show the table of a select.
  const { config } = select._ as unknown as { config: { table: unknown } };
  if (config.table !== from) throw new Error(`the List of ${listing.countedAs} reads other rows`);
  return select.$dynamic();
}

/** The orders that all resources share, if the table has their columns. */
function commonOrders<Row>(table: ResourceTable) {
  const columns = getTableColumns(table);
  const isOfTable = (order: [string, string]): order is [string, keyof Row & string] =>
    order[1] in columns;
  const common = Object.entries({ uid: "uid", name: "name", ...times });
  return Object.fromEntries(common.filter(isOfTable));
}
