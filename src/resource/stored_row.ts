/** The rows that a write leaves in its table, as a select would return them. */
import { getTableColumns, is, SQL } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";

/** The columns of a table by property, without generated columns. */
export type Columns<Table extends SQLiteTable> = Table["$inferInsert"];

/** A row of a table, without generated columns. */
export type Stored<Table extends SQLiteTable> = Pick<
  Table["$inferSelect"],
  keyof Columns<Table> & keyof Table["$inferSelect"]
>;

/** The part of what is shown that is not in columns of the row itself: generated and joined columns. */
export type Joined<Table extends SQLiteTable, Shown> = Omit<Shown, keyof Stored<Table>>;

/** The columns that a statement can write, by property. */
const writtenColumns = (table: SQLiteTable): [string, SQLiteColumn][] =>
  Object.entries<SQLiteColumn>(getTableColumns(table)).filter(([, column]) => !column.generated);

/** A value after its way through the database. */
function stored(column: SQLiteColumn, input: unknown): unknown {
  if (input === null) return null;
  const value = column.mapToDriverValue(input);
  return value === null ? null : column.mapFromDriverValue(value);
}

/** The value of a column that an insert does not name. */
function defaultOf({ name, default: value = null }: SQLiteColumn): unknown {
  if (is(value, SQL)) throw new Error(`the default of ${name} is known only to SQLite`);
  return value;
}

/** The values of those properties that are columns that a statement can write. */
export const onlyColumns = <Table extends SQLiteTable>(
  table: Table,
  properties: object,
): Partial<Columns<Table>> => {
  const values = new Map<string, unknown>(Object.entries(properties));
  const present = writtenColumns(table).filter(([name]) => values.get(name) !== undefined);
  // A cast, because the table says at run time which columns it has.
  return Object.fromEntries(present.map(([name]) => [name, values.get(name)])) as Partial<
    Columns<Table>
  >;
};

/**
 * The row that an insert of these values leaves. Columns without a value have their default. Other properties, such as
 * joined columns, stay as they are.
 */
export function insertedRow<Table extends SQLiteTable, Extra extends object>(
  table: Table,
  row: Columns<Table> & Extra,
): Stored<Table> & Extra {
  const defaults = writtenColumns(table).map(([name, column]) => [name, defaultOf(column)]);
  return updatedRow(table, Object.fromEntries(defaults), row) as Stored<Table> & Extra;
}

/** The row that an update with these values leaves. Other properties, such as joined columns, stay as they are. */
export function updatedRow<Row extends object>(
  table: SQLiteTable,
  before: Row,
  changes: object,
): Row {
  const values = new Map<string, unknown>(Object.entries(changes));
  const written = writtenColumns(table)
    .filter(([name]) => values.get(name) !== undefined)
    .map(([name, column]) => [name, stored(column, values.get(name))]);
  return { ...before, ...changes, ...Object.fromEntries(written) };
}
