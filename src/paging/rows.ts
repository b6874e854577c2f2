/**
 * Reads the rows of a page in order (AIP-132 and AIP-158 on D1). The cost depends on the page and not on the
 * list: each scope is a bounded range of one index.
 */
import { and, asc, desc, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { hexOf } from "../../schema/tables/list_indexes.ts";
import type { Database } from "../auth/call.ts";
import { limitBytes, type Measured } from "./byte_limit.ts";
import type { AddedColumns, Listing, RowQuery, RowSelect } from "./listing.ts";
import { maxMergedSkip, stepOf } from "./merge.ts";
import { hasPrefix } from "./name_prefix.ts";
import { columnOf, type ListQuery } from "./query.ts";
import { isWalkByUid, partsOf, type Scope } from "./scope.ts";

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
  const sorting = sortingOf(listing, query);
  // SQLite enters an index by the first of two bounds, so the place where the page begins comes first.
  const name = collated(query, sorting.value);
  const rest = [isAfterCursor(listing, query, sorting), hasPrefix(query, name), ...query.filters];
  const parts = partsOf(listing, query, scope).flatMap((inScope) =>
    classConditions(listing, query).map((inClass) => and(inScope, inClass, ...rest)),
  );
  const select = (part: SQL | undefined, added: AddedColumns = {}) =>
    listing.select(db, added).$dynamic().where(part);
  const [first, second, ...more] = parts;
  const added = {
    sortKey: sql`${sorting.value}`.as("sort_key"),
    sortTie: sql`${sorting.tie ?? null}`.as("sort_tie"),
  };
  const isTied = sorting.tie !== undefined;
  const ordered =
    second === undefined
      ? select(first).orderBy(direction(name), ...(isTied ? [direction(sql`${sorting.tie}`)] : []))
      : // SQLite merges the walks of a compound select row by row, so this too costs one page.
        [second, ...more]
          .reduce((all, one) => all.unionAll(select(one, added)), select(first, added))
          .orderBy(
            direction(collated(query, sql`"sort_key"`)),
            ...(isTied ? [direction(sql`"sort_tie"`)] : []),
          );
  const limit = query.pageSize + 1 + (isOnly ? 0 : Math.min(query.skip, maxMergedSkip));
  return ordered.limit(limit).offset(isOnly ? query.skip : 0);
}

/** What the rows are sorted by: a value, and for rows with the same value `tie`. */
interface RowSorting {
  value: SQL;
  tie: SQLiteColumn | undefined;
  /** Whether the value is a uid as bytes. */
  isPath: boolean;
}

/**
 * The columns that the query sorts by. A plus sign before the first keeps the planner from reading the index of the order
 * through all rows that the filters exclude.
 */
function sortingOf<Row>(listing: Listing<Row>, query: ListQuery): RowSorting {
  const { table, keys } = listing;
  const column = columnOf(listing, query.order.field);
  const isUid = column === table.uid;
  const sorted = isUid && keys?.path && isWalkByUid(listing, query) ? keys.path : column;
  const value = query.index === "order_index" ? sql`${sorted}` : sql`+${sorted}`;
  return { value, tie: isUid ? undefined : (keys?.step ?? table.uid), isPath: sorted !== column };
}

/** The conditions on the classes to show. The index has the class before the order. */
function classConditions<Row>(
  { classColumn }: Listing<Row>,
  { classes, index }: ListQuery,
): (SQL | undefined)[] {
  // The index of a filter does not have the class, and a plus sign keeps the planner from reading one that does.
  const column = index === "filter_index" ? sql`+${classColumn}` : sql`${classColumn}`;
  return classColumn && classes.length > 0
    ? classes.map((one) => sql`${column} = ${one}`)
    : [undefined];
}

/** The order column, or a value to compare with it, with the collation of the index. */
const collated = ({ order }: ListQuery, value: SQL): SQL =>
  order.ignoresCase ? sql`${value} collate nocase` : value;

function isAfterCursor<Row>(
  listing: Listing<Row>,
  query: ListQuery,
  { value: column, tie, isPath }: RowSorting,
): SQL | undefined {
  if (!query.cursor) return undefined;
  const [value, uid] = query.cursor.after;
  const sign = query.order.descending ? sql`<` : sql`>`;
  if (!tie) return sql`${column} ${sign} ${isPath ? sql`unhex(${hexOf(uid)})` : uid}`;
  // SQLite enters an index by a pair of values only if the pair on the left has bare columns.
  const key = collated(query, storedKey(listing, query, value, uid));
  return sql`(${column}, ${tie}) ${sign} (${key}, ${listing.keys ? sql`unhex(${stepOf(uid)})` : uid})`;
}

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
