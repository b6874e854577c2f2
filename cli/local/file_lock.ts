/**
 * A lock that only one process at a time can hold. The kernel releases it when the process ends, in whatever way. Node
 * has no such lock, but SQLite takes one on every database.
 */
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";

/** In milliseconds: how long SQLite tries to take the lock when others try, too, and how long to pause. */
const timings = { busy: 50, rest: 25 };

/** Node's garbage collector closes a database without references, which would release the lock. */
const held = new Set<DatabaseSync>();

/**
 * Locks a file, and creates it if necessary. The file stays empty. It tries for `timeoutMs` milliseconds, and at least
 * once. Resolves with a function that releases the lock, or with undefined if another process holds it. Rejects with
 * the error of SQLite if the file cannot be created or written. The holder must not open the file in another way,
 * because closing it would release the lock.
 */
export async function takeLock(file: string, timeoutMs: number): Promise<(() => void) | undefined> {
  // Node before 24 prints a warning when it loads this module. platformctl loads this file without locking anything.
  const { DatabaseSync } = await import("node:sqlite");
  const end = Date.now() + timeoutMs;
  for (;;) {
    const database = new DatabaseSync(file, { timeout: timings.busy });
    if (isLocked(database)) {
      held.add(database);
      return () => {
        if (held.delete(database)) database.close();
      };
    }
    if (Date.now() >= end) return undefined;
    await pause(timings.rest);
  }
}

/** Locks the database, or closes it. */
function isLocked(database: DatabaseSync): boolean {
  try {
    // BEGIN alone succeeds on a read-only file without an exclusive lock.
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE; PRAGMA user_version = 1");
    return true;
  } catch (error) {
    database.close();
    if (isBusy(error)) return false;
    throw error;
  }
}

/** SQLITE_BUSY: another process holds the lock or is about to take it. */
const isBusy = (error: unknown) =>
  error instanceof Error && "errcode" in error && error.errcode === 5;
