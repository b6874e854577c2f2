/**
 * Reads what many rows of a page share once: the role of a hundred role bindings is one row. The page becomes one JSON
 * text, and SQLite then reads each role that the page names. A join would read the role with every row.
 */
import { Column, is, type SQL, sql } from "drizzle-orm";
import type { RunnableQuery } from "drizzle-orm/runnable-query";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { aggregateOfKeys } from "../aip/rows_of_keys.ts";
import type { Database } from "../auth/call.ts";
import type { RowSelect, SharedColumns } from "./listing.ts";

/**
 * The only row of a packed page: the JSON of its rows, and that of the shared rows for each of the shared columns. The
 * latter is a {@link SharedRows}.
 */
export interface PackedPage {
  packedRows: string;
  /** The number of texts that are too long for the JSON, which has null instead of them. */
  longTexts: number;
  [shared: `shared${number}`]: string;
}

/** The number of texts that are too long, and the shared rows, each with its key first. */
type SharedRows = [number, unknown[][]];

/** Thrown for a page with texts that are too long to be packed. */
export class LongTexts extends Error {}

/** The most bytes of a value in the JSON of a page. D1 allows texts of 2 MB, and a page has 200 rows of 5 texts. */
const maxValueBytes = 1_500;

export const isPackedPage = (row: object): row is PackedPage => "packedRows" in row;

const isLong = (value: SQL) => sql`(octet_length(json_quote(${value})) > ${inline(maxValueBytes)})`;

/** D1 allows 100 parameters. */
const inline = (value: number) => sql.raw(String(value));

const shortened = (value: SQL) => sql`iif(${isLong(value)}, null, ${value})`;

/** SQL: the number of texts that are too long in the rows of an aggregate. */
const countLong = (values: SQL[]) =>
  sql<number>`coalesce(sum(${sql.join(values.map(isLong), sql` + `)}), 0)`;

/** Packs a page. Its columns have no decoders other than those of the table. */
export function selectPacked<Row>(
  db: Database,
  page: RowSelect<Row>,
  shared: SharedColumns[],
): RunnableQuery<PackedPage[], "sqlite"> {
  const rows = page.as("page");
  // A proxy that returns each column under its name in the outer select.
  const columns: Record<string, SQLiteColumn> = rows;
  const all = Object.keys(rows._.selectedFields).map((name) => sql`${columns[name]}`);
  const values = all.map(shortened);
  // SQLite aggregates the rows in the order of the page, which is sorted and limited.
  const packed = db
    .select({
      packedRows: sql<string>`json_group_array(json_array(${sql.join(values, sql`, `)}))`.as(
        "packed_rows",
      ),
      longTexts: countLong(all).as("long_texts"),
      ...Object.fromEntries(
        shared.map(({ by }, at) => [
          `keys${at}`,
          sql`json_group_array(distinct ${columns[by]})`.as(`keys${at}`),
        ]),
      ),
    })
    .from(rows)
    .as("packed");
  const found = shared.map((one, at) => [
    `shared${at}`,
    rowsOf(one, sql`"packed".${sql.identifier(`keys${at}`)}`),
  ]);
  return db
    .select({
      packedRows: packed.packedRows,
      longTexts: packed.longTexts,
      ...Object.fromEntries(found),
    })
    .from(packed) as unknown as RunnableQuery<PackedPage[], "sqlite">;
}

/** SQL: the shared rows whose keys are in the JSON list `keys`. */
function rowsOf({ table, key, columns }: SharedColumns, keys: SQL): SQL {
  const values = Object.values(columns).map((column) => sql`${column}`);
  const row = sql.join([sql`${key}`, ...values.map(shortened)], sql`, `);
  const rows = sql`json_array(${countLong(values)}, json_group_array(json_array(${row})))`;
  return aggregateOfKeys(rows, table, key, keys);
}

/**
 * The rows of a packed page, with their shared columns. `page` is the select that was packed. Throws {@link LongTexts}
 * if some of the texts are too long.
 */
export function unpacked<Row>(
  page: RowSelect<unknown>,
  shared: SharedColumns[],
  packed: PackedPage,
): Row[] {
  const fields = Object.entries(page.as("page")._.selectedFields);
  const rows = JSON.parse(packed.packedRows) as unknown[][];
  const found = shared.map((one, at) => {
    const [longTexts, others] = JSON.parse(packed[`shared${at}`] ?? "[0, []]") as SharedRows;
    return {
      by: one.by,
      longTexts,
      rows: new Map(
        others.map(([key, ...values]) => [key, decoded(Object.entries(one.columns), values)]),
      ),
      absent: Object.fromEntries(Object.keys(one.columns).map((name) => [name, null])),
    };
  });
  if ([packed, ...found].some(({ longTexts }) => longTexts > 0)) throw new LongTexts();
  return rows.map((values) => {
    const row = decoded(fields, values);
    const others = found.map(({ by, rows: all, absent }) => all.get(row[by]) ?? absent);
    // A cast, because the definition of the listing says which columns its rows have.
    return Object.assign(row, ...others) as Row;
  });
}

/** The values by the names of their fields, as drizzle reads them from the driver. */
const decoded = (fields: [string, unknown][], values: unknown[]): Record<string, unknown> =>
  Object.fromEntries(
    fields.map(([name, field], at) => {
      const value = values[at] ?? null;
      return [name, value !== null && is(field, Column) ? field.mapFromDriverValue(value) : value];
    }),
  );
