import { getTableColumns, is, SQL, sql } from "drizzle-orm";
import type { DrizzleD1Database } from "drizzle-orm/d1";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";

/** A row to insert, by property. Each value is a value as in `values()`, or an SQL expression. */
export type InsertRow<Table extends SQLiteTable> = {
  [Property in keyof Table["$inferInsert"]]: SQL | Table["$inferInsert"][Property];
};

/**
 * Writes `insert into … select …`, for a row behind a condition or for the rows of a JSON parameter. `source`
 * is the part after the selected columns: `where …`, or `from … where …`. An `on conflict` clause requires
 * the `where`. The statement names its columns, so a column that is added to the table does not shift any
 * value.
 */
export const insertFrom = <Table extends SQLiteTable>(
  db: DrizzleD1Database,
  table: Table,
  row: InsertRow<Table>,
  source: SQL,
) => db.insert(table).select(sql`select ${columnsOf(table, row)} ${source}`);

/** The values of a row, in the order in which drizzle lists the columns of an insert. */
function columnsOf(table: SQLiteTable, row: Record<string, unknown>): SQL {
  const columns = Object.entries(getTableColumns(table)).filter(
    ([, column]) => column.generated === undefined,
  );
  return sql.join(
    columns.map(([property, column]) => expressionOf(column, row[property])),
    sql`, `,
  );
}

function expressionOf(column: SQLiteColumn, rowValue: unknown): SQL {
  const value = rowValue === undefined ? (column.default ?? null) : rowValue;
  if (is(value, SQL)) return value;
  return value === null ? sql`null` : sql`${sql.param(value, column)}`;
}
