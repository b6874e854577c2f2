/** Reads the names of tags that were created before the platform knew lines. The schedule of the registry runs it. */
import { and, asc, eq, sql } from "drizzle-orm";
import { isUnread, tags } from "../../../schema/tables/registry/tags.ts";
import type { Database } from "../../auth/call.ts";
import { tagLineOf } from "../../packages/tag_lines.ts";

/** The tags of one batch, and the most batches of one run. The next run continues. */
const batchSize = 500;
const maxBatches = 20;

/** Writes the lines of tags without one, at most 10,000 of them. */
export async function readTagNames(db: Database): Promise<void> {
  for (let batch = 0; batch < maxBatches; batch += 1) {
    if ((await readBatch(db)) < batchSize) return;
  }
}

async function readBatch(db: Database): Promise<number> {
  const unread = await db
    .select({ uid: tags.uid, name: tags.name })
    .from(tags)
    .where(isUnread)
    .orderBy(asc(tags.uid))
    .limit(batchSize);
  if (unread.length === 0) return 0;
  const rows = unread.map(({ uid, name }) => {
    const { line, lineKey } = tagLineOf(name);
    return [uid, name, line, lineKey];
  });
  const given = sql`json_each(${JSON.stringify(rows)}) as "given"`;
  await db
    .update(tags)
    .set({ line: sql`"given"."value" ->> 2`, lineKey: sql`"given"."value" ->> 3` })
    .from(given)
    // A call may have renamed a tag since it was read.
    .where(
      and(sql`${tags.uid} = "given"."value" ->> 0`, eq(tags.name, sql`"given"."value" ->> 1`)),
    );
  return rows.length;
}
