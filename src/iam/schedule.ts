/** The schedule of iam. It runs every minute. */
import { configOf, type Env } from "../config.ts";
import { deleteExpiredKeys } from "../idempotency/expired_keys.ts";
import { runRemoval } from "../resource/removal.ts";
import { openDatabase } from "../rpc/database.ts";
import type { Execution } from "../rpc/runtime.ts";
import { writeNotices } from "./expiry/sweep.ts";
import { removalOfGroups } from "./groups/removal.ts";
import { writeQuotaWarnings } from "./quotas/warnings.ts";

/**
 * Writes the events about expiries and quotas, and removes what is left of deleted groups, and old idempotency keys.
 * Throws the first error at the end.
 */
export async function runSchedule(env: Env, execution: Execution): Promise<void> {
  const { databases } = openDatabase(env, execution);
  const context = { config: configOf(env), now: Date.now(), headers: new Headers() };
  const failures: unknown[] = [];
  for (const db of databases.all) {
    await writeNotices({ ...context, db }).catch((thrown) => failures.push(thrown));
    await writeQuotaWarnings({ ...context, db }).catch((thrown) => failures.push(thrown));
    await runRemoval(db, removalOfGroups).catch((thrown) => failures.push(thrown));
    await deleteExpiredKeys(db, context.now).catch((thrown) => failures.push(thrown));
  }
  if (failures.length > 0) throw failures[0];
}
