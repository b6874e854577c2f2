import { type SQL, sql } from "drizzle-orm";
import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { resourceColumns } from "../columns.ts";
import { leafIndexes, leafKeys } from "../list_indexes.ts";
import { countRows, requireParent, requireRow } from "../triggers.ts";
import { repos } from "./repos.ts";

/** A rule of a plan, as it was when the plan was made. */
export interface PlannedRule {
  uid: string;
  name: string;
  /** In milliseconds since 1970. */
  updateTime: number;
}

/**
 * The states in which a plan is not finished, as numbers of ExpiryPlanState. A repository has at most one such plan. A
 * query must contain exactly this expression.
 */
export const isOpen = sql.raw(`"state" < 4`);

/** The open plans that still wait for pulls. A query must contain exactly this expression. */
export const isAwaitingPulls = sql.raw(`"state" < 4 and "pulls_known_time" is null`);

/** The states in which the schedule can continue a plan. A query must contain exactly this expression. */
export const isDue = sql.raw(`"state" in (2, 3, 6)`);

/** Plans of what expires. The parent is the repository. */
export const expiryPlans = sqliteTable(
  "expiry_plans",
  {
    ...resourceColumns(),
    ...leafKeys(),
    /** Number of ExpiryPlanState. */
    state: integer("state").notNull(),
    description: text("description").notNull().default(""),
    daily: integer("daily", { mode: "boolean" }).notNull().default(false),
    needsApproval: integer("needs_approval", { mode: "boolean" }).notNull().default(false),
    truncated: integer("truncated", { mode: "boolean" }).notNull().default(false),
    /** The rules of its items, by their numbers. */
    rules: text("rules", { mode: "json" }).$type<PlannedRule[]>().notNull().default([]),
    creatorUid: text("creator_uid").notNull().default(""),
    creator: text("creator").notNull().default(""),
    approverUid: text("approver_uid").notNull().default(""),
    approver: text("approver").notNull().default(""),
    approveTime: integer("approve_time"),
    endTime: integer("end_time"),
    /** From when on all pulls before the plan are known. Null until the queue of pulls has caught up with it. */
    pullsKnownTime: integer("pulls_known_time"),
    /** Until when it can be undone. Null until it has deleted something. */
    undoExpireTime: integer("undo_expire_time"),
    tagCount: integer("tag_count").notNull().default(0),
    manifestCount: integer("manifest_count").notNull().default(0),
    bytes: integer("bytes").notNull().default(0),
    /** The bytes of what it has deleted and not restored. */
    heldBytes: integer("held_bytes").notNull().default(0),
    deletedCount: integer("deleted_count").notNull().default(0),
    leftCount: integer("left_count").notNull().default(0),
    restoredCount: integer("restored_count").notNull().default(0),
  },
  (t) => [
    ...leafIndexes("expiry_plans", t, { orders: { created: t.createTime } }),
    index("expiry_plans_of_repo").on(t.parent, t.createTime),
    uniqueIndex("expiry_plans_open").on(t.parent).where(isOpen),
    index("expiry_plans_by_update").on(t.updateTime),
    index("expiry_plans_awaiting_pulls").on(t.createTime).where(isAwaitingPulls),
    index("expiry_plans_due").on(t.state, t.updateTime).where(isDue),
    index("expiry_plans_by_undo").on(t.undoExpireTime).where(sql`undo_expire_time is not null`),
    index("expiry_plans_undoable")
      .on(t.ancestor0, t.undoExpireTime)
      .where(sql`undo_expire_time is not null`),
  ],
);

/** The tags and manifests of plans. The migration creates the table WITHOUT ROWID. */
export const expiryItems = sqliteTable(
  "expiry_items",
  {
    planUid: text("plan_uid").notNull(),
    /** The place in the order of the deletions, from 0. */
    number: integer("number").notNull(),
    /** Empty for a manifest. */
    tag: text("tag").notNull(),
    digest: text("digest").notNull(),
    /** The place of the rule in `rules` of the plan. */
    rule: integer("rule").notNull(),
    reason: text("reason").notNull(),
    /** The time of the last known pull, in milliseconds since 1970. Null if none is known. */
    pullTime: integer("pull_time"),
    bytes: integer("bytes").notNull(),
    /** Number of ExpiryOutcome. */
    outcome: integer("outcome").notNull(),
    note: text("note").notNull().default(""),
    /** The JSON of the rows that were deleted, until they are restored or can no longer be. */
    snapshot: text("snapshot"),
  },
  (t) => [primaryKey({ columns: [t.planUid, t.number] })],
);

/** SQL: the items of all plans of a repository. */
export const isItemOf = (repo: SQL | string): SQL =>
  sql`(${expiryItems.planUid} > ${repo} || '/' and ${expiryItems.planUid} < ${repo} || '0')`;

export const triggers = () => [
  countRows(expiryPlans),
  requireParent(expiryPlans, repos),
  requireRow(expiryItems.planUid, expiryPlans, "plan"),
];
