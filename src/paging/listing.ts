/** What a List has to know of a resource: its table, its columns and its orders. */
import { getTableColumns, getTableName } from "drizzle-orm";
import type { RunnableQuery } from "drizzle-orm/runnable-query";
import type { AnySQLiteSelect, SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { GROUP_LEVELS } from "../../schema/tables/columns.ts";
import type { Database } from "../auth/call.ts";

type Ancestor = "ancestor0" | "ancestor1" | "ancestor2" | "ancestor3" | "ancestor4" | "ancestor5";

/** A table whose rows are resources (schema/tables/columns.ts). */
export type ResourceTable = SQLiteTable &
  Record<"uid" | "parent" | "createTime" | "updateTime" | Ancestor, SQLiteColumn>;

/** A select of any columns that gives such rows, still without conditions and order. */
export type RowSelect<Row> = AnySQLiteSelect & { readonly _: { readonly result: Row[] } };

/** A finished select that gives such rows: to be awaited, or for a batch. */
export type RowQuery<Row> = RunnableQuery<Row[], "sqlite"> & PromiseLike<Row[]>;

/**
 * A column of long values, with how many bytes an answer has for one stored where that is more, or how
 * to read what is stored.
 */
export type LongColumn =
  | SQLiteColumn
  | { column: SQLiteColumn; times: number }
  | { read: (stored: string) => unknown };

/** The properties of a row whose values may be long. */
export type LongColumns<Row> = Partial<Record<keyof Row & string, LongColumn>>;

/** The orders of a List: names as in `order_by`, each with the row's property. */
export interface Sorting<Row> {
  /** Errors name the sortable fields as they stand here. */
  orders: Readonly<Record<string, keyof Row & string>>;
  /** The order of a request that names none. */
  defaultOrder: string;
}

/** How a resource is listed. */
export interface Listing<Row> extends Sorting<Row> {
  table: ResourceTable;
  /** The table's name in `counts`. */
  countedAs: string;
  /** See {@link ListingDefinition}, as all that follows. */
  select: (db: Database) => RowSelect<Row>;
  deepestIndex: number;
  isKeyedByGroup: boolean;
  classColumn: SQLiteColumn | undefined;
  isUidRange: boolean;
  longColumns: LongColumns<Row>;
}

/** What a resource says of its List. */
export interface ListingDefinition<Table extends ResourceTable, Row> {
  table: Table;
  /** The rows, from this table. All its columns, where it is left out. */
  select?: (db: Database) => RowSelect<Row>;
  /** By default uid, the two times and, where the table has one, name. */
  orders?: Readonly<Record<string, keyof NoInfer<Row> & string>>;
  /** One of the orders, with or without `desc`; by default uid. */
  defaultOrder?: string;
  /** Greatest depth of an ancestor whose column has list indexes, -1 for none; by default that of a group. */
  deepestIndex?: number;
  /**
   * A row has the uid of the group that it belongs to. So it stands one step below the uid that it has:
   * `below` does not leave out the row of that uid, and `childrenOf` finds it.
   */
  isKeyedByGroup?: boolean;
  /** The column between scope and order in the indexes, where there is one: that which `counts` calls class. */
  classColumn?: SQLiteColumn;
  /** With a `classColumn`: no scope stands before it in the indexes by uid, so a scope is a range of uids. */
  isUidRange?: boolean;
  /**
   * The row's properties whose values may be long, and the columns they are read from: an answer that
   * has no pages gets no more of them than a Worker can hold.
   */
  longColumns?: LongColumns<NoInfer<Row>>;
}

/** The orders by the times that every resource has. */
export const times = { create_time: "createTime", update_time: "updateTime" } as const;

/** The listing of a resource. Its rows have the type of what it selects. */
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
    isUidRange: definition.isUidRange ?? false,
    longColumns: definition.longColumns ?? {},
  };
}

const selectAll = (db: Database, table: ResourceTable): AnySQLiteSelect => db.select().from(table);

/** The orders that resources have in common, as far as the table has their columns. */
function commonOrders<Row>(table: ResourceTable) {
  const columns = getTableColumns(table);
  const isOfTable = (order: [string, string]): order is [string, keyof Row & string] =>
    order[1] in columns;
  const common = Object.entries({ uid: "uid", name: "name", ...times });
  return Object.fromEntries(common.filter(isOfTable));
}
