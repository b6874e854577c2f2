/**
 * Writes a change and its event in one batch, all or none. D1 has no transactions that a call could read
 * in. So a call reads first, and its batch carries guards for what it read: a guard whose condition no
 * longer holds aborts the batch inside SQLite, and the call runs again.
 */
import { type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { writeGuards } from "../../schema/tables/write_guards.ts";
import { lastOwner } from "../aip/errors.ts";
import { StaleError } from "../aip/stale.ts";
import type { Call, Database } from "../auth/call.ts";
import { selectOwnerless } from "../auth/owners.ts";

export type Statement = BatchItem<"sqlite">;

/**
 * The statement that aborts its batch unless the condition holds at this place in it. The statements
 * behind it may rely on the condition.
 */
export const onlyIf = (db: Database, condition: SQL | undefined) =>
  db.insert(writeGuards).select(sql`select 'stale' where (${condition ?? sql`true`}) is not true`);

/** As {@link onlyIf}, for the condition that the statement right before it changed a row. */
export const onlyIfChanged = (db: Database) => onlyIf(db, sql`changes() > 0`);

/**
 * The statements that undo the batch if one of these organizations has no owner left at this place in it. `owned`
 * are those that had one when the call read them ({@link selectIfOwned}), so an organization that has already lost
 * its owners can still be changed.
 */
export const keepOwner = ({ db, now }: Pick<Call, "db" | "now">, owned: { uid: string }[]) => {
  if (owned.length === 0) return [];
  const uids = owned.map(({ uid }) => uid);
  // The trigger raises one fixed text. This text is an invalid JSON path, and SQLite's error quotes it.
  const path = sql`'${sql.raw(ownerlessText)}' || "uid"`;
  const lost = sql`select json_extract('{}', ${path}) from (${selectOwnerless(uids, now)})`;
  return [db.insert(writeGuards).select(lost)];
};

const ownerlessText = "no owner of ";

/** What triggers say when a row is not, or no longer, as a change needs it. */
const staleTexts = ["stale write", "parent is gone"];

/** A call, or whatever else writes. */
type Writer = { db: Database; guards?: Call["guards"] };

/**
 * Runs the statements of one change in one batch, all or none, behind the guards of the call. Throws
 * Stale where a guard or a trigger finds that something is no longer as it was read, FAILED_PRECONDITION
 * `LAST_OWNER` where {@link keepOwner} does, `conflict()` where a UNIQUE index refuses. Returns D1's results.
 */
export async function commit(
  { db, guards }: Writer,
  statements: [Statement, ...Statement[]],
  conflict?: () => Error,
): Promise<unknown[]> {
  try {
    const before = [...(guards?.values() ?? [])].map((guard) => guard());
    const results = await db.batch([...before, ...statements] as typeof statements);
    return results.slice(before.length);
  } catch (error) {
    if (conflict && says(error, "UNIQUE constraint failed")) throw conflict();
    if (staleTexts.some((text) => says(error, text))) throw new StaleError();
    if (says(error, ownerlessText)) throw lastOwner(organizationIn(error));
    throw error;
  }
}

function says(error: unknown, text: string): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at.message.includes(text)) return true;
  }
  return false;
}

/** The organization's uid in the error of {@link keepOwner}; empty if there is none. */
function organizationIn(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    const [, uid] = new RegExp(`${ownerlessText}([0-9a-f]{40})`).exec(at.message) ?? [];
    if (uid) return uid;
  }
  return "";
}

/** As {@link commit} for a change whose first statement must change a row: else Stale, and none of it. */
export async function commitIfChanged(
  call: Writer,
  [change, ...rest]: [Statement, ...Statement[]],
  conflict?: () => Error,
): Promise<void> {
  await commit(call, [change, onlyIfChanged(call.db), ...rest], conflict);
}

/** The next update time of a row: now, and always later than the one it has. */
export const nextTime = (call: Pick<Call, "now">, previous: number) =>
  Math.max(call.now, previous + 1);
