/**
 * Without this file, an exact total would cost every row of its scope. The total of a scope comes from `counts`, which
 * triggers maintain. With filters, the matching rows are counted.
 */
import { and, getTableName, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { counts } from "../../schema/tables/counts.ts";
import type { Database } from "../auth/call.ts";
import { maxExamined } from "./examined_rows.ts";
import { hasGrants, type Listing, type ListQuery, type Scope } from "./listing.ts";
import { unionOf } from "./merge.ts";
import { partsOfScopes } from "./rows.ts";

/** The statement that returns `[{ total }]` for some scopes. The total is null if it is not counted. */
export function selectTotal<Row>(
  db: Database,
  listing: Listing<Row>,
  query: ListQuery,
  scopes: Scope[],
) {
  const kept = scopes.every(isCountedScope) ? keptTotal(listing, query, scopes) : undefined;
  if (kept && query.filters.length === 0) return selectOne(db, kept);
  const matches = selectMatches(db, listing, query, scopes);
  if (!kept || query.total !== "few") return matches;
  return selectOne(db, sql`iif(${kept} <= ${maxExamined}, (${matches}), null)`);
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

type CountedScope = Extract<Scope, { uid: string }>;

/** Whether `counts` has the number of rows in the scope. */
const isCountedScope = (scope: Scope): scope is CountedScope =>
  scope.at !== "uids" && scope.at !== "childrenOfAny";

/** SQL: the number of rows in the scopes, from `counts`. */
function keptTotal<Row>(
  { table, classColumn }: Listing<Row>,
  query: ListQuery,
  scopes: CountedScope[],
): SQL {
  // Rows without a class have the class 0.
  const classes = classColumn ? query.classes : [0];
  const ofClass = classes.length > 0 ? sql` and ${counts.class} in ${classes}` : undefined;
  const sumOf = (column: SQLiteColumn, counted: CountedScope[]) =>
    sql`(select coalesce(sum(${column}), 0) from ${counts}
      where ${counts.ancestor} in ${inline(counted)} and ${counts.kind} = ${getTableName(table)}${ofClass})`;
  const [children, below] = [true, false].map((isChildren) =>
    scopes.filter(({ at }) => (at === "childrenOf") === isChildren),
  ) as [CountedScope[], CountedScope[]];
  const themselves = hasGrants(table) ? below.filter(({ at }) => at === "atOrBelow") : [];
  const terms = [
    ...(children.length > 0 ? [sumOf(counts.children, children)] : []),
    ...(below.length > 0 ? [sumOf(counts.descendants, below)] : []),
    ...(themselves.length > 0
      ? [sql`(select count(*) from ${table} where ${table.uid} in ${inline(themselves)})`]
      : []),
  ];
  return sql.join(terms, sql` + `);
}

/** D1 allows 100 parameters. */
const inline = (scopes: CountedScope[]) => sql`${scopes.map(({ uid }) => uid)}`.inlineParams();
