/** Runs SQL on a local database of `npm start`. It opens the file, because wrangler takes a second to start. */
import { DatabaseSync } from "node:sqlite";
import { setImmediate as pause } from "node:timers/promises";
import { bindingsOf } from "../cloudflare/bindings.ts";
import { refusedFailure } from "../failure.ts";
import { databaseFiles } from "./databases.ts";

/** In milliseconds: how long a statement waits for a running platform that writes. */
const timeoutMs = 5_000;

/** A database of wrangler.toml, by name or binding, and the folder of all databases. */
export type LocalDatabase = { name: string; env?: string; folder: string };

/** Runs SELECTs and returns the rows of each. Throws a Failure with the reason. */
export const queryLocally = <Row>(database: LocalDatabase, selects: string[]): Promise<Row[][]> =>
  useFile(database, async (file) => {
    const results: Row[][] = [];
    for (const select of selects) {
      results.push(file.prepare(select).all() as Row[]);
      // Between two statements, a terminal can show the progress.
      await pause();
    }
    return results;
  });

/**
 * Runs SQL as a whole or not at all. Throws a Failure with the reason. A running platform does not wait for a write, so
 * keep it short.
 */
export const executeLocally = (database: LocalDatabase, sql: string): Promise<void> =>
  useFile(database, (file) => {
    file.exec("BEGIN IMMEDIATE");
    try {
      file.exec(sql);
      file.exec("COMMIT");
    } finally {
      if (file.isTransaction) file.exec("ROLLBACK");
    }
  });

/** A running platform can have the file open, too, because its write-ahead log lets both read at any time. */
async function useFile<T>(
  { name, env, folder }: LocalDatabase,
  work: (file: DatabaseSync) => Promise<T> | T,
): Promise<T> {
  const d1 = bindingsOf(env).find(
    ({ binding, database_name }) => binding === name || database_name === name,
  );
  if (!d1) throw refusedFailure("D1", `wrangler.toml has no database ${name}.`);
  const [path] = databaseFiles(folder, [{ id: d1.database_id ?? d1.binding }]);
  if (path === undefined) throw refusedFailure("D1", withoutTables);
  const file = new DatabaseSync(path, { timeout: timeoutMs });
  try {
    return await work(file);
  } catch (thrown) {
    throw refusedFailure("D1", explainError(thrown));
  } finally {
    file.close();
  }
}

const withoutTables = "The local database has no tables yet. Run `npm start` first.";

/** The reason of SQLite, or advice for a common problem. */
function explainError(thrown: unknown): string {
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  return /^no such table/.test(why) ? withoutTables : `The local database failed: ${why}`;
}
