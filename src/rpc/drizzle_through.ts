/** Opens a database that sends all its statements through one function. */
import type { D1Result } from "@cloudflare/workers-types";
import { Column, type DriverValueDecoder, SQL, Subquery } from "drizzle-orm";
import { type D1PreparedQuery, DrizzleD1Database, SQLiteD1Session } from "drizzle-orm/d1";
import type { Database } from "../auth/call.ts";
import { databaseThrough, type Send } from "./d1_through.ts";
import { Dialect } from "./render_sql.ts";

const dialect = new Dialect();

/** Opens the database. */
export function drizzleThrough(send: Send): Database {
  const session = new Session(databaseThrough(send), dialect, undefined);
  return new DrizzleD1Database("async", dialect, session, undefined);
}

/** A session whose statements read the rows of batches in {@link readRows}. */
class Session extends SQLiteD1Session<Record<string, never>, Record<string, never>> {
  override prepareQuery(...given: Parameters<SQLiteD1Session<never, never>["prepareQuery"]>) {
    const prepared = super.prepareQuery(...given);
    const [, fields, , , customMapper] = given;
    if (!fields || customMapper || fields.some(({ path }) => path.length > 1)) return prepared;
    const { mapAllResult } = prepared;
    prepared.mapAllResult = (rows, isFromBatch) =>
      isFromBatch
        ? readRows(fields, (rows as D1Result<Row>).results)
        : mapAllResult.call(prepared, rows);
    return prepared;
  }
}

type Fields = NonNullable<ConstructorParameters<typeof D1PreparedQuery>[6]>;

type Row = Record<string, unknown>;

type Decode = ((stored: unknown) => unknown) | undefined;

/** Reads rows as drizzle does, with one pass over the columns for all rows. */
function readRows(fields: Fields, rows: Row[]): Row[] {
  const columns = fields.map(({ path: [name = ""], field }) => ({
    name,
    decode: decoderOf(field),
  }));
  return rows.map((stored) => {
    const values = Object.values(stored);
    const row: Row = {};
    for (let at = 0; at < columns.length; at += 1) {
      const { name, decode } = columns[at] as (typeof columns)[number];
      const value = values[at];
      row[name] = decode && value !== null ? decode(value) : value;
    }
    return row;
  });
}

/** How a field reads its stored value. Undefined if it returns the value itself. */
function decoderOf(field: Fields[number]["field"]): Decode {
  if (field instanceof Column) {
    const isPlain = field.mapFromDriverValue === Column.prototype.mapFromDriverValue;
    return isPlain ? undefined : (stored) => field.mapFromDriverValue(stored);
  }
  const sql = field instanceof SQL ? field : field instanceof Subquery ? field._.sql : field.sql;
  // A cast, because the types of drizzle do not show it.
  const { decoder } = sql as unknown as { decoder: DriverValueDecoder<unknown, unknown> };
  return (stored) => decoder.mapFromDriverValue(stored);
}
