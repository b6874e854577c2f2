/** The scopes that rows are read from, and the SQL condition of each. */
import { and, eq, gt, gte, lt, ne, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { keysOf } from "../../schema/tables/columns.ts";
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
  if (scope.at === "childrenOf") return isChild(listing, query, scope.uid);
  return isUnder(listing, query, scope.uid, scope.at === "below" && !listing.isKeyedByGroup);
}

function isChild<Row>(listing: Listing<Row>, query: ListQuery, uid: string): SQL | undefined {
  const { table, compact } = listing;
  if (!compact) {
    return query.index === "filter_index" && uid !== ""
      ? and(isBelow(table.uid, uid), sql`+${table.parent} = ${uid}`)
      : eq(table.parent, uid);
  }
  if (uid === "") return sql`false`;
  // Every row below a parent is its child. Other resources have none, and SQLite finds that out first.
  const isParent = sql`exists (select 1 from ${compact.parents} where ${compact.parents.uid} = ${uid})`;
  return and(isParent, isUnder(listing, query, uid, true));
}

function isUnder<Row>(
  listing: Listing<Row>,
  query: ListQuery,
  uid: string,
  isStrict: boolean,
): SQL | undefined {
  const { table, compact } = listing;
  const isWalk = isWalkByUid(listing, query);
  const depth = uidDepth(uid);
  const ancestor = indexedAncestor(listing, depth);
  if (query.index === "filter_index" || isWalk || !ancestor) {
    const after = isWalk ? query.cursor?.after[1] : undefined;
    return isInRange(table.uid, uid, isStrict, query.order.descending, after);
  }
  const key = compact && keysOf(compact.keys)[depth];
  // The whole uid is compared too, because the key of an ancestor is only a part of it.
  if (key) return and(sql`${key} = unhex(${uid.slice(-16)})`, sql`+${ancestor} = ${uid}`);
  return isStrict ? and(eq(ancestor, uid), ne(table.uid, uid)) : eq(ancestor, uid);
}

const isWalkByUid = <Row>(listing: Listing<Row>, query: ListQuery): boolean =>
  query.index === "order_index" &&
  columnOf(listing, query.order.field) === listing.table.uid &&
  (listing.isUidRange || !listing.classColumn);

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
