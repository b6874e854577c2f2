/**
 * AIP-132 and AIP-158 on D1: one page of a resource, in order, for what it costs to read that
 * page. A page is read from one or more arms (a subtree, a group's children, or named uids), each a
 * bounded walk of one index, merged here.
 */
import { and, asc, desc, eq, gt, gte, lt, ne, type SQL, sql } from "drizzle-orm";
import type { DrizzleD1Database } from "drizzle-orm/d1";
import {
  type SQLiteColumn,
  type SQLiteSelect,
  type SQLiteTable,
  unionAll,
} from "drizzle-orm/sqlite-core";
import { counts } from "../../schema/tables/counts.ts";
import { invalidArgument } from "./errors.ts";
import type { Order } from "./order_by.ts";
import type { Cursor } from "./page_token.ts";
import { depthOf } from "./uid_path.ts";
import { type Wide, within } from "./wide_rows.ts";

/**
 * Where rows are looked for. `below` leaves out the uid itself, `atOrBelow` does not. `childrenOfAny`
 * is for tables that `counts` leaves out: its total is counted.
 */
export type Arm =
  | { at: "below" | "atOrBelow"; uid: string }
  | { at: "childrenOf"; uid: string }
  | { at: "uids"; uids: string[] }
  | { at: "childrenOfAny"; uids: string[] };

type Ancestor = "ancestor0" | "ancestor1" | "ancestor2" | "ancestor3" | "ancestor4" | "ancestor5";

/** A table whose rows are resources (schema/tables/columns.ts). */
export type ResourceTable = SQLiteTable &
  Record<"uid" | "parent" | "createTime" | "updateTime" | Ancestor, SQLiteColumn>;

/** How a resource is listed. */
export interface Listing<Row> {
  /** Name in `counts`. */
  kind: string;
  table: ResourceTable;
  /**
   * The rows carry the uid of the group they belong to. So they stand one step below the uid that
   * they have: `below` does not leave out the row of that uid, and `childrenOf` finds it.
   */
  groupUids?: boolean;
  /** Deepest ancestor column that has list indexes. */
  deepest: number;
  /** Sortable fields in snake_case, and the row's property of each. */
  orders: Record<string, keyof Row & string>;
  byDefault: string;
  /** The column between scope and order in the indexes, where there is one. */
  partition?: SQLiteColumn;
  /** In the indexes by uid no scope stands before the partition: a scope is a range of uids. */
  isRanged?: boolean;
  /**
   * The row's properties of values that may be long, and the columns they are read from: whoever asks
   * for all rows at once gets no more of them than a Worker can hold.
   */
  wide?: Partial<Record<keyof Row & string, Wide>>;
  /** Rows of one page; `orders` are properties of what it selects. */
  select: (db: DrizzleD1Database) => SQLiteSelect;
}

/** What of a listing says how its rows are sorted. */
export type Sorting<Row> = Pick<Listing<Row>, "orders" | "byDefault">;

/**
 * How the rows that the filters leave are found. `walk`: in order, filtering on the way. Where few
 * are left, found first and then sorted: by an index of (ancestor, filtered column), `scoped`, or by
 * one of (filtered column, uid), `direct`.
 */
export type Lookup = "walk" | "scoped" | "direct";

/** What one List asks of a listing. */
export interface Query {
  order: Order;
  filters: SQL[];
  lookup: Lookup;
  /** Values of the partition column that are shown. */
  partitions: number[];
  pageSize: number;
  skip: number;
  cursor: Cursor | undefined;
  /** Also asks how many rows match. */
  isCounted: boolean;
  /** Most bytes of wide values that are read of an arm; undefined: all, as a page is short. */
  mostWide?: number | undefined;
}

const columnOf = <Row>(listing: Listing<Row>, field: string): SQLiteColumn => {
  const property = listing.orders[field] ?? "uid";
  return (listing.table as unknown as Record<string, SQLiteColumn>)[property] ?? listing.table.uid;
};

/** Everything that starts with `uid/`: '0' is the character after '/'. */
const below = (column: SQLiteColumn, uid: string) =>
  and(gt(column, `${uid}/`), lt(column, `${uid}0`));

/**
 * A range of uids, from `after` on where that lies within it. SQLite enters an index by the first of
 * two bounds and would read all up to the second, so only the nearer one is told.
 */
function inRange(
  column: SQLiteColumn,
  uid: string,
  isStrict: boolean,
  isDescending: boolean,
  after: string | undefined,
): SQL | undefined {
  const [first, end] = [isStrict ? `${uid}/` : uid, `${uid}0`];
  const upper = isDescending && after !== undefined && after < end ? after : end;
  if (!isDescending && after !== undefined && after >= first) {
    return and(gt(column, after), lt(column, upper));
  }
  return and(isStrict ? gt(column, first) : gte(column, first), lt(column, upper));
}

function inArm<Row>(listing: Listing<Row>, query: Query, arm: Arm): SQL | undefined {
  const { table } = listing;
  if (arm.at === "uids" || arm.at === "childrenOfAny") {
    const column = arm.at === "uids" ? table.uid : table.parent;
    return sql`${column} in (select value from json_each(${JSON.stringify(arm.uids)}))`;
  }
  if (arm.at === "childrenOf") {
    if (query.lookup === "direct" && arm.uid !== "") {
      return and(below(table.uid, arm.uid), sql`+${table.parent} = ${arm.uid}`);
    }
    return eq(table.parent, arm.uid);
  }
  const depth = depthOf(arm.uid);
  const isStrict = arm.at === "below" && !listing.groupUids;
  const isByUid = columnOf(listing, query.order.field) === table.uid;
  const isRanged = listing.isRanged || !listing.partition;
  const walksByUid = query.lookup === "walk" && isByUid && isRanged;
  const byRange = query.lookup === "direct" || walksByUid;
  if (byRange || depth > listing.deepest) {
    const after = walksByUid ? query.cursor?.after[1] : undefined;
    return inRange(table.uid, arm.uid, isStrict, query.order.descending, after);
  }
  const ancestor = table[`ancestor${depth}` as Ancestor];
  return isStrict ? and(eq(ancestor, arm.uid), ne(table.uid, arm.uid)) : eq(ancestor, arm.uid);
}

/**
 * The order column as the query names it. A plus before it keeps the planner from walking the
 * order's index through all that the filters leave out.
 */
function ordering<Row>(listing: Listing<Row>, query: Query): { column: SQL; isUid: boolean } {
  const column = columnOf(listing, query.order.field);
  const isUid = column === listing.table.uid;
  return { column: query.lookup === "walk" ? sql`${column}` : sql`+${column}`, isUid };
}

function afterCursor<Row>(listing: Listing<Row>, query: Query): SQL | undefined {
  if (!query.cursor) return undefined;
  const [value, uid] = query.cursor.after;
  const sign = query.order.descending ? sql`<` : sql`>`;
  const { column, isUid } = ordering(listing, query);
  if (isUid) return sql`${column} ${sign} ${uid}`;
  return sql`(${column}, ${listing.table.uid}) ${sign} (${keyOf(listing, query, value, uid)}, ${uid})`;
}

/**
 * The value that the last row is sorted by. Bytes in the table that are not UTF-8 are read as U+FFFD, which sorts
 * elsewhere: then the value is looked up, if the row is still there.
 */
function keyOf<Row>(listing: Listing<Row>, query: Query, value: string | number, uid: string): SQL {
  if (typeof value === "number" || !value.includes("\ufffd")) return sql`${value}`;
  const { table } = listing;
  const column = columnOf(listing, query.order.field);
  return sql`coalesce((select ${column} from ${table} where ${table.uid} = ${uid}), ${value})`;
}

const isPart = <Row>(listing: Listing<Row>, value: number | undefined) =>
  listing.partition && value !== undefined ? eq(listing.partition, value) : undefined;

/** Rows of several arms are merged in the Worker, so what is jumped over has to be read, up to this. */
const greatestMergedSkip = 10_000;

/** The statement that reads an arm's rows: one more than the page, to see whether there are more. */
export function selectRows<Row>(
  db: DrizzleD1Database,
  listing: Listing<Row>,
  query: Query,
  arm: Arm,
  alone: boolean,
): SQLiteSelect {
  const { column, isUid } = ordering(listing, query);
  const direction = query.order.descending ? desc : asc;
  const keys = (first: SQL, uid: SQL | SQLiteColumn) =>
    isUid ? [direction(first)] : [direction(first), direction(uid)];
  const limit = query.pageSize + 1 + (alone ? 0 : Math.min(query.skip, greatestMergedSkip));
  const scope = inArm(listing, query, arm);
  const rest = [afterCursor(listing, query), ...query.filters];
  const walk = (part: number | undefined) =>
    listing.select(db).where(and(scope, isPart(listing, part), ...rest));
  const offset = alone ? query.skip : 0;
  const [first, second, ...more] = listing.partition ? query.partitions : [undefined];
  const name = sql`${sql.identifier(columnOf(listing, query.order.field).name)}`;
  const ordered =
    second === undefined
      ? walk(first).orderBy(...keys(column, listing.table.uid))
      : // SQLite merges the walks of a compound select row by row, so this too costs one page.
        (unionAll(walk(first), walk(second), ...more.map(walk)) as unknown as SQLiteSelect).orderBy(
          ...keys(name, sql`${sql.identifier("uid")}`),
        );
  const rows = ordered.limit(limit).offset(offset) as SQLiteSelect;
  if (query.mostWide === undefined || !listing.wide) return rows;
  return within(db, rows, listing.wide as Record<string, Wide>, query.mostWide);
}

/** The statement that answers `[{ total }]` for an arm: read from `counts` where nothing filters. */
export function selectTotal<Row>(
  db: DrizzleD1Database,
  listing: Listing<Row>,
  query: Query,
  arm: Arm,
) {
  const { table } = listing;
  const parts = listing.partition
    ? sql` and ${listing.partition} in (select value from json_each(${JSON.stringify(query.partitions)}))`
    : sql``;
  if (query.filters.length > 0 || arm.at === "uids" || arm.at === "childrenOfAny") {
    const condition = and(inArm(listing, query, arm), ...query.filters);
    return db.select({ total: sql<number>`count(*)` }).from(table).where(sql`${condition}${parts}`);
  }
  const column = arm.at === "childrenOf" ? counts.children : counts.descendants;
  const itself =
    arm.at === "atOrBelow" && !listing.groupUids
      ? sql` + (select count(*) from ${table} where ${table.uid} = ${arm.uid})`
      : sql``;
  const [first, ...more] = listing.partition ? query.partitions : [];
  const isShown = sql`${counts.class} in (${sql.join(
    [first, ...more].map((one) => sql`${one}`),
    sql`, `,
  )})`;
  const one = first !== undefined && more.length === 0 ? eq(counts.class, first) : undefined;
  const shown = more.length > 0 ? sql`iif(${isShown}, ${column}, 0)` : sql`${column}`;
  return db
    .select({ total: sql<number>`coalesce(sum(${shown}), 0)${itself}` })
    .from(counts)
    .where(and(eq(counts.ancestor, arm.uid), eq(counts.kind, listing.kind), one));
}

/**
 * Merges the arms' rows into one page. `more`: rows follow it. Throws INVALID_ARGUMENT naming `skip`
 * where it leads further into the merged rows than is read of an arm.
 */
export function mergeRows<Row>(
  listing: Sorting<Row>,
  query: Query,
  arms: Row[][],
): { rows: Row[]; more: boolean } {
  const [only] = arms;
  if (only && arms.length === 1) {
    return { rows: only.slice(0, query.pageSize), more: only.length > query.pageSize };
  }
  const greatest = greatestMergedSkip + query.pageSize;
  if (query.skip > greatestMergedSkip && arms.some((rows) => rows.length > greatest)) {
    throw invalidArgument(
      "skip",
      `skip above ${greatestMergedSkip} needs a uidp scope that you hold`,
    );
  }
  const property = listing.orders[query.order.field] ?? ("uid" as keyof Row & string);
  const sign = query.order.descending ? -1 : 1;
  const compare = (a: unknown, b: unknown) =>
    a === b ? 0 : (a as string) < (b as string) ? -1 : 1;
  const uid = "uid" as keyof Row;
  const all = arms
    .flat()
    .sort((a, b) => sign * (compare(a[property], b[property]) || compare(a[uid], b[uid])));
  const end = query.skip + query.pageSize;
  return { rows: all.slice(query.skip, end), more: all.length > end };
}
