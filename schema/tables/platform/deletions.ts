/** The deletions that the schedule carries out in batches (src/registry/repos/removal.ts). */
import { type SQL, sql } from "drizzle-orm";
import {
  index,
  integer,
  type SQLiteColumn,
  type SQLiteTable,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { isOfDeleted, refuse } from "../triggers.ts";

/**
 * The deleted repositories with rows that are not removed yet. The batch that writes such a row deletes the row of the
 * repository, so that nothing can be created in it, and its name is free. No call sees what is left in it
 * ({@link isPresent}), and triggers refuse to change that.
 */
export const deletions = sqliteTable(
  "deletions",
  {
    /** The uid of the deleted repository. */
    uid: text("uid").primaryKey(),
    /** The name that it had. The history of its tags keeps it. */
    name: text("name").notNull(),
    /** The ids that it had in `repo_storage`, and its organization in `organization_storage`. Null without content. */
    storage: integer("storage_id"),
    organization: integer("organization_id"),
    /** The time of the deletion, in milliseconds since 1970 in UTC. The history of its tags ends at that time. */
    time: integer("time").notNull(),
    /** The uid and the name of the identity that deleted it. */
    identity: text("identity_uid").notNull(),
    identityName: text("identity_name").notNull(),
    /** Whether the current transaction removes rows. It is false outside of transactions. */
    isRemoving: integer("is_removing", { mode: "boolean" }).notNull().default(false),
    /** The place in the queue: the row with the lowest number has the next batch. */
    turn: integer("turn").notNull().default(0),
  },
  (t) => [index("deletions_by_turn").on(t.turn), uniqueIndex("deletions_storage").on(t.storage)],
);

/**
 * The condition that a repository is not a deleted one whose rows are still there. `repo` is its uid. While there is none
 * at all, SQLite finds that out once, and looks up no repository.
 */
export const isPresent = (repo: SQL | SQLiteColumn): SQL =>
  sql`(not exists (select 1 from ${deletions}) or ${repo} not in (select ${deletions.uid} from ${deletions}))`;

/** Triggers for a table whose parents are repositories. Only the schedule changes rows of a deleted one. */
export const keepDeleted = (table: SQLiteTable) => {
  const reason = "stale write: the repository is gone";
  const isKept = `${isOfDeleted.slice(0, -1)} AND is_removing = 0)`;
  return [
    ...refuse(table, "deleted_update", { on: "BEFORE UPDATE", when: isOfDeleted }, reason),
    ...refuse(table, "deleted_delete", { on: "BEFORE DELETE", when: isKept }, reason),
  ];
};
