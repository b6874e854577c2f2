/**
 * Reads the rows of a page in order (AIP-132 and AIP-158 on D1). The cost depends on the page and not on the
 * list: each scope is a bounded range of one index.
 */
import { and, asc, desc, eq, type Name, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Database } from "../auth/call.ts";
import { limitBytes, type Measured } from "./byte_limit.ts";
import type { Listing, RowQuery, RowSelect } from "./listing.ts";
import { maxMergedSkip } from "./merge.ts";
import { hasPrefix } from "./name_prefix.ts";
import { columnOf, type ListQuery } from "./query.ts";
import { isInScope, type Scope } from "./scope.ts";

/** The statement of {@link selectPage}. It limits long values if the response has no pages. */
export function selectRows<Row>(
  db: Database,
  listing: Listing<Row>,
  query: ListQuery,
  scope: Scope,
  isOnly: boolean,
): RowQuery<Row & Partial<Measured>> {
  const rows = selectPage(db, listing, query, scope, isOnly);
  const { longColumns } = listing;
  if (query.maxBytes === undefined || Object.keys(longColumns).length === 0) return rows;
  return limitBytes<Row>(db, rows, longColumns, query.maxBytes);
}

/**
 * Selects the rows of a scope. It reads one row more than the page has, to find out whether more follow. With
 * `isOnly`, no rows of other scopes are merged with these, and the statement itself skips rows.
 */
export function selectPage<Row>(
  db: Database,
  listing: Listing<Row>,
  query: ListQuery,
  scope: Scope,
  isOnly: boolean,
): RowSelect<Row> {
  const direction = query.order.descending ? desc : asc;
  const { column: stored, isUid } = orderColumn(listing, query);
  const column = collated(query, stored);
  const sortedBy = (first: SQL, tie: SQL | SQLiteColumn | Name) =>
    isUid ? [direction(first)] : [direction(first), direction(sql`${tie}`)];
  const inScope = isInScope(listing, query, scope);
  // SQLite enters an index by the first of two bounds, so the place where the page begins comes first.
  const rest = [isAfterCursor(listing, query), hasPrefix(query, column), ...query.filters];
  const select = (inClass: SQL | undefined) =>
    listing
      .select(db)
      .$dynamic()
      .where(and(inScope, inClass, ...rest));
  const [first, second, ...more] = classConditions(listing, query);
  const name = sql.identifier(columnOf(listing, query.order.field).name);
  const ordered =
    second === undefined
      ? select(first).orderBy(...sortedBy(column, tieOf(listing)))
      : // SQLite merges the walks of a compound select row by row, so this too costs one page.
        [second, ...more]
          .reduce((all, one) => all.unionAll(select(one)), select(first))
          .orderBy(
            ...sortedBy(
              collated(query, sql`${name}`),
              sql.identifier(listing.compact ? "step" : "uid"),
            ),
          );
  const limit = query.pageSize + 1 + (isOnly ? 0 : Math.min(query.skip, maxMergedSkip));
  return ordered.limit(limit).offset(isOnly ? query.skip : 0);
}

/** The conditions on the classes to show. The index has the class before the order. */
function classConditions<Row>({ classColumn }: Listing<Row>, { classes }: ListQuery): SQL[] {
  return classColumn ? classes.map((one) => eq(classColumn, one)) : [];
}

/**
 * The order column as the query writes it. A plus sign before it keeps the planner from reading the index of
 * the order through all rows that the filters exclude.
 */
function orderColumn<Row>(
  listing: Listing<Row>,
  query: ListQuery,
): { column: SQL; isUid: boolean } {
  const column = columnOf(listing, query.order.field);
  const isUid = column === listing.table.uid;
  return { column: query.index === "order_index" ? sql`${column}` : sql`+${column}`, isUid };
}

/** The order column, or a value to compare with it, with the collation of the index. */
const collated = ({ order }: ListQuery, value: SQL): SQL =>
  order.ignoresCase ? sql`${value} collate nocase` : value;

function isAfterCursor<Row>(listing: Listing<Row>, query: ListQuery): SQL | undefined {
  if (!query.cursor) return undefined;
  const [value, uid] = query.cursor.after;
  const sign = query.order.descending ? sql`<` : sql`>`;
  const { column, isUid } = orderColumn(listing, query);
  if (isUid) return sql`${column} ${sign} ${uid}`;
  // SQLite enters an index by a pair of values only if the pair on the left has bare columns.
  const key = collated(query, storedKey(listing, query, value, uid));
  const { table, compact } = listing;
  if (!compact) return sql`(${column}, ${table.uid}) ${sign} (${key}, ${uid})`;
  return sql`(${column}, ${compact.keys.step}) ${sign} (${key}, unhex(${uid.slice(-16)}))`;
}

/** The order of rows with the same value. */
const tieOf = <Row>({ table, compact }: Listing<Row>): SQLiteColumn =>
  compact?.keys.step ?? table.uid;

/**
 * The value that the last row is sorted by. Stored bytes that are not UTF-8 are read as U+FFFD, which sorts
 * elsewhere. In that case the stored value is looked up, if the row still exists.
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
