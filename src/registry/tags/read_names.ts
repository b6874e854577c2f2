/** Reads the names of tags that were created before the platform knew lines. The schedule of the registry runs it. */
import { and, asc, sql } from "drizzle-orm";
import { isPresent } from "../../../schema/tables/platform/deletions.ts";
import { isUnread, tags } from "../../../schema/tables/registry/tags.ts";
import { runBatches } from "../../aip/batches.ts";
import type { Database } from "../../auth/call.ts";
import { isWritable } from "../../auth/databases.ts";
import { tagLineOf } from "../../packages/tag_lines.ts";

/** The tags of one batch. */
const batchSize = 500;

/** Writes the lines of tags without one, at most 10,000 of them. */
export const readTagNames = (db: Database): Promise<void> =>
  runBatches(batchSize, () => readBatch(db));

/** Returns the number of tags that were read. */
async function readBatch(db: Database): Promise<number> {
  const unread = await db
    .select({ id: sql<number>`"tags".rowid`, uid: tags.uid, name: tags.name })
    .from(tags)
    .where(and(isUnread, isWritable(sql`${tags.uid}`), isPresent(tags.parent)))
    .orderBy(asc(tags.uid))
    .limit(batchSize);
  if (unread.length === 0) return 0;
  const rows = unread.map(({ id, uid, name }) => {
    const { line, lineKey } = tagLineOf(name);
    return [id, uid, name, line, lineKey];
  });
  const given = sql`json_each(${JSON.stringify(rows)}) as "given"`;
  await db
    .update(tags)
    .set({ line: sql`"given"."value" ->> 3`, lineKey: sql`"given"."value" ->> 4` })
    .from(given)
    // A call may have renamed a tag since it was read, and another tag can have the rowid of one that is gone.
    .where(
      sql`"tags".rowid = "given"."value" ->> 0
        and (${tags.uid}, ${tags.name}) = ("given"."value" ->> 1, "given"."value" ->> 2)`,
    );
  return rows.length;
}
