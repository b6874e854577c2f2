/**
 * Selects of many calls: drizzle writes the text of each shape once, with placeholders, where it would
 * take longer than the rest of the call to write it anew every time.
 */
import type { D1Database, D1PreparedStatement } from "@cloudflare/workers-types";
import { fillPlaceholders } from "drizzle-orm";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import type { RunnableQuery } from "drizzle-orm/runnable-query";

/** What drizzle makes of a select: its text, its parameters, and how its rows are read. */
interface Made {
  getQuery(): { sql: string; params: unknown[] };
  mapResult(result: unknown, isFromBatch: boolean): unknown;
}

/** As {@link Made}, with the statement that a batch of drizzle's binds its parameters to. */
interface Bound extends Made {
  stmt: D1PreparedStatement;
}

/** A statement for `batch`, and for nothing else. */
export type BatchStatement<Row> = RunnableQuery<Row[], "sqlite"> & { _prepare(): Bound };

/** A database to write selects for, which runs none. */
const desk = (): DrizzleD1Database =>
  drizzle({ prepare: () => undefined } as unknown as D1Database);

/** The shapes of one select. There must be few: none is ever dropped. */
export class Prepared<Row> {
  readonly #made = new Map<string, Made>();

  /**
   * The select of a shape with its values, by the names of the placeholders that `select` put into it.
   * Whatever else `select` depends on has to be in the shape.
   */
  with(
    db: DrizzleD1Database,
    shape: string,
    select: (db: DrizzleD1Database) => { prepare(): unknown },
    values: Record<string, unknown>,
  ): BatchStatement<Row> {
    const made = this.#made.get(shape) ?? (select(desk()).prepare() as Made);
    this.#made.set(shape, made);
    const { sql, params } = made.getQuery();
    const query = { sql, params: fillPlaceholders(params, values) };
    const { $client } = db as unknown as { $client: D1Database };
    const bound: Bound = {
      getQuery: () => query,
      mapResult: (result, isFromBatch) => made.mapResult(result, isFromBatch),
      stmt: $client.prepare(sql),
    };
    return { _prepare: () => bound } as BatchStatement<Row>;
  }
}
