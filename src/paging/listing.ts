/** Describes the List of a resource: its table, its columns and its orders. */
import { getTableColumns, getTableName } from "drizzle-orm";
import type { RunnableQuery } from "drizzle-orm/runnable-query";
import type { AnySQLiteSelect, SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { GROUP_LEVELS, type KeyColumns } from "../../schema/tables/columns.ts";
import type { Database } from "../auth/call.ts";

type Ancestor = "ancestor0" | "ancestor1" | "ancestor2" | "ancestor3" | "ancestor4" | "ancestor5";

/** A table whose rows are resources (schema/tables/columns.ts). */
export type ResourceTable = SQLiteTable & Record<"uid" | "parent" | Ancestor, SQLiteColumn>;

/** The keys of a table with {@link compactListIndexes}, and the table of its parents. */
export type CompactTable = { keys: KeyColumns; parents: ResourceTable };

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
  /** Whether names can have capitals. The table then has indexes of the names that ignore their case. */
  hasCapitals?: boolean;
}

/** How to list a resource. */
export interface Listing<Row> extends Sorting<Row> {
  table: ResourceTable;
  /** The name of the table in `counts`. */
  countedAs: string;
  /** See {@link ListingDefinition}. The same applies to all later fields. */
  select: (db: Database) => RowSelect<Row>;
  deepestIndex: number;
  isKeyedByGroup: boolean;
  classColumn: SQLiteColumn | undefined;
  isUidRange: boolean;
  compact: CompactTable | undefined;
  longColumns: LongColumns<Row>;
}

/** The part of a List that a resource defines. */
export interface ListingDefinition<Table extends ResourceTable, Row> {
  table: Table;
  /** Selects the rows from this table. By default it selects all columns. */
  select?: (db: Database) => RowSelect<Row>;
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
  /**
   * The column between scope and order in the indexes, if there is one. The table `counts` calls it class.
   */
  classColumn?: SQLiteColumn;
  /**
   * Set this together with `classColumn` if no scope precedes the class in the indexes by uid. A scope is
   * then a range of uids.
   */
  isUidRange?: boolean;
  /**
   * Set this if the table has {@link compactListIndexes}. The rows are selected with their `step`.
   */
  compact?: CompactTable;
  /** See {@link Sorting}. */
  hasCapitals?: boolean;
  /**
   * The properties of a row whose values can be long, and the columns that contain them. A response without
   * pages contains only as many of them as a Worker can hold in memory.
   */
  longColumns?: LongColumns<NoInfer<Row>>;
}

/** The orders by the two times that every resource has. */
export const times = { create_time: "createTime", update_time: "updateTime" } as const;

/** Creates the listing of a resource. Its rows have the type of the select. */
export function defineListing<Table extends ResourceTable, Row = Table["$inferSelect"]>(
  definition: ListingDefinition<Table, Row>,
): Listing<Row> {
  const { table } = definition;
  return {
    table,
    countedAs: getTableName(table),
    select: definition.select ?? ((db) => selectAll(db, table)),
    orders: definition.orders ?? commonOrders<Row>(table),
    defaultOrder: definition.defaultOrder ?? "uid",
    deepestIndex: definition.deepestIndex ?? GROUP_LEVELS,
    isKeyedByGroup: definition.isKeyedByGroup ?? false,
    classColumn: definition.classColumn,
    isUidRange: definition.isUidRange ?? definition.compact !== undefined,
    compact: definition.compact,
    hasSteps: definition.compact !== undefined,
    hasCapitals: definition.hasCapitals ?? false,
    longColumns: definition.longColumns ?? {},
  };
}

const selectAll = (db: Database, table: ResourceTable): AnySQLiteSelect => db.select().from(table);

/** The orders that all resources share, if the table has their columns. */
function commonOrders<Row>(table: ResourceTable) {
  const columns = getTableColumns(table);
  const isOfTable = (order: [string, string]): order is [string, keyof Row & string] =>
    order[1] in columns;
  const common = Object.entries({ uid: "uid", name: "name", ...times });
  return Object.fromEntries(common.filter(isOfTable));
}
