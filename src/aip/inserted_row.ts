import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";

/**
 * `select …` of one row's values, for an insert that a condition guards: `from` and `where` may
 * follow. Values stand by property, in the order of the table's columns that are not generated.
 */
export function rowOf(table: SQLiteTable, row: Record<string, unknown>): SQL {
  const values = Object.entries(getTableColumns(table))
    .filter(([, column]) => column.generated === undefined)
    .map(([property, column]) => {
      const value = row[property] ?? null;
      return sql`${value === null ? null : column.mapToDriverValue(value)}`;
    });
  return sql`select ${sql.join(values, sql`, `)}`;
}
