/** drizzle on a D1 that knows which tables each statement writes. */

import { DrizzleD1Database, SQLiteD1Session } from "drizzle-orm/d1";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import type { Database } from "../auth/call.ts";
import { databaseThrough, type Send } from "./d1_through.ts";

type Written = string[] | undefined;

/** Notes for the text of each statement which tables it writes, as drizzle's builder of the statement says. */
class NotingSession extends SQLiteD1Session<Record<string, never>, Record<string, never>> {
  readonly #written: Map<string, Written>;

  constructor(dialect: SQLiteAsyncDialect, send: Send) {
    const written = new Map<string, Written>();
    // SQL that no builder has built could write anything.
    const writesOf = (sql: string) => (written.has(sql) ? written.get(sql) : []);
    const noted: Send = (queries) =>
      send(
        queries.map(({ sql, params }) => {
          const writes = writesOf(sql);
          return { sql, params, ...(writes && { writes }) };
        }),
      );
    super(databaseThrough(noted), dialect, undefined);
    this.#written = written;
  }

  override prepareQuery(...parameters: Parameters<SQLiteD1Session<never, never>["prepareQuery"]>) {
    const [{ sql }, , , , , metadata] = parameters;
    if (metadata) this.#written.set(sql, metadata.type === "select" ? undefined : metadata.tables);
    return super.prepareQuery(...parameters);
  }
}

/** drizzle on the database behind `send`, whose queries say which tables they write. */
export function drizzleThrough(send: Send): Database {
  const dialect = new SQLiteAsyncDialect();
  return new DrizzleD1Database("async", dialect, new NotingSession(dialect, send), undefined);
}
