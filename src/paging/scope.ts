/** Without this file, the cost of a page would depend on its depth: it has the range of an index for each scope. */
import { eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import {
  ancestorKeyOf,
  hasUidOf,
  hexOf,
  nextHex,
  parentKeyOf,
} from "../../schema/tables/list_indexes.ts";
import { uidDepth } from "../aip/uid_path.ts";
import {
  columnOf,
  hasGrants,
  type Listing,
  type ListQuery,
  type ResourceTable,
  type Scope,
} from "./listing.ts";

/**
 * The conditions of the parts that a scope consists of, in the form that the query's index needs. A row is in the scope
 * if it meets one of them, and none meets two. Each part is a range of one index, so a page merges them.
 */
export function partsOf<Row>(listing: Listing<Row>, query: ListQuery, scope: Scope): SQL[] {
  const { table } = listing;
  if (scope.at === "uids") return [hasUidOf(table, scope.uids)];
  if (scope.at === "childrenOfAny") {
    return [sql`${table.parent} in (select value from json_each(${JSON.stringify(scope.uids)}))`];
  }
  if (scope.at === "childrenOf") return childrenOf(listing, query, scope.uid);
  return rowsUnder(listing, query, scope.uid, scope.at === "below" && !listing.isKeyedByGroup);
}

function childrenOf<Row>(listing: Listing<Row>, query: ListQuery, uid: string): SQL[] {
  const { table, keys, leafOf } = listing;
  if (query.index === "filter_index" && uid !== "") {
    return [inRoot(listing, uid, sql`${isBelow(table.uid, uid)} and +${table.parent} = ${uid}`)];
  }
  if (leafOf) {
    // Every row below a parent is its child. Other resources have none, and SQLite finds that out first.
    const isParent = sql`exists (select 1 from ${leafOf} where ${leafOf.uid} = ${uid})`;
    const rows = uid === "" ? [] : rowsUnder(listing, query, uid, true);
    return rows.length === 0
      ? [sql`false`]
      : rows.map((condition) => sql`${isParent} and ${condition}`);
  }
  // The index by uid has the whole parent.
  const isByUid = columnOf(listing, query.order.field) === table.uid;
  return [keys && !isByUid ? hasParent(table, keys.parentKey, uid) : eq(table.parent, uid)];
}

/** The whole uid is compared too, because a key is only a part of it. */
const hasParent = (table: ResourceTable, parentKey: SQLiteColumn, uid: string) =>
  sql`${parentKey} = ${parentKeyOf(uid)} and ${table.parent} = ${uid}`;

function rowsUnder<Row>(
  listing: Listing<Row>,
  query: ListQuery,
  uid: string,
  isStrict: boolean,
): SQL[] {
  const { table, keys } = listing;
  const isWalk = isWalkByUid(listing, query);
  const depth = uidDepth(uid);
  if (query.index === "filter_index" || isWalk || depth > deepestIndex(listing)) {
    const after = isWalk ? query.cursor?.after[1] : undefined;
    const path = isWalk ? keys?.path : undefined;
    const range = isInRange(path ?? table.uid, uid, isStrict, query.order.descending, after);
    return [query.index === "filter_index" ? inRoot(listing, uid, range) : range];
  }
  const columns: Record<string, SQLiteColumn> = getTableColumns(table);
  const ancestor = columns[`ancestor${depth}`] ?? table.uid;
  if (!keys) {
    const isIn = eq(ancestor, uid);
    return [isStrict ? sql`${isIn} and ${table.uid} <> ${uid}` : isIn];
  }
  const below = keys.byDepth[depth];
  // A plus sign keeps the planner from reading another index of the ancestor, which has all rows below it.
  const further = below ? [sql`${below} = ${ancestorKeyOf(uid)} and +${ancestor} = ${uid}`] : [];
  if (!keys.isAboveParent) return further;
  const itself = isStrict || !hasGrants(table) ? [] : [eq(table.uid, uid)];
  return [hasParent(table, keys.parentKey, uid), ...further, ...itself];
}

/** An index of a filter can have the key of the organization, so that it reads no rows of others. */
function inRoot<Row>({ keys, leafOf }: Listing<Row>, uid: string, range: SQL): SQL {
  const root = leafOf && keys?.byDepth[0];
  return root ? sql`${root} = ${ancestorKeyOf(uid.slice(0, 40))} and ${range}` : range;
}

/** Whether the rows are a range of the index by uid. */
export const isWalkByUid = <Row>(listing: Listing<Row>, query: ListQuery): boolean =>
  isInOrder(query) && columnOf(listing, query.order.field) === listing.table.uid;

/** Whether an index has the rows in the order of the page. */
export const isInOrder = ({ index }: ListQuery): boolean =>
  index !== "scope_index" && index !== "filter_index";

/** The greatest depth of an ancestor whose column has list indexes. A table without keys has them for organizations. */
const deepestIndex = <Row>({ keys }: Listing<Row>): number =>
  keys ? keys.byDepth.length - (keys.isAboveParent ? 0 : 1) : 0;

/** Everything that starts with `uid/`: `0` is the character after `/`. */
export const isBelow = (column: SQLiteColumn, uid: string) =>
  sql`${column} > ${`${uid}/`} and ${column} < ${`${uid}0`}`;

/**
 * A range of uids, from `after` on if that is within the range. SQLite enters an index by the first of two bounds and
 * would read everything up to the second one, so the condition has only the nearer bound. The uids below a uid as bytes
 * begin with its own, which is not included.
 */
function isInRange(
  column: SQLiteColumn,
  uid: string,
  isStrict: boolean,
  isDescending: boolean,
  after: string | undefined,
): SQL {
  const isPath = column.name === "path";
  // No row is below a text that is not a uid.
  if (isPath && !/^[0-9a-f]+$/.test(hexOf(uid))) return sql`false`;
  const [first, end, lastSeen] = isPath
    ? [hexOf(uid), nextHex(hexOf(uid)), after && hexOf(after)]
    : [isStrict ? `${uid}/` : uid, `${uid}0`, after];
  const isLater = !isDescending && lastSeen !== undefined && lastSeen >= first;
  const isEarlier = isDescending && lastSeen !== undefined && lastSeen < end;
  const bound = (text: string) => (isPath ? sql`unhex(${text})` : sql`${text}`);
  const start = isPath || isStrict || isLater ? sql`>` : sql`>=`;
  return sql`${column} ${start} ${bound(isLater ? lastSeen : first)} and ${column} < ${bound(isEarlier ? lastSeen : end)}`;
}
