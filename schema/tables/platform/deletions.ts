/** The deletions that schedules carry out in batches (src/resource/removal.ts). */
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
import { isOfDeleted, refuse, trigger } from "../triggers.ts";

/** The tables of the resources that are deleted in batches. */
export type DeletedKind = "repos" | "groups" | "identity_providers";

/**
 * The deleted repositories, groups and identity providers with rows that are not removed yet. The batch that writes such a
 * row deletes the row of the resource itself, so that nothing can be created in it, and its name is free. No call sees what
 * is left in it ({@link isPresent}), and triggers keep that as it is.
 */
export const deletions = sqliteTable(
  "deletions",
  {
    /** The uid of the deleted resource. */
    uid: text("uid").primaryKey(),
    /** The name that it had. The history of the tags of a repository keeps it. */
    name: text("name").notNull(),
    /** The table that it was in. */
    kind: text("kind").$type<DeletedKind>().notNull().default("repos"),
    /** The ids of a repository in `repo_storage`, and of its organization in `organization_storage`. Null without content. */
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
 * The condition that a row is not left of a deleted parent. `parent` is the uid of its parent. SQLite looks it up in an
 * index, which reads no row of `deletions` for a parent that is not there.
 */
export const isPresent = (parent: SQL | SQLiteColumn): SQL =>
  sql`not exists (select 1 from ${deletions} where "deletions"."uid" = ${parent})`;

/** SQL: the same for a trigger on another table. */
export const isPresentInTrigger = (parent: string): string =>
  `${parent} NOT IN (SELECT uid FROM deletions)`;

const isKept = `${isOfDeleted.slice(0, -1)} AND is_removing = 0)`;

/** Triggers for a table whose rows can be left of deleted parents. They undo the batch of a call that changes such a row. */
export const keepDeleted = (table: SQLiteTable, parent = "repository") => {
  const reason = `stale write: the ${parent} is gone`;
  return [
    ...refuse(table, "deleted_update", { on: "BEFORE UPDATE", when: isOfDeleted }, reason),
    ...refuse(table, "deleted_delete", { on: "BEFORE DELETE", when: isKept }, reason),
  ];
};

/**
 * The same for a table in which one statement can meet rows of many parents. The statement changes the other rows, as if
 * those that are left were gone.
 */
export const skipDeleted = (table: SQLiteTable) => [
  ...trigger(table, "deleted_update", { on: "BEFORE UPDATE", when: isOfDeleted }, skip),
  ...trigger(table, "deleted_delete", { on: "BEFORE DELETE", when: isKept }, skip),
];

const skip = "SELECT RAISE(IGNORE);";
