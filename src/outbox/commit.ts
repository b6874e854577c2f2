import type { BatchItem } from "drizzle-orm/batch";
import { aborted } from "../aip/errors.ts";
import type { Call } from "../auth/call.ts";

type Statement = BatchItem<"sqlite">;

/** Tries of a read-change-write whose row changes in between. */
const tries = 5;

/** A row that was to be changed is not as it was read. */
export class Stale extends Error {}

/**
 * Runs the statements of one change in one batch, all or none. Where a UNIQUE index refuses,
 * throws `conflict()`; where the parent is gone, ABORTED. Answers D1's results.
 */
export async function commit(
  call: Pick<Call, "db">,
  statements: [Statement, ...Statement[]],
  conflict?: () => Error,
): Promise<unknown[]> {
  try {
    return await call.db.batch(statements);
  } catch (error) {
    if (conflict && tells(error, "UNIQUE constraint failed")) throw conflict();
    // Triggers keep a row from being written under a parent deleted since it was read.
    if (tells(error, "parent is gone")) throw aborted("the parent was deleted by another call");
    throw error;
  }
}

function tells(error: unknown, text: string): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at.message.includes(text)) return true;
  }
  return false;
}

/**
 * As {@link commit} for a change whose first statement is guarded (`where update_time = …`) and
 * returns the row: throws Stale when it changed none.
 */
export async function commitGuarded(
  call: Pick<Call, "db">,
  statements: [Statement, ...Statement[]],
  conflict?: () => Error,
): Promise<void> {
  const [changed] = await commit(call, statements, conflict);
  if (!Array.isArray(changed) || changed.length === 0) throw new Stale();
}

/** Reads, changes and writes again while the row changes in between; ABORTED after five tries. */
export async function retryStale<T>(change: () => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    try {
      return await change();
    } catch (error) {
      if (!(error instanceof Stale)) throw error;
    }
  }
  throw aborted("the resource is being changed by others; try again");
}

/** The next update time of a row: now, and always later than the one it has. */
export const nextTime = (call: Call, previous: number) => Math.max(call.now, previous + 1);
