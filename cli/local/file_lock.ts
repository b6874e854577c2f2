/**
 * A lock that one process at a time can hold. The kernel gives it back when that process ends, in
 * whatever way it ends. Node has no such lock of its own, SQLite takes one on every database.
 */
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";

/** In milliseconds: how long SQLite tries to get ahead of another that tries, and how long we rest. */
const timings = { busy: 50, rest: 25 };

/** A database that nobody refers to is closed, and its lock lost, when Node collects garbage. */
const held = new Set<DatabaseSync>();

/**
 * Takes the lock on a file, making the file, which stays empty. Tries for `timeoutMs` milliseconds, at
 * least once. Resolves with what gives the lock back, or undefined when another holds it. Rejects with
 * the error of SQLite when the file cannot be made or written. The holder must not open the file in any
 * other way: on closing it again, the kernel would take the lock back.
 */
export async function takeLock(file: string, timeoutMs: number): Promise<(() => void) | undefined> {
  // Node before 24 warns when it loads this, and platformctl loads us and locks nothing.
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
    // BEGIN alone succeeds on a file that may only be read, without a lock that excludes anybody.
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE; PRAGMA user_version = 1");
    return true;
  } catch (error) {
    database.close();
    if (isBusy(error)) return false;
    throw error;
  }
}

/** SQLITE_BUSY: another holds the lock, or is about to take it. */
const isBusy = (error: unknown) =>
  error instanceof Error && "errcode" in error && error.errcode === 5;
