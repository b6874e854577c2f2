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

/** A session whose statements read their rows in {@link readRows}, unless these contain other rows. */
class Session extends SQLiteD1Session<Record<string, never>, Record<string, never>> {
  override prepareQuery(...given: Parameters<SQLiteD1Session<never, never>["prepareQuery"]>) {
    const prepared = super.prepareQuery(...given);
    const [, fields] = given;
    if (!fields || fields.some(({ path }) => path.length > 1)) return prepared;
    // A statement that runs alone returns rows as arrays.
    prepared.mapAllResult = (result, isFromBatch) =>
      readRows(fields, (isFromBatch ? (result as D1Result).results : result) as object[]);
    return prepared;
  }
}

type Fields = NonNullable<ConstructorParameters<typeof D1PreparedQuery>[6]>;

type Row = Record<string, unknown>;

/** Reads rows as drizzle does, with one pass over the columns for all rows. */
function readRows(fields: Fields, rows: object[]): Row[] {
  const columns = fields.map(({ path: [name = ""], field }) => ({
    name,
    decoder: decoderOf(field),
  }));
  return rows.map((stored) => {
    const values = Object.values(stored);
    const row: Row = {};
    columns.forEach(({ name, decoder }, at) => {
      row[name] = values[at] === null ? null : decoder.mapFromDriverValue(values[at]);
    });
    return row;
  });
}

/** The object that reads the stored value of a field. */
function decoderOf(field: Fields[number]["field"]): DriverValueDecoder<unknown, unknown> {
  if (field instanceof Column) return field;
  const sql = field instanceof SQL ? field : field instanceof Subquery ? field._.sql : field.sql;
  // A cast, because the types of drizzle do not show it.
  return (sql as unknown as { decoder: DriverValueDecoder<unknown, unknown> }).decoder;
}
