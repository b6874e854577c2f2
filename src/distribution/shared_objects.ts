/** Objects of R2 that blobs in several databases have named, because an organization moved. */
import { and, eq, sql } from "drizzle-orm";
import { blobs } from "../../schema/tables/distribution/blobs.ts";
import { uploads } from "../../schema/tables/distribution/uploads.ts";
import { sharedObjects } from "../../schema/tables/platform/organizations.ts";
import type { Database } from "../auth/call.ts";
import { digestSql } from "./blobs/rows.ts";

/**
 * Whether another database still needs the objects of an upload. A blob keeps its row for a day after its last use.
 * Until then, a move has finished and the row is in one of the databases.
 */
export async function isNeededElsewhere(
  db: Database,
  others: readonly Database[],
  upload: string,
): Promise<boolean> {
  if (others.length === 0) return false;
  const isUpload = eq(sharedObjects.upload, upload);
  const [shared] = await db.select().from(sharedObjects).where(isUpload);
  if (!shared) return false;
  const { digest } = shared;
  for (const other of others) {
    const [[blob], [progress]] = await other.batch([
      other
        .select({ id: blobs.id })
        .from(blobs)
        .where(
          and(
            digest === null ? sql`false` : sql`${blobs.digest} = ${digestSql(digest)}`,
            sql`substr(${blobs.object}, 1, ${upload.length + 1}) = ${`${upload}/`}`,
          ),
        ),
      other.select({ id: uploads.id }).from(uploads).where(eq(uploads.id, upload)),
    ]);
    if (blob || progress) return true;
  }
  await db.delete(sharedObjects).where(isUpload);
  return false;
}
