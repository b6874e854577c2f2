/** Deletes manifests with their tags. */
import { eq, sql } from "drizzle-orm";
import { TagMoveMethod } from "../../../schema/gen/platform/registry/history/v2/tag_history_pb.js";
import { DeleteManifestRequestSchema } from "../../../schema/gen/platform/registry/v2/manifests_pb.js";
import { TagsService } from "../../../schema/gen/platform/registry/v2/tags_pb.js";
import { hasUidOf } from "../../../schema/tables/list_indexes.ts";
import { manifests } from "../../../schema/tables/registry/manifests.ts";
import { pointsTo, tags } from "../../../schema/tables/registry/tags.ts";
import { failedPrecondition } from "../../aip/errors.ts";
import { parentOf } from "../../aip/uid_path.ts";
import type { Call } from "../../auth/call.ts";
import type { Caller } from "../../auth/grants.ts";
import { onlyIf, onlyIfChanged, type Statement } from "../../outbox/commit.ts";
import { insertEvent, insertEvents } from "../../outbox/outbox.ts";
import type { Permit } from "../tag_rules/permits.ts";
import type { TagRow } from "../tags/tag_rows.ts";
import { recordDeletions, tagDeletion } from "../tags/tag_writes.ts";

type Row = typeof manifests.$inferSelect;

/** The most tags that are deleted with their manifest. */
export const maxDeletedTags = 500;

/**
 * The statements that delete a manifest with the tags that point to it, and write the events. They abort the
 * whole batch if one of the rows has changed, or the rules of the permit. Throws FAILED_PRECONDITION if there are too
 * many tags.
 */
export function manifestDeletion(
  call: Call,
  caller: Caller,
  { uid, parent, digest }: Pick<Row, "uid" | "parent" | "digest">,
  pointing: TagRow[],
  permit: Permit,
  method = TagMoveMethod.API,
): [Statement, ...Statement[]] {
  if (pointing.length > maxDeletedTags) {
    throw failedPrecondition(
      "TOO_MANY_TAGS",
      `more than ${maxDeletedTags} tags point to the manifest; delete some of them first`,
    );
  }
  const { db } = call;
  const deletedTags = pointing.map(tagDeletion);
  const isPointing = hasUidOf(
    tags,
    pointing.map((row) => row.uid),
  );
  return [
    db.delete(manifests).where(eq(manifests.uid, uid)),
    onlyIfChanged(db),
    ...(pointing.length === 0 ? [...permit.before, ...permit.events] : []),
    insertEvent(call, caller, {
      subject: uid,
      group: parentOf(parent),
      image: { repo: parent, digest },
      body: { desc: DeleteManifestRequestSchema, message: { uid } },
    }),
    ...(pointing.length === 0
      ? []
      : [
          ...recordDeletions(call, caller, isPointing, permit, method),
          db.delete(tags).where(isPointing),
          ...insertEvents(call, caller, TagsService.method.deleteTag, deletedTags),
        ]),
    // A tag that has just been moved to the manifest would point nowhere.
    onlyIf(
      db,
      sql`not exists (select 1 from ${tags} where ${pointsTo(parent, digest)})
        and not exists (select 1 from ${tags} where ${isPointing})`,
    ),
  ];
}
