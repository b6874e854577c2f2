/**
 * AIP-132 and AIP-158 on D1: the rows of a page, in order, for what it costs to read that page. Those
 * of each scope are a bounded walk of one index.
 */
import { and, asc, desc, eq, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Database } from "../auth/call.ts";
import { limitBytes, type Measured } from "./byte_limit.ts";
import type { Listing, RowQuery } from "./listing.ts";
import { maxMergedSkip } from "./merge.ts";
import { columnOf, type ListQuery } from "./query.ts";
import { isInScope, type Scope } from "./scope.ts";

/**
 * The statement that reads the rows of a scope: one more than the page, to see whether there are more.
 * With `isOnly`, which says that no other scope's rows are merged with these, it skips rows itself.
 */
export function selectRows<Row>(
  db: Database,
  listing: Listing<Row>,
  query: ListQuery,
  scope: Scope,
  isOnly: boolean,
): RowQuery<Row & Partial<Measured>> {
  const direction = query.order.descending ? desc : asc;
  const { column, isUid } = orderColumn(listing, query);
  const sortedBy = (first: SQL, uid: SQL | SQLiteColumn) =>
    isUid ? [direction(first)] : [direction(first), direction(uid)];
  const inScope = isInScope(listing, query, scope);
  const rest = [isAfterCursor(listing, query), ...query.filters];
  const select = (inClass: SQL | undefined) =>
    listing
      .select(db)
      .$dynamic()
      .where(and(inScope, inClass, ...rest));
  const [first, second, ...more] = classConditions(listing, query);
  const name = sql.identifier(columnOf(listing, query.order.field).name);
  const ordered =
    second === undefined
      ? select(first).orderBy(...sortedBy(column, listing.table.uid))
      : // SQLite merges the walks of a compound select row by row, so this too costs one page.
        [second, ...more]
          .reduce((all, one) => all.unionAll(select(one)), select(first))
          .orderBy(...sortedBy(sql`${name}`, sql`${sql.identifier("uid")}`));
  const limit = query.pageSize + 1 + (isOnly ? 0 : Math.min(query.skip, maxMergedSkip));
  const rows = ordered.limit(limit).offset(isOnly ? query.skip : 0);
  const { longColumns } = listing;
  if (query.maxBytes === undefined || Object.keys(longColumns).length === 0) return rows;
  return limitBytes<Row>(db, rows, longColumns, query.maxBytes);
}

/** The conditions of the classes that are shown, each of which the index fixes before the order. */
function classConditions<Row>({ classColumn }: Listing<Row>, { classes }: ListQuery): SQL[] {
  return classColumn ? classes.map((one) => eq(classColumn, one)) : [];
}

/**
 * The order column as the query names it. A plus before it keeps the planner from walking the
 * order's index through all that the filters leave out.
 */
function orderColumn<Row>(
  listing: Listing<Row>,
  query: ListQuery,
): { column: SQL; isUid: boolean } {
  const column = columnOf(listing, query.order.field);
  const isUid = column === listing.table.uid;
  return { column: query.index === "order_index" ? sql`${column}` : sql`+${column}`, isUid };
}

function isAfterCursor<Row>(listing: Listing<Row>, query: ListQuery): SQL | undefined {
  if (!query.cursor) return undefined;
  const [value, uid] = query.cursor.after;
  const sign = query.order.descending ? sql`<` : sql`>`;
  const { column, isUid } = orderColumn(listing, query);
  if (isUid) return sql`${column} ${sign} ${uid}`;
  const key = storedKey(listing, query, value, uid);
  return sql`(${column}, ${listing.table.uid}) ${sign} (${key}, ${uid})`;
}

/**
 * The value that the last row is sorted by. Bytes in the table that are not UTF-8 are read as U+FFFD, which sorts
 * elsewhere: then the value is looked up, if the row is still there.
 */
function storedKey<Row>(
  listing: Listing<Row>,
  query: ListQuery,
  value: string | number,
  uid: string,
): SQL {
  if (typeof value === "number" || !value.includes("\ufffd")) return sql`${value}`;
  const { table } = listing;
  const column = columnOf(listing, query.order.field);
  return sql`coalesce((select ${column} from ${table} where ${table.uid} = ${uid}), ${value})`;
}
