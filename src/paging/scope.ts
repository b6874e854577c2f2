/** The scopes that rows are read from, and the SQL condition of each. */
import { and, eq, gt, gte, lt, ne, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { uidDepth } from "../aip/uid_path.ts";
import type { Listing, ResourceTable } from "./listing.ts";
import { columnOf, type ListQuery } from "./query.ts";

/**
 * A part of the tree. `below` excludes the uid itself, and `atOrBelow` includes it. `childrenOfAny` is for
 * tables that are not in `counts`, so its total is counted.
 */
export type Scope =
  | { at: "below" | "atOrBelow"; uid: string }
  | { at: "childrenOf"; uid: string }
  | { at: "uids"; uids: string[] }
  | { at: "childrenOfAny"; uids: string[] };

/** The condition that a row is in the scope, in the form that the query's index needs. */
export function isInScope<Row>(
  listing: Listing<Row>,
  query: ListQuery,
  scope: Scope,
): SQL | undefined {
  const { table } = listing;
  if (scope.at === "uids" || scope.at === "childrenOfAny") {
    const column = scope.at === "uids" ? table.uid : table.parent;
    return sql`${column} in (select value from json_each(${JSON.stringify(scope.uids)}))`;
  }
  if (scope.at === "childrenOf") {
    if (query.index === "filter_index" && scope.uid !== "") {
      return and(isBelow(table.uid, scope.uid), sql`+${table.parent} = ${scope.uid}`);
    }
    return eq(table.parent, scope.uid);
  }
  const isStrict = scope.at === "below" && !listing.isKeyedByGroup;
  const isByUid = columnOf(listing, query.order.field) === table.uid;
  const isUidRange = listing.isUidRange || !listing.classColumn;
  const isWalkByUid = query.index === "order_index" && isByUid && isUidRange;
  const ancestor = indexedAncestor(listing, uidDepth(scope.uid));
  if (query.index === "filter_index" || isWalkByUid || !ancestor) {
    const after = isWalkByUid ? query.cursor?.after[1] : undefined;
    return isInRange(table.uid, scope.uid, isStrict, query.order.descending, after);
  }
  return isStrict
    ? and(eq(ancestor, scope.uid), ne(table.uid, scope.uid))
    : eq(ancestor, scope.uid);
}

/** The column of the ancestors at a depth. Undefined if no index of the table begins with it. */
function indexedAncestor<Row>(listing: Listing<Row>, depth: number): SQLiteColumn | undefined {
  return depth > listing.deepestIndex ? undefined : ancestorsOf(listing.table)[depth];
}

const ancestorsOf = (table: ResourceTable): SQLiteColumn[] => [
  table.ancestor0,
  table.ancestor1,
  table.ancestor2,
  table.ancestor3,
  table.ancestor4,
  table.ancestor5,
];

/** Everything that starts with `uid/`: `0` is the character after `/`. */
const isBelow = (column: SQLiteColumn, uid: string) =>
  and(gt(column, `${uid}/`), lt(column, `${uid}0`));

/**
 * A range of uids, from `after` on if that is within the range. SQLite enters an index by the first of two
 * bounds and would read everything up to the second one. The condition therefore contains only the nearer
 * bound.
 */
function isInRange(
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
