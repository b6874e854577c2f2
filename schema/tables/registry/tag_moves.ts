import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { refuse } from "../triggers.ts";

/**
 * Every digest that a tag has pointed to. The key is the repository and the name of the tag, so the rows
 * outlive the tag. Triggers refuse UPDATE. They refuse DELETE too, except for a record that repeats the
 * previous digest. `updateTime` is in milliseconds and increases within a tag.
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

const appendOnly = "tag_moves is append-only";

/** Only a record that repeats the digest of the previous one can be deleted. */
const differs = `OLD.digest IS NOT (SELECT digest FROM tag_moves
  WHERE repo_uid = OLD.repo_uid AND tag = OLD.tag AND update_time < OLD.update_time
  ORDER BY update_time DESC LIMIT 1)`;

export const triggers = () => [
  refuse(tagMoves, "no_update", { on: "BEFORE UPDATE" }, appendOnly),
  refuse(tagMoves, "no_delete", { on: "BEFORE DELETE", when: differs }, appendOnly),
];
