/**
 * Reads a page from several parts of a table in one statement. Each part is a range of one index. SQLite merges the
 * walks row by row, so a page costs its rows and one row of each part.
 */
import { getTableColumns, getTableName, type SQL, Subquery, sql } from "drizzle-orm";
import type { ResourceTable } from "./listing.ts";

/** D1 allows five terms in a compound select. */
const maxTerms = 5;

/**
 * The rows of a table that meet one of the conditions, for a FROM clause. No row meets two. SQLite makes one compound
 * select of the nested ones, if the select around them has no aggregate and sorts by columns of its result.
 */
export function unionOf(table: ResourceTable, conditions: SQL[]): SQL {
  // D1 allows 100 parameters. The conditions consist of uids and classes, which are written into the text.
  const selects = conditions.map((one) => sql`select * from ${table} where ${one.inlineParams()}`);
  return sql`(${compound(selects)}) as ${table}`;
}

function compound(selects: SQL[]): SQL {
  const size = Math.ceil(selects.length / maxTerms);
  const terms = Array.from({ length: Math.ceil(selects.length / size) }, (_, at) =>
    selects.slice(at * size, (at + 1) * size),
  ).map(([first = sql``, ...rest]) =>
    rest.length === 0 ? first : sql`select * from (${compound([first, ...rest])})`,
  );
  return sql.join(terms, sql` union all `);
}

/** How the rows of a page are sorted: by a value with its collation, and rows with the same value by `tie`. */
export interface MergeOrder {
  value: SQL;
  tie: SQL | undefined;
  direction: SQL;
}

/** The rows of a page as a table, which a select can read in place of the table itself, in the same order. */
export function pageFrom(
  table: ResourceTable,
  conditions: SQL[],
  where: SQL | undefined,
  order: MergeOrder,
  { limit, offset }: { limit: number; offset: number },
): { from: ResourceTable; sorted: SQL } {
  const { value, tie, direction } = order;
  // SQLite computes only those that the select around this one reads.
  const columns = Object.values(getTableColumns(table));
  const sorted = sql.join(
    [sql`"list_key" ${direction}`, ...(tie === undefined ? [] : [sql`"list_tie" ${direction}`])],
    sql`, `,
  );
  const page = sql`(select ${sql.join(columns, sql`, `)}, ${value} as "list_key", ${tie ?? sql`null`} as "list_tie"
    from ${unionOf(table, conditions)}${where ? sql` where ${where}` : sql``}
    order by ${sorted} limit ${limit} offset ${offset})`;
  // A cast, because drizzle selects from a subquery as from a table.
  const from = new Subquery(
    page,
    getTableColumns(table),
    getTableName(table),
  ) as unknown as ResourceTable;
  return { from, sorted };
}
