/**
 * Reads the rows of a page in order (AIP-132 and AIP-158 on D1). The cost depends on the page and not on the
 * list: each scope is a bounded range of one index.
 */
import { and, asc, desc, type SQL, sql } from "drizzle-orm";
import type { RunnableQuery } from "drizzle-orm/runnable-query";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { hasUid, hexOf } from "../../schema/tables/list_indexes.ts";
import { isPresent } from "../../schema/tables/platform/deletions.ts";
import type { Database } from "../auth/call.ts";
import { limitBytes, type Measured } from "./byte_limit.ts";
import { type Listing, type RowQuery, type RowSelect, selectFrom } from "./listing.ts";
import { type Looked, maxLooked, selectLooked } from "./looked_rows.ts";
import { maxMergedSkip, stepOf } from "./merge.ts";
import { type MergeOrder, pageFrom } from "./merged_parts.ts";
import { hasPrefix } from "./name_prefix.ts";
import { columnOf, type ListQuery } from "./query.ts";
import { isWalkByUid, partsOf, type Scope } from "./scope.ts";
import { type PackedPage, selectPacked } from "./shared_columns.ts";

/** The statement of {@link selectPage}. It limits long values if the response has no pages. */
export function selectRows<Row>(
  db: Database,
  listing: Listing<Row>,
  query: ListQuery,
  scopes: Scope[],
  isOnly: boolean,
): RowQuery<Row & Partial<Measured> & Partial<Looked>> | RunnableQuery<PackedPage[], "sqlite"> {
  if (query.isLooked) return selectLookedPage(db, listing, query, scopes, isOnly);
  if (listing.shared && query.maxBytes === undefined) {
    const { select, columns } = listing.shared;
    const page = selectPage(db, { ...listing, select }, query, scopes, isOnly);
    return selectPacked(db, page, columns);
  }
  const rows = selectPage(db, listing, query, scopes, isOnly);
  const { longColumns } = listing;
  if (query.maxBytes === undefined || Object.keys(longColumns).length === 0) return rows;
  return limitBytes<Row>(db, rows, longColumns, query.maxBytes);
}

/**
 * Selects the rows of some scopes. It reads one row more than the page has, to find out whether more follow. With
 * `isOnly`, no rows of other statements are merged with these, and the statement itself skips rows.
 */
export function selectPage<Row>(
  db: Database,
  listing: Listing<Row>,
  query: ListQuery,
  scopes: Scope[],
  isOnly: boolean,
): RowSelect<Row> {
  const sorting = sortingOf(listing, query);
  const { value, tie } = sorting;
  const name = collated(query, value);
  const rest = [...startOf(listing, query), ...query.filters];
  const [first = sql`false`, ...others] = partsOfScopes(listing, query, scopes);
  const { limit, offset } = rangeOf(query, isOnly);
  if (others.length === 0) {
    const direction = query.order.descending ? desc : asc;
    return listing
      .select(db)
      .$dynamic()
      .where(and(first, ...rest))
      .orderBy(direction(name), ...(tie ? [direction(sql`${tie}`)] : []))
      .limit(limit)
      .offset(offset);
  }
  const order = mergeOrder(listing, query);
  const page = pageFrom(listing.table, [first, ...others], and(...rest), order, { limit, offset });
  return selectFrom(db, listing, page.from).orderBy(page.sorted);
}

/** The rows of a page whose filters no index has. */
function selectLookedPage<Row>(
  db: Database,
  listing: Listing<Row>,
  query: ListQuery,
  scopes: Scope[],
  isOnly: boolean,
): RowQuery<Row & Looked> {
  const parts = partsOfScopes(listing, query, scopes);
  const start = and(...startOf(listing, query));
  const range = { limit: maxLooked, offset: 0 };
  const { from } = pageFrom(listing.table, parts, start, mergeOrder(listing, query), range);
  const looked = { from, count: maxLooked };
  return selectLooked(db, listing, query, looked, rangeOf(query, isOnly));
}

/**
 * Where a page begins. SQLite enters an index by the first of two bounds, so the place after the last page comes first.
 */
function startOf<Row>(listing: Listing<Row>, query: ListQuery): (SQL | undefined)[] {
  const sorting = sortingOf(listing, query);
  return [isAfterCursor(listing, query, sorting), hasPrefix(query, collated(query, sorting.value))];
}

const rangeOf = ({ pageSize, skip }: ListQuery, isOnly: boolean) =>
  isOnly
    ? { limit: pageSize + 1, offset: skip }
    : { limit: pageSize + 1 + Math.min(skip, maxMergedSkip), offset: 0 };

function mergeOrder<Row>(listing: Listing<Row>, query: ListQuery): MergeOrder {
  const { value, tie } = sortingOf(listing, query);
  return {
    value: collated(query, value),
    tie: tie && sql`${tie}`,
    direction: query.order.descending ? sql`desc` : sql`asc`,
  };
}

/**
 * The most instructions of a statement. D1 compiles at most 25,000, but SQLite doubles its memory for them from 42 on,
 * so that 21,504 fit. A part takes 120 to 185, of which 12 look for a deleted parent, and the filters in it less than one
 * for each character.
 */
const maxInstructions = 21_000;
const instructionsOfPart = 200;

/** The number of characters of the filters in SQL. */
const lengthOf = (db: Database, filters: SQL[]): number =>
  filters.length === 0
    ? 0
    : db
        .select({ one: sql`1` })
        .from(sql`(select 1)`)
        .where(and(...filters))
        .toSQL().sql.length;

/** The scopes of each statement. */
export function scopesOfStatements<Row>(
  db: Database,
  listing: Listing<Row>,
  query: ListQuery,
  scopes: Scope[],
): Scope[][] {
  // One scope needs no count of its parts.
  if (scopes.length <= 1) return scopes.length === 0 ? [] : [scopes];
  const together: Scope[][] = [];
  const each = instructionsOfPart + (!query.isLooked ? lengthOf(db, query.filters) : 0);
  const maxParts = Math.floor(maxInstructions / each);
  let parts = maxParts;
  for (const scope of scopes) {
    const own = partsOfScopes(listing, query, [scope]).length;
    if (parts + own > maxParts) {
      together.push([]);
      parts = 0;
    }
    together.at(-1)?.push(scope);
    parts += own;
  }
  return together;
}

/** The parts of the scopes that hold the classes to show, without the rows that are left of deleted parents. */
export function partsOfScopes<Row>(
  listing: Listing<Row>,
  query: ListQuery,
  scopes: Scope[],
): SQL[] {
  const isKept = listing.mayBeLeft ? [isPresent(listing.table.parent)] : [];
  return scopes.flatMap((scope) =>
    partsOf(listing, query, scope).flatMap((part) =>
      classConditions(listing, query).map((inClass) =>
        sql.join([part, ...(inClass ? [inClass] : []), ...isKept], sql` and `),
      ),
    ),
  );
}

/** The columns that sort the rows: a value, and `tie` for rows with the same value. */
interface RowSorting {
  value: SQL;
  tie: SQLiteColumn | undefined;
  /** Whether the value is a uid as bytes. */
  isPath: boolean;
}

/**
 * The columns that the query sorts by. A plus sign before the first keeps the planner from reading the index of the
 * order through all rows that the filters exclude.
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
  return sql`coalesce((select ${column} from ${table} where ${hasUid(table, uid)}), ${value})`;
}
