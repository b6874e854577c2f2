/**
 * Counts the matching rows of a scope. Without a filter the number comes from `counts`, which triggers
 * maintain.
 */
import { and, eq, type SQL, sql } from "drizzle-orm";
import { counts } from "../../schema/tables/counts.ts";
import type { Database } from "../auth/call.ts";
import type { Listing } from "./listing.ts";
import type { ListQuery } from "./query.ts";
import { partsOf, type Scope } from "./scope.ts";

/** The statement that returns `[{ total }]` for a scope. */
export function selectTotal<Row>(
  db: Database,
  listing: Listing<Row>,
  query: ListQuery,
  scope: Scope,
) {
  const { table, classColumn } = listing;
  if (query.filters.length > 0 || scope.at === "uids" || scope.at === "childrenOfAny") {
    const inClasses = classColumn
      ? sql`${classColumn} in (select value from json_each(${JSON.stringify(query.classes)}))`
      : undefined;
    // Each part has a count of its own, because it has its own index.
    const counted = partsOf(listing, query, scope).map(
      (part) =>
        sql`(select count(*) from ${table} where ${and(part, ...query.filters, inClasses)})`,
    );
    const total = sql<number>`${sql.join(counted, sql` + `)}`;
    return db.select({ total }).from(sql`(select 1) as "once"`);
  }
  const column = scope.at === "childrenOf" ? counts.children : counts.descendants;
  const itself =
    scope.at === "atOrBelow" && !listing.isKeyedByGroup
      ? sql` + (select count(*) from ${table} where ${table.uid} = ${scope.uid})`
      : sql``;
  const { shown, inClass } = countedClasses(classColumn ? query.classes : []);
  const total = sql<number>`coalesce(sum(${shown(sql`${column}`)}), 0)${itself}`;
  return db
    .select({ total })
    .from(counts)
    .where(and(eq(counts.ancestor, scope.uid), eq(counts.kind, listing.countedAs), inClass));
}

/**
 * The row of one class is found by the index. For several classes all rows of the scope are read, one for
 * each class, and other classes count as nothing.
 */
function countedClasses(classes: (number | string)[]): {
  shown: (count: SQL) => SQL;
  inClass: SQL | undefined;
} {
  const [first, ...more] = classes;
  if (first === undefined) return { shown: (count) => count, inClass: undefined };
  if (more.length === 0)
    return { shown: (count) => count, inClass: sql`${counts.class} = ${first}` };
  const list = sql.join(
    classes.map((one) => sql`${one}`),
    sql`, `,
  );
  const shown = (count: SQL) => sql`iif(${counts.class} in (${list}), ${count}, 0)`;
  return { shown, inClass: undefined };
}
