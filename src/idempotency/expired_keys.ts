/** Deletes the idempotency keys that are older than 24 hours. */
import { asc, lte, sql } from "drizzle-orm";
import { and } from "drizzle-orm/sql";
import { idempotencyKeys } from "../../schema/tables/platform/idempotency_keys.ts";
import { runBatches } from "../aip/batches.ts";
import { type Database, isWritable } from "../auth/databases.ts";
import { keyLifetime } from "./attempt.ts";

/** The rows of one batch. */
const batchSize = 500;

/** Deletes them in bounded batches. Those of an organization that moves stay until it is there. */
export const deleteExpiredKeys = (db: Database, now: number): Promise<void> =>
  runBatches(batchSize, async () => {
    const { organization, caller, key, createTime } = idempotencyKeys;
    const expired = db
      .select({ organization, caller, key })
      .from(idempotencyKeys)
      .where(and(lte(createTime, now - keyLifetime), isWritable(sql`${organization}`)))
      .orderBy(asc(createTime))
      .limit(batchSize);
    const deleted = await db
      .delete(idempotencyKeys)
      .where(sql`(${organization}, ${caller}, ${key}) in ${expired}`)
      .returning({ one: sql<number>`1` });
    return deleted.length;
  });
