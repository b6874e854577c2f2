/**
 * Counts the matching rows of some scopes. Without a filter the number comes from `counts`, which triggers
 * maintain.
 */
import { and, eq, getTableName, type SQL, sql } from "drizzle-orm";
import { counts } from "../../schema/tables/counts.ts";
import { groups } from "../../schema/tables/iam/groups.ts";
import type { Database } from "../auth/call.ts";
import type { Listing, ListQuery, Scope } from "./listing.ts";
import { maxLooked } from "./looked_rows.ts";
import { unionOf } from "./merge.ts";
import { partsOfScopes } from "./rows.ts";

/** The statement that returns `[{ total }]` for some scopes. The total is null if it is not counted. */
export function selectTotal<Row>(
  db: Database,
  listing: Listing<Row>,
  query: ListQuery,
  scopes: Scope[],
) {
  const kept = scopes.every(isCountedScope) ? keptTotals(listing, query, scopes) : undefined;
  if (kept && query.filters.length === 0) return selectOne(db, kept);
  const matches = selectMatches(db, listing, query, scopes);
  if (!kept || query.total !== "few") return matches;
  return selectOne(db, sql`iif(${kept} <= ${maxLooked}, (${matches}), null)`);
}

const selectOne = (db: Database, total: SQL) =>
  db.select({ total: sql<number | null>`${total}`.as("total") }).from(sql`(select 1)`);

/** Counts the rows that match. */
function selectMatches<Row>(
  db: Database,
  listing: Listing<Row>,
  query: ListQuery,
  scopes: Scope[],
) {
  const { table } = listing;
  const count = db.select({ total: sql<number | null>`count(*)`.as("total") });
  const { total = query.index } = query;
  const index = total === "few" ? query.index : total;
  const [first, ...others] = partsOfScopes(listing, { ...query, index }, scopes);
  if (first === undefined || others.length === 0) {
    return count.from(table).where(and(first, ...query.filters));
  }
  const union = unionOf(table, [first, ...others]);
  const filters = and(...query.filters) ?? sql`true`;
  // The limit keeps SQLite from counting the union itself, which it would read without the indexes of the filters.
  return count.from(sql`(select 1 from ${union} where ${filters} limit -1)`);
}

/** SQL: the number of rows in the scopes, from `counts`. */
function keptTotals<Row>(listing: Listing<Row>, query: ListQuery, scopes: CountedScope[]): SQL {
  const [first = sql`0`, ...others] = scopes.map((one) => keptTotal(listing, query, one));
  // D1 allows 100 parameters. These consist of uids and the names of tables.
  return others.length === 0 ? first : sumOf([first, ...others].map((one) => one.inlineParams()));
}

/** Whether `counts` has the number of rows in the scope. */
const isCountedScope = (scope: Scope): scope is CountedScope =>
  scope.at !== "uids" && scope.at !== "childrenOfAny";

type CountedScope = Extract<Scope, { uid: string }>;

/** SQL: the number of rows in a scope, from `counts`. */
function keptTotal<Row>(
  { table, classColumn }: Listing<Row>,
  query: ListQuery,
  scope: CountedScope,
): SQL {
  const column = scope.at === "childrenOf" ? counts.children : counts.descendants;
  const itself =
    scope.at === "atOrBelow" && table === groups
      ? sql` + (select count(*) from ${table} where ${table.uid} = ${scope.uid})`
      : sql``;
  const { shown, inClass } = countedClasses(classColumn ? query.classes : [0]);
  const isOfScope = and(
    eq(counts.ancestor, scope.uid),
    eq(counts.kind, getTableName(table)),
    inClass,
  );
  return sql`(select coalesce(sum(${shown(sql`${column}`)}), 0)${itself} from ${counts} where ${isOfScope})`;
}

/** The sum of many terms. SQLite limits the depth of an expression, so they are not added one after the other. */
function sumOf(terms: SQL[]): SQL {
  if (terms.length <= 10) return sql.join(terms, sql` + `);
  const size = Math.ceil(terms.length / 10);
  const parts = Array.from(
    { length: Math.ceil(terms.length / size) },
    (_, at) => sql`(${sumOf(terms.slice(at * size, (at + 1) * size))})`,
  );
  return sql.join(parts, sql` + `);
}

/**
 * The row of one class is found by the index. Rows without a class have the class 0. For several classes all rows of
 * the scope are read, one for each class, and other classes count as nothing.
 */
function countedClasses(classes: (number | string)[]): {
  shown: (count: SQL) => SQL;
  inClass: SQL | undefined;
} {
  const [first, ...more] = classes;
  const inClass = first === undefined ? undefined : sql`${counts.class} = ${first}`;
  return more.length === 0
    ? { shown: (count) => count, inClass }
    : {
        shown: (count) => sql`iif(${counts.class} in ${classes}, ${count}, 0)`,
        inClass: undefined,
      };
}
