import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * Every digest a tag has pointed to. Keyed by repo and tag name, so that it outlives the tag. Triggers
 * refuse UPDATE, and DELETE except of a record that repeats the digest before it. `updateTime` is in
 * milliseconds and grows within a tag.
 */
export const tagMoves = sqliteTable(
  "tag_moves",
  {
    repoUid: text("repo_uid").notNull(),
    tag: text("tag").notNull(),
    updateTime: integer("update_time").notNull(),
    digest: text("digest").notNull(),
  },
  (t) => [primaryKey({ columns: [t.repoUid, t.tag, t.updateTime] })],
);
