/**
 * Reads the rows of a page in order (AIP-132 and AIP-158 on D1). The cost depends on the page and not on the
 * list: each scope is a bounded range of one index.
 */
import { and, type SQL, sql } from "drizzle-orm";
import { hasUid, hexOf } from "../../schema/tables/list_indexes.ts";
import { isPresent } from "../../schema/tables/platform/deletions.ts";
import type { Database } from "../auth/call.ts";
import { limitBytes, type Measured } from "./byte_limit.ts";
import { type Examined, maxExamined, selectExamined } from "./examined_rows.ts";
import {
  columnOf,
  type Listing,
  type ListQuery,
  type ResourceTable,
  type RowQuery,
  type RowSelect,
  type Scope,
} from "./listing.ts";
import { type MergeOrder, maxMergedSkip, pageFrom, selectFrom } from "./merge.ts";
import { hasPrefix, stepOf } from "./order.ts";
import { isInOrder, isWalkByUid, partsOf } from "./scope.ts";

/**
 * The statement that reads a page of some scopes: one row more than the page has, to find out whether more follow. With
 * `isOnly`, no rows of other statements are merged with these, and the statement itself skips rows.
 */
export function selectRows<Row>(
  db: Database,
  listing: Listing<Row>,
  query: ListQuery,
  scopes: Scope[],
  isOnly: boolean,
): RowQuery<Row & Partial<Measured> & Partial<Examined>> {
  if (query.index === "no_index") {
    const { start, ...order } = sortingOf(listing, query);
    const parts = partsOfScopes(listing, query, scopes);
    const range = { limit: maxExamined, offset: 0 };
    const { from } = pageFrom(listing.table, parts, start, order, range);
    return selectExamined(db, listing, query, from, rangeOf(query, isOnly));
  }
  const rows = selectPage(db, listing, query, scopes, isOnly);
  return query.maxBytes === undefined
    ? rows
    : limitBytes<Row>(db, rows, query.maxBytes, listing.weights);
}

/** The same for an index that has the rows of the filters, and without a limit of bytes. */
export function selectPage<Row>(
  db: Database,
  listing: Listing<Row>,
  query: ListQuery,
  scopes: Scope[],
  isOnly: boolean,
): RowSelect<Row> {
  const { start, ...order } = sortingOf(listing, query);
  const [first = sql`false`, ...others] = partsOfScopes(listing, query, scopes);
  const range = rangeOf(query, isOnly);
  const rest = and(start, ...(query.index === "either_index" ? [] : query.filters));
  if (others.length > 0) {
    const page = pageFrom(listing.table, [first, ...others], rest, order, range);
    return selectFrom(db, listing, page.from).orderBy(page.sorted);
  }
  const { value, tie, direction } = order;
  return listing
    .select(db)
    .$dynamic()
    .where(and(first, rest))
    .orderBy(...[value, ...(tie ? [tie] : [])].map((term) => sql`${term} ${direction}`))
    .limit(range.limit)
    .offset(range.offset);
}

const rangeOf = ({ pageSize, skip }: ListQuery, isOnly: boolean) =>
  isOnly
    ? { limit: pageSize + 1, offset: skip }
    : { limit: pageSize + 1 + Math.min(skip, maxMergedSkip), offset: 0 };

/** D1 compiles 25,000 instructions, and SQLite doubles its memory for them from 42 on, so that 21,504 fit. */
const maxInstructions = 21_000;
/** Of a part without filters. Those of a filter are fewer than its characters. */
const instructionsOfPart = 255;

/** The scopes of each statement: as many as D1 can compile. */
export function scopesOfStatements<Row>(
  db: Database,
  listing: Listing<Row>,
  query: ListQuery,
  scopes: Scope[],
): Scope[][] {
  // One scope needs no count of its parts.
  if (scopes.length <= 1) return scopes.length === 0 ? [] : [scopes];
  const filters = query.index === "no_index" ? [] : query.filters;
  const length = db
    .select()
    .from(sql`t`)
    .where(and(...filters))
    .toSQL().sql.length;
  const parts = Math.max(...scopes.map((scope) => partsOfScopes(listing, query, [scope]).length));
  const size = Math.floor(maxInstructions / (instructionsOfPart + length) / parts) || 1;
  return Array.from({ length: Math.ceil(scopes.length / size) }, (_, index) =>
    scopes.slice(index * size, (index + 1) * size),
  );
}

/** The parts of the scopes that hold the classes to show, without the rows that are left of deleted parents. */
export function partsOfScopes<Row>(
  listing: Listing<Row>,
  query: ListQuery,
  scopes: Scope[],
): SQL[] {
  const { table, classColumn, mayBeLeft } = listing;
  const isKept = mayBeLeft ? [isPresent(table.parent)] : [];
  // The index of a filter does not have the class, and a plus sign keeps the planner from reading one that does.
  const column = query.index === "filter_index" ? sql`+${classColumn}` : sql`${classColumn}`;
  const classes = classColumn && query.classes.length > 0 ? query.classes : [undefined];
  const joined = (part: SQL, classValue: SQL | undefined) =>
    sql.join(
      [part, ...(classValue ? [sql`${column} = ${classValue}`] : []), ...isKept],
      sql` and `,
    );
  return scopes.flatMap((scope) => {
    const isEither = query.index === "either_index";
    const filterParts = isEither ? partsOf(listing, { ...query, index: "scope_index" }, scope) : [];
    return partsOf(listing, query, scope).flatMap((part, index) =>
      classes.flatMap((named) => {
        const classValue = named === undefined ? named : sql`${named}`;
        const filterPart = filterParts[index];
        if (!filterPart || !classValue) return [joined(part, classValue)];
        return eitherOf(table, joined(filterPart, classValue), query.filters, (few) =>
          joined(part, sql`iif(${few} = 0, ${classValue}, null)`),
        );
      }),
    );
  });
}

/** The most rows that are found by the index of a filter and then sorted. With more, a page has its rows sooner. */
const maxFound = 2_000;

/**
 * Two parts, of which SQLite reads one: the rows that match if they are few, and otherwise a walk in the order of the
 * page. `walk` gets their number as SQL, which is 0 if they are not few. A null in its first comparison ends it.
 */
function eitherOf(
  table: ResourceTable,
  filterPart: SQL,
  filters: SQL[],
  walk: (few: SQL) => SQL,
): SQL[] {
  const matches = and(...filters);
  const selectMatches = (what: SQL, most: SQL) =>
    sql`select ${what} from ${table} where ${and(filterPart, matches)} limit ${most}`;
  const few = sql`(select iif(count(*) > ${maxFound}, 0, ${maxFound}) from (${selectMatches(sql`1`, sql`${maxFound + 1}`)}))`;
  return [
    sql`${table}.rowid in (${selectMatches(sql`rowid`, few)})`,
    // The planner must not find the rows of the walk by the index of the filter.
    sql`${walk(few)} and (${matches}) is true`,
  ];
}

/**
 * How the rows are sorted, and the condition that they are after the last page. A plus sign before the value keeps the
 * planner from reading the index of the order through all rows that the filters exclude.
 */
function sortingOf<Row>(
  listing: Listing<Row>,
  query: ListQuery,
): MergeOrder & { start: SQL | undefined } {
  const { table, keys } = listing;
  const column = columnOf(listing, query.order.field);
  const isUid = column === table.uid;
  const path = isUid && isWalkByUid(listing, query) ? keys?.path : undefined;
  const bare = isInOrder(query) ? sql`${path ?? column}` : sql`+${column}`;
  const collated = (term: SQL) => (query.order.ignoresCase ? sql`${term} collate nocase` : term);
  const tie = isUid ? undefined : sql`${keys?.step ?? table.uid}`;
  const value = collated(bare);
  const after = () => {
    if (!query.cursor) return undefined;
    const [key, uid] = query.cursor.after;
    const sign = query.order.descending ? sql`<` : sql`>`;
    if (!tie) return sql`${bare} ${sign} ${path ? sql`unhex(${hexOf(uid)})` : uid}`;
    // SQLite enters an index by a pair of values only if the pair on the left has bare columns.
    const stored = collated(storedKey(listing, query, key, uid));
    return sql`(${bare}, ${tie}) ${sign} (${stored}, ${keys ? sql`unhex(${stepOf(uid)})` : uid})`;
  };
  // SQLite enters an index by the first of two bounds, so the place after the last page comes first.
  const start = and(after(), hasPrefix(query, value));
  return { value, tie, direction: query.order.descending ? sql`desc` : sql`asc`, start };
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
