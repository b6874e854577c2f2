/**
 * A D1 that lets something happen before one of a call's round trips. It runs statements as the local
 * D1 does, in a transaction of a Durable Object's SQLite, but in the very object that runs the calls:
 * a round trip costs a twentieth.
 */
import type { D1Database, DurableObjectStorage } from "@cloudflare/workers-types";
import type { Statement } from "../../world/recorder.ts";
import { current } from "./call.ts";

type Row = Record<string, unknown>;
interface Result {
  success: true;
  results: Row[];
  meta: { changes: number; rows_read: number; rows_written: number };
}

/** SQLite binds no booleans; D1 takes them for numbers. */
const bound = (value: unknown) => (typeof value === "boolean" ? Number(value) : value);

function run({ sql }: DurableObjectStorage, { sql: text, params }: Statement): Result {
  const cursor = sql.exec(text, ...(params.map(bound) as string[]));
  const results = cursor.toArray();
  const { rowsRead: rows_read, rowsWritten: rows_written } = cursor;
  return { success: true, results, meta: { changes: rows_written, rows_read, rows_written } };
}

class HeldStatement implements Statement {
  readonly sql: string;
  readonly params: unknown[];
  readonly #send: (statements: Statement[]) => Promise<Result[]>;

  constructor(
    sql: string,
    params: unknown[],
    send: (statements: Statement[]) => Promise<Result[]>,
  ) {
    this.sql = sql;
    this.params = params;
    this.#send = send;
  }

  bind(...params: unknown[]) {
    return new HeldStatement(this.sql, params, this.#send);
  }

  async all() {
    return (await this.#send([this]))[0];
  }

  run = () => this.all();

  async raw() {
    return (await this.all())?.results.map((row) => Object.values(row)) ?? [];
  }

  async first(column?: string) {
    const row = (await this.all())?.results[0];
    return row === undefined ? null : column === undefined ? row : row[column];
  }
}

/** The database, and every session of it. */
export function heldDatabase(storage: DurableObjectStorage): D1Database {
  const batch = async (statements: Statement[]): Promise<Result[]> => {
    const call = current.getStore();
    const plain = statements.map(({ sql, params }) => ({ sql, params }));
    await call?.trips.begin(plain, call.stream);
    return storage.transactionSync(() => statements.map((statement) => run(storage, statement)));
  };
  const database = {
    prepare: (text: string) => new HeldStatement(text, [], batch),
    ...{ batch, withSession: () => database },
  };
  return database as unknown as D1Database;
}
