/**
 * Writes a change and its event in one batch: either all of it or none. D1 has no transaction in which a call
 * could read. A call therefore reads first, and its batch carries guards for the rows that it read. If a
 * guard's condition no longer holds, SQLite aborts the batch, and the call runs again.
 */
import { type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { overQuotaPattern } from "../../schema/tables/quota_check.ts";
import { STALE_WRITE, writeGuards } from "../../schema/tables/write_guards.ts";
import { lastOwner, overQuota } from "../aip/errors.ts";
import { StaleError } from "../aip/stale.ts";
import type { Call, Database } from "../auth/call.ts";
import type { Idempotency } from "../auth/idempotency.ts";
import { selectOwnerless } from "../auth/owners.ts";

export type Statement = BatchItem<"sqlite">;

/**
 * A statement that aborts its batch unless the condition holds at that point of the batch. Later statements
 * can rely on the condition.
 */
export const onlyIf = (db: Database, condition: SQL | undefined) =>
  db
    .insert(writeGuards)
    .select(sql`select ${STALE_WRITE} where (${condition ?? sql`true`}) is not true`);

/** Like {@link onlyIf}, with the condition that the previous statement changed a row. */
export const onlyIfChanged = (db: Database) => onlyIf(db, sql`changes() > 0`);

/**
 * Statements that undo the batch if one of these organizations has no owner left at that point of the batch.
 * `owned` contains the organizations that had an owner when the call read them ({@link selectIfOwned}). An
 * organization that has already lost its owners can still be changed.
 */
export const keepOwner = ({ db, now }: Pick<Call, "db" | "now">, owned: { uid: string }[]) => {
  if (owned.length === 0) return [];
  const uids = owned.map(({ uid }) => uid);
  const lost = sql`select ${ownerlessText} || "uid" from (${selectOwnerless(uids, now)})`;
  return [db.insert(writeGuards).select(lost)];
};

const ownerlessText = "no owner of ";

/**
 * A statement that always undoes its batch. It is the last one of a call that only validates, so that all guards,
 * indexes and triggers check the change first.
 */
const undoAll = (db: Database) => db.insert(writeGuards).values({ reason: validatedText });

const validatedText = "nothing is written, because the call only validates";

/** The errors of triggers that refuse a change because a row has changed or is missing. */
const staleTexts = [STALE_WRITE, "parent is gone"];

/** The codes of SQLite for a row that a UNIQUE index or a primary key refuses. */
const conflictCodes = ["SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY"];

/** A call, or other code that writes. */
type Writer = {
  db: Database;
  guards?: Call["guards"];
  validateOnly?: boolean;
  idempotency?: Idempotency;
};

type Statements = [Statement, ...Statement[]];

/**
 * Runs the statements of one change in one batch, after the guards of the call. Either all of them take
 * effect or none. Throws Stale if a guard or a trigger finds that a row has changed since it was read. Throws
 * FAILED_PRECONDITION `LAST_OWNER` if {@link keepOwner} aborts the batch, RESOURCE_EXHAUSTED `QUOTA_EXCEEDED` if a quota
 * does, and `conflict()` if a UNIQUE index does. For a call that only validates, the batch is always undone. For a call
 * with an idempotency key, it runs when the handler has returned, and that throws these errors.
 */
export async function commit(
  writer: Writer,
  statements: Statements,
  conflict?: () => Error,
): Promise<void> {
  const { db, idempotency, validateOnly } = writer;
  const write = (key: Statement[]) => runBatch(writer, key, statements, conflict);
  if (idempotency && !validateOnly) await idempotency.hold(db, write);
  else await write([]);
}

/**
 * Like {@link commit}, for a change whose results decide about the answer. Runs at once, and returns the results of D1.
 * There are none for a call that only validates. If such a call has an idempotency key and is cut off right after its
 * batch, the call is carried out again when it is repeated. Use `commit` if the answer can be known before.
 */
export async function commitForResults(
  writer: Writer,
  statements: Statements,
  conflict?: () => Error,
): Promise<unknown[]> {
  const { db, idempotency, validateOnly } = writer;
  const key = idempotency && !validateOnly ? await idempotency.open(db) : [];
  return runBatch(writer, key, statements, conflict);
}

/** Runs a batch: the statements of an idempotency key, the guards of the call, and the change. */
async function runBatch(
  { db, guards, validateOnly = false }: Writer,
  key: Statement[],
  statements: Statements,
  conflict?: () => Error,
): Promise<unknown[]> {
  try {
    const before = [...key, ...[...(guards?.values() ?? [])].map((guard) => guard())];
    const all = [...before, ...statements, ...(validateOnly ? [undoAll(db)] : [])];
    const results = await db.batch(all as typeof statements);
    return results.slice(before.length);
  } catch (error) {
    throwIfOverQuota(error);
    if (validateOnly && says(error, validatedText)) return [];
    if (conflict && conflictCodes.some((code) => says(error, code))) throw conflict();
    if (staleTexts.some((text) => says(error, text))) throw new StaleError();
    if (says(error, ownerlessText)) throw lastOwner(organizationIn(error));
    throw error;
  }
}

function says(error: unknown, text: string): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.message.includes(text)) return true;
  }
  return false;
}

/** Finds a pattern in the message of an error, or of one of its causes. */
function matchIn(error: unknown, pattern: RegExp): RegExpExecArray | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const match = pattern.exec(cause.message);
    if (match) return match;
  }
  return undefined;
}

/** The uid of the organization in the error of {@link keepOwner}. Empty if there is none. */
const organizationIn = (error: unknown): string =>
  matchIn(error, new RegExp(`${ownerlessText}([0-9a-f]{40})`))?.[1] ?? "";

/**
 * Throws RESOURCE_EXHAUSTED `QUOTA_EXCEEDED` if a trigger has undone a batch because of a quota. A batch that is not sent
 * by {@link commit} needs it too, if it can add rows that `counts` counts.
 */
export function throwIfOverQuota(error: unknown): void {
  const match = matchIn(error, overQuotaPattern);
  if (!match) return;
  const [, kind = "", limit, use, organization = ""] = match;
  throw overQuota({ kind, limit: Number(limit), use: Number(use), organization });
}

/**
 * Like {@link commit}, for a change whose first statement must change a row. If it does not, the whole batch
 * is undone and Stale is thrown.
 */
export async function commitIfChanged(
  call: Writer,
  [change, ...rest]: [Statement, ...Statement[]],
  conflict?: () => Error,
): Promise<void> {
  await commit(call, [change, onlyIfChanged(call.db), ...rest], conflict);
}

/** The next update time of a row: the current time, but always later than the row's update time. */
export const nextTime = (call: Pick<Call, "now">, previous: number) =>
  Math.max(call.now, previous + 1);
